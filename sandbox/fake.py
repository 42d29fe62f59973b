"""A backend that runs nothing and plays scripts of tests instead. It ships with the product.

    backend = FakeBackend([
        Script(ready=True, replies=[Reply(1), Reply(2)]),
        Script(completion=exited(85, stderr=b"no solve")),
    ])

Each `start` takes the next script. A script with a channel answers each message with its next reply, on a
separate thread. After the last reply, it ends with its completion, as a process would.
"""

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from sandbox.backend import IsolationUnavailable
from sandbox.spec import Command, Completion, Limits, Termination
from sandbox.wire import REQUEST_BYTES, send_reply

_MAX_DESCRIPTORS = 32


def exited(status: int = 0, *, stdout: bytes = b"", stderr: bytes = b"") -> Completion:
    """Return the completion of a program that exited."""
    return Completion(Termination.EXITED, status, stdout, stderr, 0.01, 0.01, 1 << 20)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to one message: `raw` bytes if given, else the sequence number.

    `act` is called before the answer, with the message and its descriptors, which are closed afterwards. It
    may fill buffers, as a runner would.
    """

    sequence: int = 0
    raw: bytes | None = None
    act: Callable[[bytes, Sequence[int]], None] | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """The script of one fake sandbox: report ready, answer, end. With `hangs` it ends only when killed."""

    completion: Completion = field(default_factory=exited)
    ready: bool = False
    replies: Sequence[Reply] = ()
    hangs: bool = False


class FakeProcess:
    """A sandbox that follows a script. Implements `sandbox.backend.Process`."""

    def __init__(self, command: Command, script: Script) -> None:
        self.command = command
        self.begun: list[Limits] = []
        self.closed = False
        self._script = script
        self._killed = threading.Event()
        self._ended = threading.Event()
        self._channel, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    @property
    def channel(self) -> socket.socket:
        """Our end of the socket. Raises ValueError if the command asked for none."""
        if not self.command.channel:
            raise ValueError(f"the command of {self.command.label!r} asked for no channel")
        return self._channel

    @property
    def pids(self) -> tuple[int, ...]:
        """None: nothing runs."""
        return ()

    def begin(self, limits: Limits) -> None:
        """Record that limits count from now."""
        self.begun.append(limits)

    def wait(self, timeout_s: float | None = None) -> Completion:
        """The scripted end. Raises TimeoutError while there are replies left."""
        if not self._ended.wait(timeout_s):
            raise TimeoutError(f"{self.command.label} is still running")
        end = self._script.completion
        return replace(end, ending=Termination.KILLED, status=9) if self._killed.is_set() else end

    def kill(self) -> None:
        """End it now."""
        if not self._ended.is_set():
            self._killed.set()
            with contextlib.suppress(OSError):
                self._theirs.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End it and release the socket."""
        self.kill()
        self._thread.join()
        self._channel.close()
        self.closed = True

    def _play(self) -> None:
        with self._theirs, contextlib.suppress(OSError):
            if self._script.ready:
                send_reply(self._theirs, 0)
            for reply in self._script.replies:
                if not self._answer(reply):
                    break
            if self._script.hangs:
                self._killed.wait()
        self._ended.set()

    def _answer(self, reply: Reply) -> bool:
        message, descriptors, _, _ = socket.recv_fds(self._theirs, REQUEST_BYTES, _MAX_DESCRIPTORS)
        try:
            if not message:
                return False
            if reply.act is not None:
                reply.act(message, descriptors)
            if reply.raw is None:
                send_reply(self._theirs, reply.sequence)
            else:
                self._theirs.send(reply.raw)
            return True
        finally:
            for descriptor in descriptors:
                os.close(descriptor)


class FakeBackend:
    """Hands out scripted processes in order. Implements `sandbox.backend.Backend`."""

    def __init__(self, scripts: Iterable[Script] = (), *, unavailable: str = "") -> None:
        self.started: list[FakeProcess] = []
        self._scripts = iter(scripts)
        self._unavailable = unavailable
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """`fake`."""
        return "fake"

    def verify(self) -> None:
        """Raise IsolationUnavailable with the text given as `unavailable`, if any."""
        if self._unavailable:
            raise IsolationUnavailable(self._unavailable)

    def start(self, command: Command) -> FakeProcess:
        """The next script. Raises IsolationUnavailable when there is none left."""
        self.verify()
        with self._lock:
            script = next(self._scripts, None)
            if script is None:
                raise IsolationUnavailable(f"no script left for {command.label!r}")
            process = FakeProcess(command, script)
            self.started.append(process)
        return process
