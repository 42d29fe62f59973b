"""A minimal host side of the wire, for tests of the runners only."""

import json
import mmap
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sandbox.backend import Backend
from sandbox.spec import Command, Completion
from sandbox.wire import (
    FLAGS_BYTES,
    Flags,
    Page,
    PageOrder,
    Request,
    RequestKind,
    RunFlag,
    WireArgument,
    send_request,
    unpack_reply,
)

GUARD = 4096
Argument = np.ndarray[Any, Any] | tuple[str, int]


class HostShare:
    """Arrays in memfds, with guard bands. `tests/gpu` has the same for device memory."""

    def put(self, array: np.ndarray[Any, Any]) -> int:
        """Return a descriptor of memory that contains `array` after GUARD bytes."""
        return memory_file(bytes(GUARD) + array.tobytes() + bytes(GUARD))

    def read(self, descriptor: int, count: int) -> bytes:
        """Return `count` bytes of an array that was put there."""
        return os.pread(descriptor, count, GUARD)

    def put_flags(self) -> int:
        """Return a descriptor of memory for the flags of a timed session."""
        return memory_file(bytes(FLAGS_BYTES))

    def read_flag(self, descriptor: int, at: int) -> int:
        """Return one of the flags."""
        return int.from_bytes(os.pread(descriptor, 8, at), "little")

    def write_flag(self, descriptor: int, at: int, number: int) -> None:
        """Set one of the flags."""
        os.pwrite(descriptor, number.to_bytes(8, "little"), at)

    def whole(self, array: np.ndarray[Any, Any]) -> int:
        """Return the size of the memory for the request."""
        return 2 * GUARD + array.nbytes

    def drop(self, descriptor: int) -> None:
        """Close the descriptor."""
        os.close(descriptor)


class Talk:
    """One conversation with a runner."""

    def __init__(self, backend: Backend, command: Command, share: HostShare | None = None) -> None:
        self.share = share or HostShare()
        self.process = backend.start(command)
        self.process.channel.settimeout(60)
        self._sequence = 0
        self._read_end, self._write_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        assert self._answer() == 0

    def prepare(self) -> bool:
        return self._ask(RequestKind.PREPARE, [])

    def load(self, source: str, manifest: Mapping[str, object]) -> bool:
        return self.load_files(source.encode(), json.dumps(manifest).encode())

    def load_files(self, *contents: bytes) -> bool:
        files = [memory_file(content) for content in contents]
        try:
            return self._ask(RequestKind.LOAD, [self._write_end, *files])
        finally:
            for file in files:
                os.close(file)

    def run(self, arguments: Sequence[Argument], **rest: Any) -> bool:
        """Run on arrays, which are filled in place, and on scalars as (dtype, bits).

        `dtypes` marks arrays as bfloat16, for example, and `stated` has the stated values of a case. `memory`
        says where the program gets all arrays: those in host memory are memfds on a GPU, too.
        """
        place = rest.pop("memory", "device")
        share = HostShare() if place != "device" else self.share
        wire = wire_of(arguments, share, rest.pop("dtypes", {}), place)
        stated = [memory_file(content) for content in (rest.pop("stated", None),) if content is not None]
        memory = [share.put(array) for array in _arrays(arguments)]
        try:
            done = self._ask(RequestKind.RUN, [*memory, *stated], arguments=wire, **rest)
            read_back(arguments, memory, share)
            return done
        finally:
            for descriptor in stated:
                os.close(descriptor)
            for descriptor in memory:
                share.drop(descriptor)

    def start_session(self, *sets: Sequence[Argument], flags: bool = False) -> "Session":
        """Open a timed session over `sets`. Give orders in it, then call `end_session`.

        `flags` is for GPU runners.
        """
        session = Session(sets, self.share, flags=flags)
        self._sequence += 1
        wire = wire_of(sets[0], self.share, {})
        request = Request(RequestKind.TIME, self._sequence, wire, sets=len(sets))
        send_request(self.process.channel, request, session.descriptors)
        return session

    def end_session(self, session: "Session") -> bool:
        """End the session, and return whether the runner answered."""
        session.give(0, PageOrder.END)
        answered = self._answer() == self._sequence
        session.close()
        return answered

    def findings(self) -> list[dict[str, Any]]:
        try:
            said = os.read(self._read_end, 1 << 20)
        except BlockingIOError:
            return []
        return [json.loads(line) for line in said.splitlines()]

    def quit(self) -> None:
        self._sequence += 1
        send_request(self.process.channel, Request(RequestKind.QUIT, self._sequence), [])

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

    def _ask(self, kind: RequestKind, descriptors: Sequence[int], **rest: Any) -> bool:
        self._sequence += 1
        send_request(self.process.channel, Request(kind, self._sequence, **rest), descriptors)
        return self._answer() == self._sequence

    def _answer(self) -> int | None:
        try:
            return unpack_reply(self.process.channel.recv(64))
        except ConnectionResetError:
            return None


def wait_until(true: Callable[[], bool], timeout_s: float = 30) -> None:
    """Wait until it is true."""
    deadline = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < deadline


class Session:
    """The referee's end of a timed session."""

    def __init__(self, sets: Sequence[Sequence[Argument]], share: HostShare, *, flags: bool) -> None:
        self._sets = sets
        self._share = share
        self._memory = [[share.put(array) for array in _arrays(arguments)] for arguments in sets]
        self._flags = [share.put_flags()] if flags else []
        self._page_descriptor = memory_file(bytes(Page.BYTES))
        arrays = (descriptor for memory in self._memory for descriptor in memory)
        self.descriptors = [self._page_descriptor, *self._flags, *arrays]
        self._page = mmap.mmap(self._page_descriptor, Page.BYTES)
        self._words = memoryview(self._page).cast("Q")
        self.number = 0

    def give(self, number: int, kind: PageOrder = PageOrder.CALLED) -> None:
        """Order one call with set `number`."""
        self.number += 1
        self._words[Page.SET // 8] = number
        self._words[Page.KIND // 8] = kind
        self._words[Page.ORDER // 8] = self.number

    def open(self) -> None:
        """Start the call of the last order, for any kind of order."""
        self._words[Page.GO // 8] = self.number
        for flags in self._flags:
            self._share.write_flag(flags, Flags.GO, self.number)

    @property
    def queued(self) -> bool:
        """Return whether the runner reports the last order as queued."""
        return self._words[Page.QUEUED // 8] == self.number

    @property
    def done(self) -> bool:
        """Return whether the runner reports the last order as done."""
        return self._words[Page.DONE // 8] == self.number

    @property
    def done_flag(self) -> int:
        """Return the number of the last completed order, as the device reports it."""
        (flags,) = self._flags
        return self._share.read_flag(flags, Flags.DONE)

    def order(self, number: int, kind: PageOrder = PageOrder.CALLED, *, timeout_s: float = 30) -> float:
        """Order one call, start it and wait for it. Return the seconds from the start."""
        self.give(number, kind)
        started = time.perf_counter()
        self.open()
        while not self.done:
            assert time.perf_counter() - started < timeout_s, "the order was not carried out"
        return time.perf_counter() - started

    def read_back(self) -> None:
        """Fill the arrays of all sets with the contents of their memory."""
        for arguments, memory in zip(self._sets, self._memory, strict=True):
            read_back(arguments, memory, self._share)

    def close(self) -> None:
        self._words.release()
        self._page.close()
        os.close(self._page_descriptor)
        for descriptor in self.descriptors[1:]:
            self._share.drop(descriptor)


def wire_of(
    arguments: Sequence[Argument], share: HostShare, dtypes: Mapping[int, str], memory: str = "device"
) -> tuple[WireArgument, ...]:
    """Return the arguments as a request describes them, each array in a separate descriptor."""
    wire: list[WireArgument] = []
    arrays = 0
    for index, argument in enumerate(arguments):
        if isinstance(argument, tuple):
            wire.append(WireArgument(argument[0], True, value=argument[1]))
            continue
        dtype, shape = dtypes.get(index, str(argument.dtype)), tuple(argument.shape)
        place = (arrays, GUARD, argument.nbytes, share.whole(argument))
        wire.append(WireArgument(dtype, False, *place, shape, memory))
        arrays += 1
    return tuple(wire)


def read_back(arguments: Sequence[Argument], memory: Sequence[int], share: HostShare) -> None:
    """Fill the arrays with the contents of their memory."""
    for array, descriptor in zip(_arrays(arguments), memory, strict=True):
        data = share.read(descriptor, array.nbytes)
        array[...] = np.frombuffer(data, array.dtype).reshape(array.shape)


def _arrays(arguments: Sequence[Argument]) -> list[np.ndarray[Any, Any]]:
    return [argument for argument in arguments if not isinstance(argument, tuple)]


def memory_file(content: bytes) -> int:
    """Return a memfd that contains `content`."""
    descriptor = os.memfd_create("test", os.MFD_CLOEXEC)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


__all__ = ["RunFlag", "Talk"]
