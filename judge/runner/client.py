"""The judge's side of the wire to one sandboxed process: a runner or the oracle.

Theory of operation. Each request is answered by its sequence number or not at all. While waiting we
drain the diagnostics pipe, whose write end the process got with LOAD, so that it can never block on
us; we keep a bounded part and drop the rest. The wait ends with a member of `ReplyStatus`, and none of them
is a verdict: the process can only say that it is done, or stop.

A `RunnerChannel` needs the channel alone, so that it can be held by a process other than the one that
started the sandbox. A `RunnerClient` is an exchange that owns the sandbox too.
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
_MOST_CHUNKS = 64  # at a time; a pipe holds less, whatever size its writer gives it


class ReplyStatus(Enum):
    """How a request ended."""

    DONE = auto()
    DIED = auto()
    TIMED_OUT = auto()
    CANCELLED = auto()
    BROKE_PROTOCOL = auto()


class RunnerChannel:
    """Requests over `channel` to one sandboxed process that has reported ready. Close it.

    The channel stays the caller's.
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
        """The process's findings about the program, up to now."""
        self._drain()
        return parse_diagnostics(bytes(self._said))

    def hear_no_more(self) -> None:
        """Drop further output of the process, because it may contain traces of secret contents."""
        self._drain()
        self._listening = False

    def prepare(self, *, timeout_s: float) -> ReplyStatus:
        """Have the process open its GPU, before it sees any foreign code."""
        self.send_prepare()
        return self.answer(timeout_s=timeout_s)

    def send_prepare(self, *, devices: int = 1) -> None:
        """Ask for what `prepare` does with that many GPUs. Leave the waiting, with `answer`, to later."""
        self._send(RequestKind.PREPARE, (), devices=devices)

    def load(self, *contents: bytes, timeout_s: float) -> ReplyStatus:
        """Hand over what to load, each content as a file of its own."""
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
        """Run once on `arguments`. `time_limit_ms` is the process's own limit, `timeout_s` ours."""
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

        It is answered, see `answer`, when an order on the page has ended it; nothing else may be asked
        for until then. `hung_up` says whether it still goes on.
        """
        self._send(
            RequestKind.TIME,
            [page, *descriptors],
            arguments=arguments,
            time_limit_ms=time_limit_ms,
            sets=sets,
        )

    def hung_up(self) -> ReplyStatus | None:
        """Why no more orders of a timed session will be followed, or None while it goes on.

        What the process sends in the middle of a session ends it, the right answer too: it is early.
        """
        if self._cancelled():
            return ReplyStatus.CANCELLED
        answer = self._look(0) if self._sent else ReplyStatus.DIED
        return ReplyStatus.BROKE_PROTOCOL if answer is ReplyStatus.DONE else answer

    def answer(self, *, timeout_s: float) -> ReplyStatus:
        """Wait for the answer to what was asked for last."""
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
        """Ask the process to leave. There is no answer."""
        self._send(RequestKind.QUIT, ())

    def close(self) -> None:
        """Release what the exchange itself holds."""
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
        """Drain what was said, and read the answer if there is one within `patience_s`."""
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
        """Take what is there. A process that writes without end must not keep us from our deadlines."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(_MOST_CHUNKS):
                chunk = os.read(self._read_end, _CHUNK_BYTES)
                if self._listening:
                    self._said += chunk[: max(0, MAX_BYTES - len(self._said))]


class RunnerClient(RunnerChannel):
    """An exchange that owns the process at the other end; closing ends it."""

    def __init__(self, process: Process, cancelled: Callable[[], bool]) -> None:
        super().__init__(process.channel, cancelled)
        self._process = process

    def end(self, *, patience_s: float = _EXIT_S) -> Completion:
        """Return how the process ended. Kills it if it is still alive after `patience_s`."""
        return end(self._process, patience_s=patience_s)

    def quit(self) -> Completion:
        """Ask the process to leave, and say how it ended."""
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
    """Return the descriptor of new memory that holds `content`; the caller's to close."""
    descriptor = os.memfd_create("warpcourt-load", os.MFD_CLOEXEC)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
