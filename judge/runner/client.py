"""The judge's side of the protocol with one sandboxed process: a runner or the oracle.

Theory of operation. The only answer to a request is its sequence number. The write end of the diagnostics
pipe is passed to the process with LOAD. While waiting, the judge drains this pipe, so that the process never
blocks; it keeps a bounded part and drops the rest. The wait ends with a member of `ReplyStatus`. None of
these is a verdict: the process can only report that it is done, or exit.

A `RunnerChannel` only needs the channel, so a process other than the one that started the sandbox can hold
it. A `RunnerClient` is a channel that also owns the sandbox.
"""

import contextlib
import os
import select
import socket
import time
from collections.abc import Callable, Sequence
from enum import Enum, auto
from types import TracebackType
from typing import Self

from judge.evidence.diagnostics import MAX_BYTES, parse_diagnostics
from judge.report import Diagnostic
from sandbox.backend import Process
from sandbox.spec import Completion
from sandbox.wire import (
    REPLY_BYTES,
    Request,
    RequestKind,
    RunFlag,
    WireArgument,
    send_request,
    unpack_reply,
)

_POLL_S = 0.05
_EXIT_S = 2.0
_CHUNK_BYTES = 65536
_MOST_CHUNKS = 64  # at a time; a pipe of any size holds less


class ReplyStatus(Enum):
    """The result of a request."""

    DONE = auto()
    DIED = auto()
    TIMED_OUT = auto()
    CANCELLED = auto()
    BROKE_PROTOCOL = auto()


class RunnerChannel:
    """Sends requests over `channel` to one sandboxed process that has reported ready.

    The caller keeps ownership of `channel`, and must close this object.
    """

    def __init__(self, channel: socket.socket, cancelled: Callable[[], bool]) -> None:
        self._channel = channel
        self._cancelled = cancelled
        self._sequence = 0
        self._read_end, self._write_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._said = bytearray()
        self._listening = True
        self._sent = False
        self._readable = select.poll()
        self._readable.register(self._read_end, select.POLLIN)
        self._readable.register(channel, select.POLLIN)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All findings of the process about the program until now."""
        self._drain()
        return parse_diagnostics(bytes(self._said))

    def hear_no_more(self) -> None:
        """Drop further output of the process, because it may contain traces of secret contents."""
        self._drain()
        self._listening = False

    def prepare(self, *, timeout_s: float) -> ReplyStatus:
        """Make the process open its GPU, before it loads any foreign code."""
        self.send_prepare()
        return self.answer(timeout_s=timeout_s)

    def send_prepare(self, *, devices: int = 1) -> None:
        """Send the request of `prepare` for this many GPUs, without waiting. Call `answer` later."""
        self._send(RequestKind.PREPARE, (), devices=devices)

    def load(self, *contents: bytes, timeout_s: float) -> ReplyStatus:
        """Load `contents`, each passed as a separate file."""
        files = [memory_file(content) for content in contents]
        try:
            self._send(RequestKind.LOAD, [self._write_end, *files])
        finally:
            for file in files:
                os.close(file)
        return self.answer(timeout_s=timeout_s)

    def run(
        self,
        arguments: tuple[WireArgument, ...],
        descriptors: Sequence[int],
        *,
        timeout_s: float,
        time_limit_ms: int = 0,
        flags: RunFlag = RunFlag.NONE,
        seed: int = 0,
        devices: int = 1,
    ) -> ReplyStatus:
        """Run once on `arguments`. The process enforces `time_limit_ms`, and the judge `timeout_s`."""
        self._send(
            RequestKind.RUN,
            descriptors,
            arguments=arguments,
            time_limit_ms=time_limit_ms,
            flags=flags,
            seed=seed,
            devices=devices,
        )
        return self.answer(timeout_s=timeout_s)

    def open_timing(
        self,
        page: int,
        arguments: tuple[WireArgument, ...],
        descriptors: Sequence[int],
        *,
        sets: int,
        time_limit_ms: int = 0,
    ) -> None:
        """Open a timed session over the memory of `page` and the descriptors of `sets` argument sets.

        An order on the page ends the session. Then `answer` returns the answer to this request. No other
        request may be sent before. `hung_up` says whether the session is still open.
        """
        self._send(
            RequestKind.TIME,
            [page, *descriptors],
            arguments=arguments,
            time_limit_ms=time_limit_ms,
            sets=sets,
        )

    def hung_up(self) -> ReplyStatus | None:
        """Return why a timed session has ended, or None if it is still open.

        Any data from the process in the middle of a session ends it, even the right answer, because it is
        early.
        """
        if self._cancelled():
            return ReplyStatus.CANCELLED
        answer = self._look(0) if self._sent else ReplyStatus.DIED
        return ReplyStatus.BROKE_PROTOCOL if answer is ReplyStatus.DONE else answer

    def answer(self, *, timeout_s: float) -> ReplyStatus:
        """Wait for the answer to the last request."""
        deadline = time.monotonic() + timeout_s
        while self._sent:
            if self._cancelled():
                return ReplyStatus.CANCELLED
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                return ReplyStatus.TIMED_OUT
            if answer := self._look(min(left_s, _POLL_S)):
                return answer
        return ReplyStatus.DIED

    def send_quit(self) -> None:
        """Ask the process to exit. There is no answer."""
        self._send(RequestKind.QUIT, ())

    def close(self) -> None:
        """Release the resources of this object."""
        for descriptor in (self._read_end, self._write_end):
            if descriptor >= 0:
                os.close(descriptor)
        self._read_end = self._write_end = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _send(
        self,
        kind: RequestKind,
        descriptors: Sequence[int],
        *,
        arguments: tuple[WireArgument, ...] = (),
        time_limit_ms: int = 0,
        flags: RunFlag = RunFlag.NONE,
        seed: int = 0,
        sets: int = 0,
        devices: int = 1,
    ) -> None:
        self._sequence += 1
        request = Request(kind, self._sequence, arguments, time_limit_ms, flags, seed, sets, devices)
        try:
            send_request(self._channel, request, descriptors)
            self._sent = True
        except OSError:
            self._sent = False

    def _look(self, patience_s: float) -> ReplyStatus | None:
        """Drain the diagnostics, and read the answer if it arrives within `patience_s`."""
        readable = {descriptor for descriptor, _ in self._readable.poll(patience_s * 1000)}
        if self._read_end in readable:
            self._drain()
        return self._read_answer() if self._channel.fileno() in readable else None

    def _read_answer(self) -> ReplyStatus:
        try:
            data = self._channel.recv(REPLY_BYTES + 1)
        except OSError:
            return ReplyStatus.DIED
        if not data:
            return ReplyStatus.DIED
        return ReplyStatus.DONE if unpack_reply(data) == self._sequence else ReplyStatus.BROKE_PROTOCOL

    def _drain(self) -> None:
        """Read a bounded amount of available output, so that an endless writer cannot delay deadlines."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(_MOST_CHUNKS):
                chunk = os.read(self._read_end, _CHUNK_BYTES)
                if self._listening:
                    self._said += chunk[: max(0, MAX_BYTES - len(self._said))]


class RunnerClient(RunnerChannel):
    """A channel that owns the process at the other end. `close` ends the process."""

    def __init__(self, process: Process, cancelled: Callable[[], bool]) -> None:
        super().__init__(process.channel, cancelled)
        self._process = process

    def end(self, *, patience_s: float = _EXIT_S) -> Completion:
        """Return how the process ended. Kills it if it is still alive after `patience_s`."""
        return end(self._process, patience_s=patience_s)

    def quit(self) -> Completion:
        """Ask the process to exit, and return how it ended."""
        self.send_quit()
        return self.end()

    def close(self) -> None:
        """End the process and release everything."""
        self._process.close()
        super().close()


def end(process: Process, *, patience_s: float = _EXIT_S) -> Completion:
    """Return how `process` ended. Kills it if it is still alive after `patience_s`."""
    try:
        return process.wait(patience_s)
    except TimeoutError:
        process.kill()
        return process.wait(_EXIT_S)


def memory_file(content: bytes) -> int:
    """Return the descriptor of new memory that holds `content`. The caller must close it."""
    descriptor = os.memfd_create("warpcourt-load", os.MFD_CLOEXEC)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
