"""The MPS daemon of a GPU: NVIDIA's Multi-Process Service, through which processes share it.

Theory of operation. Each GPU has a control daemon with its own pipe directory. The daemon starts one server,
which creates the GPU's contexts for all clients. `-multiuser-server` allows clients of different users,
because referees run as the worker's user and each container as another user.

- *Access.* Only the worker can access the directories. The socket `control` is mounted into containers.
  Through it, they can create contexts and read lists. Commands that change something require the daemon's own
  user or root.
- *Starting.* Any worker process may call `ensure`, and a lock lets only one of them start the daemon. A new
  daemon has a new socket, so a container with the old socket cannot reach it; see `born`.
- *Faults.* A fault of one client ends the contexts of all clients. The server then reports FAULT and accepts
  no client until these have closed. `terminate` ends one client's work on the GPU without affecting others,
  so it must come before SIGKILL, which would count as a fault. After a fault, no client has work left, and a
  server that is told to terminate a client hangs.
- *Trust.* Limits in a client's own environment are not a security boundary, and neither is MPS itself. A
  process that does not find the daemon silently runs outside MPS, so callers must check `clients`.

Commands to the daemon go through `mps_control` and take two milliseconds each.
"""

import contextlib
import fcntl
import logging
import math
import os
import shutil
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sandbox.gpu.mps_control import (
    BINARY,
    NOT_ROOT,
    PIPE_VARIABLE,
    Control,
    MpsRefused,
    MpsUnavailable,
    is_number,
    numbers,
)
from sandbox.gpu.stopped import identity, wake

_log = logging.getLogger(__name__)

__all__ = ["BINARY", "Mps", "MpsRefused", "MpsUnavailable", "Server", "ServerState"]
_PROCESS_NAME = BINARY[:15]  # of control daemon and server, as the kernel shortens it
_LONGEST_SOCKET = "/control_privileged"
_SOCKET_PATH_BYTES = 107  # Source: unix(7), sun_path without its final zero
_TERMINATE_S = 2.0  # takes milliseconds, unless the server hangs over a client
_START_S = 10.0
_POLL_S = 0.02


class ServerState(StrEnum):
    """The state that a server reports. In `FAULT` it accepts no client until all its clients are gone."""

    INITIALIZING = "INITIALIZING"
    ACTIVE = "ACTIVE"
    FAULT = "FAULT"


@dataclass(frozen=True, slots=True)
class Server:
    """An MPS server, by its process id on the host, and its clients by theirs."""

    pid: int
    state: ServerState
    clients: tuple[int, ...] = ()


class Mps:
    """The MPS of the GPU `uuid`, whose device file has the number `minor`, kept below `directory`.

    `client_memory_mib` is the memory limit of a client, 0 for no limit; a client can request a lower limit.
    `binary` is the control program, with a limit of `patience_s` for a command. Any number of objects,
    threads and processes may manage the same GPU.
    """

    def __init__(
        self,
        uuid: str,
        minor: int,
        directory: Path,
        *,
        client_memory_mib: int = 0,
        binary: str = BINARY,
        patience_s: float = 5.0,
    ) -> None:
        self.uuid = uuid
        self._home = directory / "mps" / str(minor)
        self._client_memory_mib = client_memory_mib
        self._patience_s = patience_s
        self._control = Control(uuid, self.pipe_directory, self.log_directory, binary, patience_s)
        self._asked: set[tuple[int, str]] = set()  # clients that MPS was asked to terminate
        if len(os.fsencode(self.pipe_directory)) + len(_LONGEST_SOCKET) > _SOCKET_PATH_BYTES:
            raise MpsUnavailable(
                f"the path {self.pipe_directory} is too long for a socket; choose a shorter runtime directory"
            )

    @property
    def pipe_directory(self) -> Path:
        """The daemon's pipe directory, for clients' `CUDA_MPS_PIPE_DIRECTORY`."""
        return self._home / "pipe"

    @property
    def log_directory(self) -> Path:
        """The folder in which daemon and server write `control.log` and `server.log`."""
        return self._home / "log"

    @property
    def born(self) -> tuple[int, int] | None:
        """An identity of the running daemon, derived from its socket; None if no daemon runs."""
        try:
            socket = (self.pipe_directory / "control").stat()
        except OSError:
            return None
        return socket.st_ino, socket.st_ctime_ns

    def ensure(self) -> None:
        """Start the daemon and its server unless they run.

        Raises:
            MpsUnavailable: the program is missing, or the daemon does not come up; with its log's end.
        """
        with self._starting():
            if self._answers() or self._answers():  # on a loaded host the first may take too long
                return
            self._kill_strays()
            self._start()

    def servers(self) -> tuple[Server, ...]:
        """The servers that run, at most one unless one is being replaced. Raises MpsUnavailable."""
        found = []
        for pid in numbers(self._control.ask("get_server_list")):
            try:
                state = _state(self._control.ask(f"get_server_status {pid}"))
                found.append(Server(pid, state, self._clients_of(pid)))
            except MpsUnavailable:
                if pid in numbers(self._control.ask("get_server_list")):
                    raise  # the server has not ended in between
        return tuple(found)

    def clients(self) -> tuple[int, ...]:
        """The processes that use the GPU through this MPS, by their ids on the host."""
        servers = numbers(self._control.ask("get_server_list"))
        return tuple(pid for server in servers for pid in self._clients_of(server))

    def terminate(self, pid: int) -> bool:
        """Terminate the work of client `pid` on the GPU; others continue. False if it is not a client.

        Also False if the server has faulted, because then no client has work left.

        Its pending and later CUDA calls fail with error 810. The process itself survives: kill it afterwards.
        A client that was stopped by a signal is continued, since MPS waits for its answer. MPS gets the
        command only once for each client: while it waits for a client, it answers no other command about this
        client.

        Raises:
            MpsRefused: the daemon belongs to another user.
            MpsUnavailable: the client does not answer. The caller must kill it, even if other clients fail.
        """
        client = identity(pid)
        if client in self._asked:
            return False
        for server in numbers(self._control.ask("get_server_list")):
            if pid in self._clients_of(server):
                if _state(self._control.ask(f"get_server_status {server}")) is ServerState.FAULT:
                    return False
                said = self._terminate(server, pid)
                if said and not is_number(said) and pid in self._clients_of(server):
                    raise MpsUnavailable(f"MPS did not terminate client {pid}: {said}")
                return True
        return False

    def healthy(self) -> bool:
        """Return whether the daemon answers and its server accepts clients."""
        return not self._illness()

    def stop(self) -> None:
        """End daemon and server, and with them the contexts of all clients. Safe to call again."""
        with self._starting():
            self._stop()

    def restart(self) -> None:
        """End daemon and server and start new ones. Every client's context is lost. Raises MpsUnavailable."""
        with self._starting():
            self._stop()
            self._start()

    def recover(self) -> None:
        """Replace a daemon whose server has faulted and does not recover.

        Safe for other clients, because after a fault none has a context left. Does nothing if it is healthy,
        or if its server is younger than 10 s and still initializing: on a GPU without persistence, that takes
        seconds.

        Raises:
            MpsUnavailable: the new daemon does not start.
        """
        with self._starting():
            # On a loaded host, the first answer may take too long.
            if reason := self._illness(_START_S) and self._illness(_START_S):
                _log.warning("mps_replaced: %s: %s", self.uuid, reason)
                self._kill_strays()
                self._start()

    def _illness(self, start_s: float = 0.0) -> str:
        """Return why the daemon and its server accept no clients, empty if they do.

        A server that is younger than `start_s` may still be initializing.
        """
        try:
            servers = self.servers()
        except MpsUnavailable as error:
            return str(error)
        return ", ".join(
            f"server {server.pid} is {server.state}"
            for server in servers
            if server.state is not ServerState.ACTIVE
            and not (server.state is ServerState.INITIALIZING and _age_s(server.pid) < start_s)
        )

    def _terminate(self, server: int, pid: int) -> str:
        self._asked = {known for known in self._asked if identity(known[0]) == known} | {identity(pid)}
        wake(pid)
        return self._control.ask(f"terminate_client {server} {pid}", limit_s=_TERMINATE_S).strip()

    def _clients_of(self, server: int) -> tuple[int, ...]:
        try:
            return numbers(self._control.ask(f"get_client_list {server}"))
        except MpsUnavailable:
            if server in numbers(self._control.ask("get_server_list")):
                raise
            return ()

    def _answers(self) -> bool:
        try:
            self._control.ask("get_server_list")
        except MpsRefused:
            raise
        except MpsUnavailable:
            return False
        return True

    def _start(self) -> None:
        if os.geteuid() != 0:
            raise MpsUnavailable(NOT_ROOT)
        for directory in (self.pipe_directory, self.log_directory):
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir(mode=0o700)
        self._control.run([self._control.program(), "-d", "-multiuser-server"], limit_s=_START_S)
        deadline = time.monotonic() + _START_S
        while not self._answers():
            if time.monotonic() > deadline:
                raise MpsUnavailable(f"the MPS daemon did not start{self._control.log_end()}")
            time.sleep(_POLL_S)
        if self._client_memory_mib:
            self._control.ask(f"set_default_device_pinned_mem_limit 0 {self._client_memory_mib}M")
        with contextlib.suppress(MpsUnavailable):  # else the first client has it started, in 0.2 s
            self._control.ask(f"start_server -uid {os.geteuid()}", limit_s=_START_S)

    def _stop(self) -> None:
        with contextlib.suppress(MpsUnavailable):
            self._control.ask("quit")
        deadline = time.monotonic() + self._patience_s
        while any(True for _ in self._strays()) and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        self._kill_strays()

    def _kill_strays(self) -> None:
        """Kill daemons and servers of this directory that do not answer."""
        for pid in self._strays():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + self._patience_s
        while any(True for _ in self._strays()):
            if time.monotonic() > deadline:
                raise MpsUnavailable(f"an old MPS process of {self.pipe_directory} cannot be killed")
            time.sleep(_POLL_S)

    def _strays(self) -> Iterator[int]:
        """Daemons and servers that were started with this pipe directory and still run."""
        wanted = f"{PIPE_VARIABLE}={self.pipe_directory}".encode()
        for folder in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if (
                    folder.name.isdecimal()
                    and (folder / "comm").read_text().strip() == _PROCESS_NAME
                    and wanted in (folder / "environ").read_bytes().split(b"\0")
                ):
                    yield int(folder.name)

    @contextlib.contextmanager
    def _starting(self) -> Iterator[None]:
        """Let one process at a time start or stop this daemon."""
        try:
            self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(self._home / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise MpsUnavailable(f"{error}; {NOT_ROOT}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def _age_s(pid: int) -> float:
    """The seconds since a process started; infinite if it has ended."""
    started = identity(pid)[1]
    if not started:
        return math.inf
    return time.clock_gettime(time.CLOCK_BOOTTIME) - int(started) / os.sysconf("SC_CLK_TCK")


def _state(said: str) -> ServerState:
    try:
        return ServerState(said.strip().upper())
    except ValueError as error:
        raise MpsUnavailable(
            f"the MPS daemon answered {said.strip()[:200]!r} of its server's state"
        ) from error
