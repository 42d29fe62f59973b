"""Our side of the wire with one sandboxed process: a runner, or the oracle.

Theory of operation. Each request is answered by its sequence number or not at all. While waiting we
drain the diagnostics pipe, whose write end the process got with LOAD, so that it can never block on
us; we keep a bounded part and drop the rest. What ends the wait is one of `Answer`, and none of them
is a verdict: the process can only say that it is done, or stop.
"""

import contextlib
import os
import select
import time
from collections.abc import Callable, Sequence
from enum import Enum, auto
from types import TracebackType
from typing import Self

from judge.diagnostics import MAX_BYTES, parse_diagnostics
from judge.report import Diagnostic
from sandbox.backend import Process
from sandbox.spec import Completion
from sandbox.wire import (
    REPLY_BYTES,
    Flag,
    Kind,
    Request,
    WireArgument,
    send_request,
    unpack_reply,
)

_POLL_S = 0.05
_EXIT_S = 2.0


class Answer(Enum):
    """How waiting for an answer ended."""

    DONE = auto()
    DIED = auto()
    TIMED_OUT = auto()
    CANCELLED = auto()
    BROKE_PROTOCOL = auto()


class Conversation:
    """Requests to one sandboxed process that has reported ready. Owns the process; close it."""

    def __init__(self, process: Process, cancelled: Callable[[], bool]) -> None:
        self._process = process
        self._cancelled = cancelled
        self._sequence = 0
        self._read_end, self._write_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._said = bytearray()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the process has said about the program so far."""
        self._drain()
        return parse_diagnostics(bytes(self._said))

    def load(self, *contents: bytes, timeout_s: float) -> Answer:
        """Hand over what to load, each content as a file of its own."""
        files = [_memory_file(content) for content in contents]
        try:
            return self._exchange(Kind.LOAD, [self._write_end, *files], timeout_s)
        finally:
            for file in files:
                os.close(file)

    def run(
        self,
        arguments: tuple[WireArgument, ...],
        descriptors: Sequence[int],
        *,
        timeout_s: float,
        time_limit_ms: int = 0,
        flags: Flag = Flag.NONE,
        seed: int = 0,
    ) -> Answer:
        """Run once on `arguments`. `time_limit_ms` is the process's own limit, `timeout_s` ours."""
        return self._exchange(
            Kind.RUN,
            descriptors,
            timeout_s,
            arguments=arguments,
            time_limit_ms=time_limit_ms,
            flags=flags,
            seed=seed,
        )

    def end(self, *, patience_s: float = _EXIT_S) -> Completion:
        """How the process ended. One that is still alive after `patience_s` is killed."""
        try:
            return self._process.wait(patience_s)
        except TimeoutError:
            self._process.kill()
            return self._process.wait(_EXIT_S)

    def quit(self) -> Completion:
        """Ask the process to leave, and say how it ended."""
        with contextlib.suppress(OSError):
            send_request(self._process.channel, Request(Kind.QUIT, self._sequence + 1))
        return self.end()

    def close(self) -> None:
        """End the process and release everything."""
        self._process.close()
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

    def _exchange(
        self,
        kind: Kind,
        descriptors: Sequence[int],
        timeout_s: float,
        *,
        arguments: tuple[WireArgument, ...] = (),
        time_limit_ms: int = 0,
        flags: Flag = Flag.NONE,
        seed: int = 0,
    ) -> Answer:
        self._sequence += 1
        request = Request(kind, self._sequence, arguments, time_limit_ms, flags, seed)
        try:
            send_request(self._process.channel, request, descriptors)
        except OSError:
            return Answer.DIED
        return self._await_answer(timeout_s)

    def _await_answer(self, timeout_s: float) -> Answer:
        channel = self._process.channel
        deadline = time.monotonic() + timeout_s
        while True:
            if self._cancelled():
                return Answer.CANCELLED
            left = deadline - time.monotonic()
            if left <= 0:
                return Answer.TIMED_OUT
            watched = [channel.fileno(), self._read_end]
            readable, _, _ = select.select(watched, [], [], min(left, _POLL_S))
            if self._read_end in readable:
                self._drain()
            if channel.fileno() in readable:
                return self._read_answer()

    def _read_answer(self) -> Answer:
        try:
            data = self._process.channel.recv(REPLY_BYTES + 1)
        except OSError:
            return Answer.DIED
        if not data:
            return Answer.DIED
        return Answer.DONE if unpack_reply(data) == self._sequence else Answer.BROKE_PROTOCOL

    def _drain(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(self._read_end, 65536):
                self._said += chunk[: max(0, MAX_BYTES - len(self._said))]


def _memory_file(content: bytes) -> int:
    descriptor = os.memfd_create("warpcourt-load", os.MFD_CLOEXEC)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
