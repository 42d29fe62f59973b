"""Runs trusted programs on the host so that they end, with all their children, when this process ends.

Theory of operation. g++ is a driver: killing it leaves its compiler running. The kernel notifies only a
direct child when its parent dies. So each program gets a process group with a small process as its leader,
the leash. The leash runs this file as a script:

    us, in one thread -- leash, told by the kernel when this thread ends (PR_SET_PDEATHSIG)
                           `-- the program, and whatever it starts

When its parent dies, the leash kills its group. The parent kills the group if a run takes too long or the
caller is interrupted. A program that leaves its process group escapes, so foreign code must run in sandboxes
instead.

Source: prctl(2), "PR_SET_PDEATHSIG". The "parent" is the thread that made the child.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

_PR_SET_PDEATHSIG = 1
_SIGNALLED = 128


class Interrupted(Exception):
    """Raised by a run that was ended, or not begun, because `LeashedRuns` was left with an exception."""


class LeashedRuns:
    """Runs in any number of threads. Leaving it with an exception ends them all."""

    def __init__(self, timeout_s: float) -> None:
        """`timeout_s` is the limit of one run."""
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._live: set[subprocess.Popen[str]] = set()
        self._stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            return
        with self._lock:
            self._stopped = True
            for process in self._live:
                _kill_group(process)

    def run(
        self, argv: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run `argv` and return its end with all it printed.

        Raises:
            subprocess.TimeoutExpired: the run took too long. It has been killed.
            Interrupted: another run failed, or the caller was interrupted.
        """
        with self._lock:
            if self._stopped:
                raise Interrupted(argv[0])
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", __file__, str(os.getpid()), *argv],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd=cwd,
                env=env,
                start_new_session=True,
            )
            self._live.add(process)
        try:
            stdout, stderr = process.communicate(timeout=self._timeout_s)
        except BaseException:
            _kill_group(process)
            process.communicate()
            raise
        finally:
            with self._lock:
                self._live.discard(process)
                stopped = self._stopped
        if stopped:
            raise Interrupted(argv[0])
        return subprocess.CompletedProcess(list(argv), process.returncode, stdout, stderr)


def _kill_group(process: "subprocess.Popen[str]") -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _hold(parent: int, argv: Sequence[str]) -> int:
    """Run `argv` for as long as `parent` lives. Returns its exit status in shell convention."""
    signal.signal(signal.SIGTERM, lambda *_: os.killpg(0, signal.SIGKILL))
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:  # it died before we asked
        return _SIGNALLED + signal.SIGTERM
    status = subprocess.run(argv, check=False).returncode
    return status if status >= 0 else _SIGNALLED - status


if __name__ == "__main__":
    sys.exit(_hold(int(sys.argv[1]), sys.argv[2:]))
