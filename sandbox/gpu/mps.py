"""The MPS daemon of a GPU: NVIDIA's Multi-Process Service, through which processes share it.

Theory of operation. Each GPU has a control daemon with a pipe directory of its own; the daemon starts one
server, which makes the GPU's contexts for all clients. `-multiuser-server` lets clients of different users
in, which they are: the referees run as the worker's user, each container as a user of its own.

- *Who reaches it.* The directories are the worker's alone. A container gets the one socket `control` mounted,
  through which it can make contexts and read lists; everything that changes something asks for the daemon's
  own user or root.
- *Starting.* Any worker process may call `ensure`; a lock lets one of them start the daemon. The daemon gets
  no environment but what it needs: it must not carry the worker's secrets.
- *Faults.* A fault of one client ends the contexts of all clients, and the server says FAULT and takes nobody
  until these have closed. `terminate` takes one client's work off the GPU and leaves the others alone, so
  it has to come before SIGKILL, which would count as a fault.
- *Trust.* What a client's own environment says about limits is not a boundary, and neither is MPS itself.
  A process that does not find the daemon runs beside it without a word: ask `clients` whether it is one.

Commands go through `nvidia-cuda-mps-control`, two milliseconds each, and never wait without a limit.
"""

import contextlib
import fcntl
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

BINARY = "nvidia-cuda-mps-control"
_PROCESS_NAME = BINARY[:15]  # of control daemon and server, as the kernel shortens it
_PIPE_VARIABLE = "CUDA_MPS_PIPE_DIRECTORY"
_HANDED_ON = ("PATH", "LD_LIBRARY_PATH")  # all that the daemon gets of our environment
_LONGEST_SOCKET = "/control_privileged"
_SOCKET_PATH_BYTES = 107  # Source: unix(7), sun_path without its final zero
_START_S = 10.0
_POLL_S = 0.02
_ANSWER_BYTES = 1 << 20
_NUMBER = re.compile(r"[0-9]{1,10}")
_MISSING = (
    f"{BINARY} is not on the PATH: it comes with the driver (package nvidia-compute-utils-<version> on "
    "Ubuntu, nvidia-cuda-mps on Debian). Without MPS, GPUs can be time-sliced instead: set WARPCOURT_MPS=no"
)
_NOT_ROOT = (
    "MPS lets containers in, which run as other users, only if root started it: run the worker as root, "
    "or have GPUs time-sliced: set WARPCOURT_MPS=no"
)


class MpsUnavailable(Exception):
    """Raised when a GPU cannot be shared through MPS now. The message has the cause and the fix."""


class MpsRefused(MpsUnavailable):
    """Raised when the daemon refuses a command: it belongs to another user."""


class ServerState(StrEnum):
    """What a server says of itself. In `FAULT` it takes no client until all that it has are gone."""

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

    `client_memory_mib` is what a client may allocate unless it asks for less, 0 for no limit.
    `binary` is the control program, which gets `patience_s` for a command. Any number of objects, threads and
    processes may serve the same GPU.
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
        self._binary = binary
        self._patience_s = patience_s
        if len(os.fsencode(self.pipe_directory)) + len(_LONGEST_SOCKET) > _SOCKET_PATH_BYTES:
            raise MpsUnavailable(
                f"{self.pipe_directory} is too long a path for sockets: choose a shorter runtime directory"
            )

    @property
    def pipe_directory(self) -> Path:
        """Where clients find the daemon: what `CUDA_MPS_PIPE_DIRECTORY` has to name."""
        return self._home / "pipe"

    @property
    def log_directory(self) -> Path:
        """Where daemon and server write `control.log` and `server.log`."""
        return self._home / "log"

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
        for pid in _numbers(self._command("get_server_list")):
            try:
                state = _state(self._command(f"get_server_status {pid}"))
                found.append(Server(pid, state, self._clients_of(pid)))
            except MpsUnavailable:
                if pid in _numbers(self._command("get_server_list")):
                    raise  # it is not that the server has ended meanwhile
        return tuple(found)

    def clients(self) -> tuple[int, ...]:
        """The processes that use the GPU through this MPS, by their ids on the host."""
        servers = _numbers(self._command("get_server_list"))
        return tuple(pid for server in servers for pid in self._clients_of(server))

    def terminate(self, pid: int) -> bool:
        """Take the work of client `pid` off the GPU; others go on. False when it is no client (any more).

        Its pending and later CUDA calls fail with error 810. The process itself lives on: kill it then.

        Raises:
            MpsRefused: the daemon belongs to another user.
        """
        for server in _numbers(self._command("get_server_list")):
            if pid in self._clients_of(server):
                said = self._command(f"terminate_client {server} {pid}").strip()
                if said and not _NUMBER.fullmatch(said) and pid in self._clients_of(server):
                    raise MpsUnavailable(f"MPS did not terminate client {pid}: {said}")
                return True
        return False

    def healthy(self) -> bool:
        """Whether the daemon answers, and its server takes clients."""
        try:
            return all(server.state is ServerState.ACTIVE for server in self.servers())
        except MpsUnavailable:
            return False

    def stop(self) -> None:
        """End daemon and server, and with them the contexts of all clients. Safe to call again."""
        with self._starting():
            self._stop()

    def restart(self) -> None:
        """End daemon and server and start new ones. Every client's context is lost. Raises MpsUnavailable."""
        with self._starting():
            self._stop()
            self._start()

    def _clients_of(self, server: int) -> tuple[int, ...]:
        try:
            return _numbers(self._command(f"get_client_list {server}"))
        except MpsUnavailable:
            if server in _numbers(self._command("get_server_list")):
                raise
            return ()

    def _answers(self) -> bool:
        try:
            self._command("get_server_list")
        except MpsRefused:
            raise
        except MpsUnavailable:
            return False
        return True

    def _start(self) -> None:
        if os.geteuid() != 0:
            raise MpsUnavailable(_NOT_ROOT)
        for directory in (self.pipe_directory, self.log_directory):
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir(mode=0o700)
        self._run([self._program(), "-d", "-multiuser-server"], limit_s=_START_S)
        deadline = time.monotonic() + _START_S
        while not self._answers():
            if time.monotonic() > deadline:
                raise MpsUnavailable(f"the MPS daemon did not come up{self._log_end()}")
            time.sleep(_POLL_S)
        if self._client_memory_mib:
            self._command(f"set_default_device_pinned_mem_limit 0 {self._client_memory_mib}M")
        with contextlib.suppress(MpsUnavailable):  # else the first client has it started, in 0.2 s
            self._command(f"start_server -uid {os.geteuid()}", limit_s=_START_S)

    def _stop(self) -> None:
        with contextlib.suppress(MpsUnavailable):
            self._command("quit")
        deadline = time.monotonic() + self._patience_s
        while any(True for _ in self._strays()) and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        self._kill_strays()

    def _kill_strays(self) -> None:
        """Kill daemons and servers of this directory that cannot be spoken to."""
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
        wanted = f"{_PIPE_VARIABLE}={self.pipe_directory}".encode()
        for folder in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if (
                    folder.name.isdecimal()
                    and (folder / "comm").read_text().strip() == _PROCESS_NAME
                    and wanted in (folder / "environ").read_bytes().split(b"\0")
                ):
                    yield int(folder.name)

    def _command(self, command: str, *, limit_s: float | None = None) -> str:
        """What the daemon answers."""
        try:
            self.pipe_directory.joinpath("control").stat()
        except PermissionError as error:
            raise MpsRefused(f"{error}: MPS belongs to another user; {_NOT_ROOT}") from error
        except OSError as error:
            raise MpsUnavailable(f"no MPS daemon runs in {self.pipe_directory}") from error
        said = self._run([self._program()], command + "\n", limit_s=limit_s or self._patience_s)
        if "insufficient privileges" in said.lower():
            raise MpsRefused(
                f"the MPS daemon in {self.pipe_directory} refuses {command!r}: it belongs to another user. "
                "Run the worker as the user that started the daemon (root, as a rule)"
            )
        return said

    def _run(self, argv: list[str], said: str = "", *, limit_s: float) -> str:
        environment = {name: os.environ[name] for name in _HANDED_ON if name in os.environ} | {
            "CUDA_VISIBLE_DEVICES": self.uuid,
            _PIPE_VARIABLE: str(self.pipe_directory),
            "CUDA_MPS_LOG_DIRECTORY": str(self.log_directory),
        }
        what = said.strip() or "starting MPS"
        with tempfile.TemporaryFile() as answer:  # a pipe would be held open by the daemon that this starts
            try:
                done = subprocess.run(
                    argv,
                    input=said.encode(),
                    env=environment,
                    stdout=answer,
                    stderr=subprocess.STDOUT,
                    timeout=limit_s,
                    check=False,
                    cwd="/",
                )
            except subprocess.TimeoutExpired as error:
                raise MpsUnavailable(f"{what} took more than {limit_s:g} s{self._log_end()}") from error
            except OSError as error:
                raise MpsUnavailable(f"{argv[0]} does not run: {error}") from error
            answer.seek(0)
            text = answer.read(_ANSWER_BYTES).decode(errors="replace")
        if done.returncode:
            raise MpsUnavailable(f"{what} failed: {text.strip()}{self._log_end()}")
        return text

    def _program(self) -> str:
        found = shutil.which(self._binary)
        if found is None:
            raise MpsUnavailable(_MISSING)
        return found

    def _log_end(self) -> str:
        with contextlib.suppress(OSError):
            lines = (self.log_directory / "control.log").read_text(errors="replace").splitlines()
            return "; its log ends: " + " / ".join(lines[-3:])
        return ""

    @contextlib.contextmanager
    def _starting(self) -> Iterator[None]:
        """Let one process at a time start or stop this daemon."""
        try:
            self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(self._home / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise MpsUnavailable(f"{error}; {_NOT_ROOT}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def _numbers(said: str) -> tuple[int, ...]:
    """The process ids in an answer, one a line. Raises MpsUnavailable for anything else."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    strange = [line for line in lines if not _NUMBER.fullmatch(line)]
    if strange:
        raise MpsUnavailable(f"the MPS daemon said {strange[0][:200]!r} where process ids were expected")
    return tuple(map(int, lines))


def _state(said: str) -> ServerState:
    try:
        return ServerState(said.strip().upper())
    except ValueError as error:
        raise MpsUnavailable(f"the MPS daemon said {said.strip()[:200]!r} of its server's state") from error
