"""A fake process on the other side of the wire: a function in a thread of the test."""

import contextlib
import mmap
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sandbox.spec import Completion, Limits, Termination
from sandbox.wire import Request, RequestKind, receive_request, send_reply


@dataclass
class Actor:
    """The parameter of a script: the requests, their arrays, and the socket."""

    channel: socket.socket
    diagnostics: int = -1
    request: Request = field(default_factory=lambda: Request(RequestKind.QUIT, 0))
    descriptors: list[int] = field(default_factory=list)
    maps: list[mmap.mmap] = field(default_factory=list)

    def receive(self) -> RequestKind | None:
        """Wait for the next request; None when the host has hung up."""
        received = receive_request(self.channel)
        if received is None:
            return None
        self.request, self.descriptors = received
        if self.request.kind is RequestKind.LOAD:
            self.diagnostics = self.descriptors[0]
        return self.request.kind

    def array(self, index: int, dtype: str = "uint8") -> npt.NDArray[np.generic]:
        """The live payload of argument `index` of the current request."""
        argument = self.request.arguments[index]
        shared = mmap.mmap(self.descriptors[argument.descriptor], 0)
        self.maps.append(shared)
        view = np.frombuffer(shared, np.uint8)[argument.offset : argument.offset + argument.bytes]
        return view.view(dtype)

    def answer(self) -> None:
        """Report that the current request is done."""
        send_reply(self.channel, self.request.sequence)


class ScriptedProcess:
    """A `sandbox.backend.Process` that runs `script` in a thread. It starts no program."""

    def __init__(self, script: Callable[[Actor], None], completion: Completion | None = None) -> None:
        self.channel, inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._completion = completion or Completion(Termination.EXITED, 0, b"", b"", 0.1, 0.1, None)
        self.killed = threading.Event()
        self._thread = threading.Thread(target=self._play, args=(script, inside), daemon=True)
        self._thread.start()

    def _play(self, script: Callable[[Actor], None], inside: socket.socket) -> None:
        with inside, contextlib.suppress(OSError):  # the host may hang up at any time
            script(Actor(inside))

    @property
    def pids(self) -> tuple[int, ...]:
        return ()

    def begin(self, limits: Limits) -> None:
        """Do nothing: there are no limits."""

    def wait(self, timeout_s: float | None = None) -> Completion:
        self._thread.join(timeout_s)
        if self._thread.is_alive() and not self.killed.is_set():
            raise TimeoutError
        return self._completion

    def kill(self) -> None:
        self.killed.set()

    def close(self) -> None:
        self.kill()
        self.channel.close()


def serve(on_run: Callable[[Actor], None]) -> Callable[[Actor], None]:
    """A well-behaved script: answers every LOAD, and every RUN after `on_run`."""

    def script(actor: Actor) -> None:
        while kind := actor.receive():
            if kind is RequestKind.QUIT:
                return
            if kind is RequestKind.RUN:
                on_run(actor)
            actor.answer()

    return script
