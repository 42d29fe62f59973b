"""The client of a GPU's secret pool. A secret pool process keeps sets that were drawn in advance.

Theory of operation. `take` returns sets that were drawn before. The caller reserves missing sets, lets an
oracle fill them, and commits them. If no secret pool process (`judge.gpu.pool.server`) runs, the client
starts one under a lock. If the process ends, its sets are lost, and the client repeats the request to a new
process, which only costs time. A judgement keeps its sets through their descriptors.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.drawn import CaseData, layout
from judge.errors import JudgeError
from judge.gpu.pool.server import MESSAGE_BYTES, lock
from problems.schema import Case, Problem
from sandbox.descriptors import readable
from sandbox.spec import SandboxGpu

_START_S = 30.0
_ANSWER_S = 30.0
_END_S = 5.0
_POLL_S = 0.01
_TRIES = 5
_MOST_DESCRIPTORS = 64
_PROTOCOL = 2  # in the socket's name, so that clients do not connect to an older version
_LOG_BYTES = 2000
_NO_MPS = "no-mps"  # a pipe directory without a daemon


class SecretPoolUnavailable(JudgeError):
    """Raised if a secret pool does not start, with the end of its log, or if its GPU has no free memory."""


@dataclass(frozen=True, slots=True)
class SecretPoolSettings:
    """Settings of a secret pool: rotation (`judge.gpu.pool.store.Rotation`) and idle time before exit."""

    budget_mib: int = 16384
    max_uses: int = 32
    max_age_s: float = 900.0
    idle_s: float = 900.0


@dataclass(frozen=True, slots=True)
class PoolReservation:
    """A set to be filled. The caller must close `drawn`."""

    number: int
    drawn: CaseData


class SecretPool:
    """The secret pool of the card `uuid`, in memory of `gpu`, or of this host if None. Thread-safe.

    `directory` is the runtime directory, which only this user may access.
    """

    def __init__(
        self, directory: Path, uuid: str, *, gpu: SandboxGpu | None, settings: SecretPoolSettings
    ) -> None:
        self._directory = directory
        self._uuid = uuid
        self._gpu = gpu
        self._settings = settings
        self._path = directory / f"secret_pool-{uuid}.{_PROTOCOL}"
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._hits = self._misses = 0

    @property
    def asked(self) -> Mapping[str, int]:
        """Return counters of this object's requests: sets that were in stock, and sets that were missing."""
        return {"hits": self._hits, "misses": self._misses}

    def take(
        self, problem: Problem, case: Case, count: int, *, keep: int, once: bool
    ) -> tuple[tuple[CaseData, ...], int]:
        """Return up to `count` sets of `case`, and how many to make so that `keep` unused sets are in stock.

        With `once`, the secret pool never issues these sets again. The caller must close the sets. Raises
        SecretPoolUnavailable.
        """
        sets, lacking = self._take(problem, case, count, keep=keep, once=once)
        self._hits += len(sets)
        self._misses += count - len(sets)
        return sets, lacking

    def take_all(self, problem: Problem, case: Case, count: int) -> tuple[CaseData, ...]:
        """Return `count` sets of `case` that were missing a moment ago, or none if fewer are in stock now.

        Raises SecretPoolUnavailable.
        """
        if self._look(problem, case)["sets"] < count:
            return ()
        sets, _ = self._take(problem, case, count, keep=0, once=False)
        if len(sets) == count:
            return sets
        for drawn in sets:  # in the meantime, another client took a set
            drawn.close()
        return ()

    def fresh(self, problem: Problem, case: Case) -> int:
        """Return the number of unused sets of `case`, including those being filled.

        Raises SecretPoolUnavailable.
        """
        return self._look(problem, case)["fresh"]

    def coming(self, problem: Problem, case: Case) -> int:
        """Return the number of sets of `case` that are being filled. Raises SecretPoolUnavailable."""
        return self._look(problem, case)["coming"]

    def reserve(self, problem: Problem, case: Case, *, keep: int = 0) -> PoolReservation | None:
        """Reserve memory for a set of `case`. With `keep`, the set is for stock.

        Returns None if it is not needed.

        Raises SecretPoolUnavailable, also if the GPU has no free memory.
        """
        parts, size_bytes = layout(problem, case)
        asked = {"do": "reserve", "key": _key(problem, case), "size_bytes": size_bytes, "keep": keep}
        answer, descriptors = self._ask(asked)
        if "error" in answer:
            raise SecretPoolUnavailable(
                f"the GPU {self._uuid} has no memory for case {case.name}: {answer['error']}"
            )
        if not descriptors:
            return None
        return PoolReservation(int(answer["number"]), CaseData(case, parts, size_bytes, descriptors[0]))

    def commit(self, reservation: PoolReservation, *, used: bool) -> None:
        """Report that the set is filled and may be issued. With `used`, the caller uses it too."""
        self._tell({"do": "commit", "number": reservation.number, "used": used})

    def drop(self, reservation: PoolReservation) -> None:
        """Cancel the reservation. The secret pool forgets the set."""
        self._tell({"do": "drop", "number": reservation.number})

    @property
    def pid(self) -> int:
        """Return the id of the secret pool process. Raises SecretPoolUnavailable."""
        return self.counts()["pid"]

    def counts(self) -> Mapping[str, int]:
        """Return the secret pool's stock and its counters."""
        answer, _ = self._ask({"do": "counts"})
        return {name: int(value) for name, value in answer.items()}

    def close(self) -> None:
        """Disconnect. The secret pool process runs on for other clients, and exits when idle."""
        with self._lock:
            self._hang_up()

    def end(self) -> None:
        """End the secret pool process if one runs, and wait until its memory is free.

        The owner of a runtime directory calls this before deleting it. Other clients start a new secret pool.
        """
        with self._lock:
            self._hang_up()
            secret_pool = self._reach()
        if secret_pool is None:
            return
        with secret_pool, contextlib.suppress(OSError, ValueError):  # it may be exiting already
            answer, _ = self._exchange(secret_pool, {"do": "counts"})
            _end(int(answer["pid"]))

    def _take(
        self, problem: Problem, case: Case, count: int, *, keep: int, once: bool
    ) -> tuple[tuple[CaseData, ...], int]:
        key = _key(problem, case)
        asked = {"do": "take", "key": key, "count": count, "keep": keep, "once": once}
        answer, descriptors = self._ask(asked)
        parts, size_bytes = layout(problem, case)
        sets = tuple(CaseData(case, parts, size_bytes, descriptor) for descriptor in descriptors)
        return sets, int(answer["lacking"])

    def _look(self, problem: Problem, case: Case) -> Mapping[str, int]:
        answer, _ = self._ask({"do": "look", "key": _key(problem, case)})
        return {name: int(value) for name, value in answer.items()}

    def _tell(self, asked: Mapping[str, object]) -> None:
        """Send a request that would be useless to a new secret pool.

        Fails silently if the process has ended.
        """
        with self._lock:
            if self._socket is not None:
                with contextlib.suppress(OSError, ValueError):
                    self._exchange(self._socket, asked)
                    return
                self._hang_up()

    def _ask(self, asked: Mapping[str, object]) -> tuple[Mapping[str, Any], Sequence[int]]:
        """Send a request. If the secret pool process has ended or is exiting, repeat it to a new process."""
        with self._lock:
            for _ in range(_TRIES):
                if self._socket is None:
                    self._socket = self._connect()
                try:
                    return self._exchange(self._socket, asked)
                except (OSError, ValueError):
                    self._hang_up()
                    time.sleep(_POLL_S)
        raise SecretPoolUnavailable(
            f"the secret pool for {self._uuid} exits at startup; see {self._log_path}"
        )

    def _exchange(
        self, secret_pool: socket.socket, asked: Mapping[str, object]
    ) -> tuple[Mapping[str, Any], Sequence[int]]:
        secret_pool.send(json.dumps(asked).encode())
        said, descriptors, _, _ = socket.recv_fds(
            secret_pool, MESSAGE_BYTES, _MOST_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
        )
        if not said:
            raise ConnectionResetError("the secret pool closed the connection")
        return json.loads(said), descriptors

    def _hang_up(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    @property
    def _log_path(self) -> Path:
        return self._path.with_suffix(".log")

    def _connect(self) -> socket.socket:
        if found := self._reach():
            return found
        self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        with lock(self._path):
            return self._reach() or self._start()

    def _reach(self) -> socket.socket | None:
        secret_pool = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        secret_pool.settimeout(_ANSWER_S)
        try:
            secret_pool.connect(str(self._path))
        except OSError:
            secret_pool.close()
            return None
        return secret_pool

    def _start(self) -> socket.socket:
        settings = self._settings
        argv = [sys.executable, "-m", "judge.gpu.pool.server", "--socket", str(self._path)]
        argv += ["--memory", "device" if self._gpu else "host", "--budget-mib", str(settings.budget_mib)]
        argv += ["--max-uses", str(settings.max_uses), "--max-age-s", str(settings.max_age_s)]
        argv += ["--idle-s", str(settings.idle_s)]
        with self._log_path.open("wb") as log:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=Path(__file__).resolve().parents[3],
                env=self._environment(),
                start_new_session=True,
            )
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            if found := self._reach():
                _disown(process)
                return found
            if process.poll() is not None:
                break
            time.sleep(_POLL_S)
        process.kill()
        process.wait()
        said = self._log_path.read_text(errors="replace")[-_LOG_BYTES:]
        raise SecretPoolUnavailable(f"the secret pool for {self._uuid} did not start: {said}")

    def _environment(self) -> dict[str, str]:
        """Return an environment with only the library paths, since the process needs no credentials."""
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        if self._gpu is None:
            return kept
        pipes = self._gpu.mps_directory or self._directory / _NO_MPS
        return kept | {"CUDA_MPS_PIPE_DIRECTORY": str(pipes), "CUDA_VISIBLE_DEVICES": self._gpu.uuid}


def _key(problem: Problem, case: Case) -> str:
    return f"{problem.slug}/{problem.version}/{case.name}"


def _end(pid: int) -> None:
    """End a secret pool process and wait until it has exited."""
    process = os.pidfd_open(pid)
    try:
        for number in (signal.SIGTERM, signal.SIGKILL):
            signal.pidfd_send_signal(process, number)
            if readable(process, _END_S):
                return
    finally:
        os.close(process)


def _disown(process: "subprocess.Popen[bytes]") -> None:
    """Let the process outlive this one. If it ends earlier, reap it."""
    threading.Thread(target=process.wait, name="secret_pool-reaper", daemon=True).start()
