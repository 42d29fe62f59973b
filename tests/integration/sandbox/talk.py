"""The host's side of the wire, as small as it can be: for tests of the runners alone."""

import json
import mmap
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sandbox.backend import Backend
from sandbox.spec import Command, Completion
from sandbox.wire import Flag, Kind, Page, Request, WireArgument, send_request, unpack_reply

GUARD = 4096
Argument = np.ndarray[Any, Any] | tuple[str, int]


class Talk:
    """One conversation with a runner."""

    def __init__(self, backend: Backend, command: Command) -> None:
        self.process = backend.start(command)
        self.process.channel.settimeout(60)
        self._sequence = 0
        self._read_end, self._write_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        assert self._answer() == 0

    def prepare(self) -> bool:
        return self._ask(Kind.PREPARE, [])

    def load(self, source: str, manifest: Mapping[str, object]) -> bool:
        return self.load_files(source.encode(), json.dumps(manifest).encode())

    def load_files(self, *contents: bytes) -> bool:
        files = [_memory(content) for content in contents]
        try:
            return self._ask(Kind.LOAD, [self._write_end, *files])
        finally:
            for file in files:
                os.close(file)

    def run(self, arguments: Sequence[Argument], **rest: Any) -> bool:
        """Run on arrays, which are filled in place, and on scalars as (dtype, bits).

        An array may come as (array, "bfloat16") through `dtypes`.
        """
        wire = wire_of(arguments, rest.pop("dtypes", {}))
        memory = memory_of(arguments)
        try:
            done = self._ask(Kind.RUN, memory, arguments=wire, **rest)
            read_back(arguments, memory)
            return done
        finally:
            for descriptor in memory:
                os.close(descriptor)

    def start_session(self, *sets: Sequence[Argument]) -> "Session":
        """Open a timed session over `sets`; give orders on it, then `end_session`."""
        session = Session(sets)
        self._sequence += 1
        request = Request(Kind.TIME, self._sequence, wire_of(sets[0], {}), sets=len(sets))
        send_request(self.process.channel, request, session.descriptors)
        return session

    def end_session(self, session: "Session") -> bool:
        """End it, and say whether that was answered."""
        session.order(0, 0)
        answered = self._answer() == self._sequence
        session.close()
        return answered

    def findings(self) -> list[dict[str, Any]]:
        try:
            said = os.read(self._read_end, 1 << 20)
        except BlockingIOError:
            return []
        return [json.loads(line) for line in said.splitlines()]

    def end(self) -> Completion:
        return self.process.wait(30)

    def close(self) -> None:
        self.process.close()
        os.close(self._read_end)
        os.close(self._write_end)

    def __enter__(self) -> "Talk":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, kind: Kind, descriptors: Sequence[int], **rest: Any) -> bool:
        self._sequence += 1
        send_request(self.process.channel, Request(kind, self._sequence, **rest), descriptors)
        return self._answer() == self._sequence

    def _answer(self) -> int | None:
        try:
            return unpack_reply(self.process.channel.recv(64))
        except ConnectionResetError:
            return None


class Session:
    """The referee's end of a timed session."""

    def __init__(self, sets: Sequence[Sequence[Argument]]) -> None:
        self._sets = sets
        self._memory = [memory_of(arguments) for arguments in sets]
        page = _memory(bytes(Page.BYTES))
        self.descriptors = [page, *(descriptor for memory in self._memory for descriptor in memory)]
        self._page = mmap.mmap(page, Page.BYTES)
        self._words = memoryview(self._page).cast("Q")

    @property
    def self_reported_ns(self) -> int:
        return self._words[Page.SELF_REPORTED_NS // 8]

    def order(self, first: int, count: int, timeout_s: float = 30) -> float:
        """Order calls and wait for them. Returns seconds from go to done."""
        words = self._words
        words[Page.SET // 8] = first
        words[Page.COUNT // 8] = count
        number = words[Page.GO // 8] + 1
        started = time.perf_counter()
        words[Page.GO // 8] = number
        while words[Page.DONE // 8] != number:
            assert time.perf_counter() - started < timeout_s, "the order was not carried out"
        took_s = time.perf_counter() - started
        for arguments, memory in zip(self._sets, self._memory, strict=True):
            read_back(arguments, memory)
        return took_s

    def close(self) -> None:
        self._words.release()
        self._page.close()
        for descriptor in self.descriptors:
            os.close(descriptor)


def wire_of(arguments: Sequence[Argument], dtypes: Mapping[int, str]) -> tuple[WireArgument, ...]:
    """The arguments as a request describes them, each array in a descriptor of its own."""
    wire: list[WireArgument] = []
    arrays = 0
    for index, argument in enumerate(arguments):
        if isinstance(argument, tuple):
            wire.append(WireArgument(argument[0], True, value=argument[1]))
            continue
        dtype = dtypes.get(index, str(argument.dtype))
        wire.append(WireArgument(dtype, False, arrays, GUARD, argument.nbytes, 0, tuple(argument.shape)))
        arrays += 1
    return tuple(wire)


def memory_of(arguments: Sequence[Argument]) -> list[int]:
    """A memfd with guard bands for each array."""
    return [_memory(bytes(GUARD) + array.tobytes() + bytes(GUARD)) for array in _arrays(arguments)]


def read_back(arguments: Sequence[Argument], memory: Sequence[int]) -> None:
    """Fill the arrays with what their memory holds."""
    for array, descriptor in zip(_arrays(arguments), memory, strict=True):
        data = os.pread(descriptor, array.nbytes, GUARD)
        array[...] = np.frombuffer(data, array.dtype).reshape(array.shape)


def _arrays(arguments: Sequence[Argument]) -> list[np.ndarray[Any, Any]]:
    return [argument for argument in arguments if not isinstance(argument, tuple)]


def _memory(content: bytes) -> int:
    descriptor = os.memfd_create("test", os.MFD_CLOEXEC)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


__all__ = ["Flag", "Talk"]
