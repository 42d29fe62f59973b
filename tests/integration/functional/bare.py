"""A backend without isolation, for tests of the engine alone. It runs only our own kernels."""

import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from sandbox.backend import Process
from sandbox.cpu.build import HOME
from sandbox.spec import Command, Completion, Limits, Termination

CHANNEL = 3


class BareProcess:
    """A plain child process with the interface of a sandbox."""

    def __init__(self, command: Command, home: Path) -> None:
        self._command = command
        self._folder = tempfile.TemporaryDirectory(prefix="bare-")
        for name, data in command.files.items():
            (Path(self._folder.name) / name).write_bytes(data)
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._started = time.monotonic()
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        argv = [argument.replace(HOME, str(home)) for argument in command.argv]
        self._child = subprocess.Popen(
            argv,
            cwd=self._folder.name,
            env={"PATH": os.defpath, **command.environment},
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            pass_fds=[CHANNEL],
            # The runner expects this descriptor number. Tests start processes from one thread only.
            preexec_fn=lambda: os.dup2(theirs.fileno(), CHANNEL),  # noqa: PLW1509
        )
        theirs.close()

    @property
    def channel(self) -> socket.socket:
        return self._channel

    @property
    def pids(self) -> tuple[int, ...]:
        return (self._child.pid,)

    def begin(self, limits: Limits) -> None:
        """Do nothing: there are no limits."""

    def wait(self, timeout_s: float | None = None) -> Completion:
        try:
            status = self._child.wait(timeout_s)
        except subprocess.TimeoutExpired as problem:
            raise TimeoutError from problem
        ending = Termination.EXITED if status >= 0 else Termination.SIGNALLED
        self._output.seek(0)
        return Completion(
            ending=ending,
            status=abs(status),
            stdout=self._output.read(),
            stderr=b"",
            wall_s=time.monotonic() - self._started,
            cpu_s=0.0,
            peak_memory_bytes=None,
            files=self._collected(),
        )

    def _collected(self) -> dict[str, bytes]:
        paths = {name: Path(self._folder.name) / name for name in self._command.collect}
        return {name: path.read_bytes() for name, path in paths.items() if path.is_file()}

    def kill(self) -> None:
        self._child.kill()

    def close(self) -> None:
        if self._child.poll() is None:
            self._child.kill()
            self._child.wait()
        self._channel.close()
        self._output.close()
        self._folder.cleanup()


class BareBackend:
    """Starts commands as plain child processes; `home` is the built runtime's folder."""

    name = "bare"

    def __init__(self, home: Path) -> None:
        self._home = home

    def verify(self) -> None:
        """Do nothing: there is no isolation to verify."""

    def start(self, command: Command) -> Process:
        return BareProcess(command, self._home)
