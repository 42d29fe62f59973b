"""Starts one container, up to the point before foreign code runs.

Theory of operation. `enter.c` implements and explains the other side of this protocol. Each container gets a
listening socket, which is mounted into it. One connection is accepted, and then the listening socket is
closed. The program receives everything over this connection: files, arguments, and descriptors. If a step
fails, the container is removed, and no foreign code has run.
"""

import contextlib
import os
import secrets
import socket
import struct
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from sandbox.backend import IsolationUnavailable
from sandbox.cgroup import ControlGroup
from sandbox.containers.container import Container
from sandbox.containers.engine import Engine
from sandbox.spec import below_work
from sandbox.watch import Inherited

_TICK_S = 1.0
_START_S = 30.0
_READY, _FILE, _GO, _STARTED, _FAILED = b"R", b"F", b"G", b"S", b"!"
_GO_PACKET = struct.Struct("=c3xII")  # kind, arguments, variables
_PACKET_BYTES = 4096
_CREDENTIALS = struct.Struct("3i")


@dataclass(frozen=True, slots=True)
class ContainerLaunch:
    """All parameters of a start; see the module's docstring.

    `configure` returns the engine's request for a path of the socket, which is in `sockets`. `descriptors`
    are for the container and stay open here. `memory_mib` is the memory limit at the start. `release` is
    called with the container's id when the container can be removed.
    """

    engine: Engine
    name: str
    configure: Callable[[Path], dict[str, object]]
    sockets: Path
    argv: tuple[str, ...]
    environment: Mapping[str, str]
    files: Mapping[str, bytes]
    descriptors: Mapping[Inherited, int]
    memory_mib: int
    open_work: bool
    release: Callable[[str], None]

    def start(self) -> Container:
        """Create and start the container.

        Raises IsolationUnavailable with the error of the engine or `enter`.
        """
        files = {str(below_work(name).relative_to("/work")): data for name, data in self.files.items()}
        with contextlib.ExitStack() as undo, contextlib.ExitStack() as ours:
            container, judge = self._connect(undo)
            work = _expect(judge, _READY)
            (undo if self.open_work else ours).callback(os.close, work)
            for name, data in files.items():
                contents = ours.enter_context(_memory_file(data))
                _send(judge, _FILE + name.encode(), [contents.fileno()])
            words = ours.enter_context(_memory_file(self._words()))
            go = _GO_PACKET.pack(_GO, len(self.argv), len(self.environment))
            _send(judge, go, [words.fileno(), *self._outputs()])
            _expect(judge, _STARTED)
            init = _peer(judge)
            undo.pop_all()
        return Container(
            engine=self.engine,
            container=container,
            judge=judge,
            work=work if self.open_work else None,
            init=init,
            group=ControlGroup.of(init) if init else None,
            memory_mib=self.memory_mib,
            release=self.release,
        )

    def explain(self, error: IsolationUnavailable, said: str) -> IsolationUnavailable:
        """Return the error with the output of the program before it failed, if any."""
        return IsolationUnavailable(f"{error}: {said}") if said else error

    def _connect(self, undo: contextlib.ExitStack) -> tuple[str, socket.socket]:
        """Create the container and accept its only connection."""
        with contextlib.ExitStack() as listening:
            path = self.sockets / secrets.token_hex(8)
            listener = listening.enter_context(_listener(path))
            listening.callback(path.unlink)
            container = self.engine.create(self.name, self.configure(path))
            undo.callback(self.release, container)
            self.engine.start(container)
            judge = undo.enter_context(self._accept(listener, container))
        judge.settimeout(_START_S)
        return container, judge

    def _accept(self, listener: socket.socket, container: str) -> socket.socket:
        listener.settimeout(_TICK_S)
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            with contextlib.suppress(TimeoutError):
                return listener.accept()[0]
            state = self.engine.state(container)
            if not state.running:
                raise IsolationUnavailable(
                    f"a container ended with status {state.code} before it started: {state.error}"
                )
        raise IsolationUnavailable("a container did not start in time; is the machine overloaded?")

    def _words(self) -> bytes:
        words = (*self.argv, *(f"{name}={value}" for name, value in self.environment.items()))
        return b"".join(os.fsencode(word) + b"\0" for word in words)

    def _outputs(self) -> list[int]:
        slots = (Inherited.STDOUT, Inherited.STDERR, Inherited.CHANNEL)
        return [self.descriptors[slot] for slot in slots if slot in self.descriptors]


def _listener(path: Path) -> socket.socket:
    """Listen on a new socket at `path`, which may be longer than an address can hold."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        listener.bind(f"/proc/self/fd/{folder}/{path.name}")
        path.chmod(0o666)  # its folder is private; the program's id must be able to connect
        listener.listen(1)
    except OSError as error:
        listener.close()
        raise IsolationUnavailable(f"no socket can be made in {path.parent}: {error}") from error
    finally:
        os.close(folder)
    return listener


def _expect(judge: socket.socket, word: bytes) -> int:
    """Wait for `word`. Returns the descriptor that came with it, -1 if there was none."""
    try:
        said, descriptors, _, _ = socket.recv_fds(judge, _PACKET_BYTES, 1)
    except TimeoutError as error:
        raise IsolationUnavailable("a container was not ready in time; is the machine overloaded?") from error
    except ConnectionError:
        said, descriptors = b"", []
    if said != word:
        words = said.removeprefix(_FAILED).decode(errors="replace") or "it ended"
        raise IsolationUnavailable(f"a container could not be set up: {words}")
    return descriptors[0] if descriptors else -1


def _send(judge: socket.socket, packet: bytes, descriptors: list[int]) -> None:
    """Send `packet`. If `enter` has failed, `_expect` receives the reason."""
    with contextlib.suppress(ConnectionError):
        socket.send_fds(judge, [packet], descriptors)


def _peer(judge: socket.socket) -> int:
    """Return the process id of `enter` on this host, 0 if it is not visible."""
    said = judge.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return int(_CREDENTIALS.unpack(said)[0])


def _memory_file(content: bytes) -> FileIO:
    file = FileIO(os.memfd_create("words", os.MFD_CLOEXEC), "r+b")
    file.write(content)
    return file
