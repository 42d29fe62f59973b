"""The gate of the trusted clock on a GPU: lets one call through, and times it on the device.

Theory of operation. For each call, the referee queues several kernels (`gate.cu`) at once:

    draw      draws the places of the outputs that `watch` reads.
    hold      occupies every thread slot of every multiprocessor, which a grid-wide rendezvous proves. Only
              then does it copy the inputs, and poison or zeros to the outputs. It fills the instruction
              caches and sweeps the L2 cache, so that they hold nothing of the program. Then it opens the
              gate, continues to sweep, and frees the GPU at a time that it has set beforehand: the release.
              From the first byte of the inputs to the release, no other kernel can run.
    watch     one block that polls a thousand secret places of the outputs until the flag DONE is set, and
              once more after that. It records when it last saw a change. Then it reads as many other places
              once.
    copies    copies the outputs, which are then checked in full.
    moved     compares the last values that `watch` read with the copies: nothing may have changed since DONE.

The time of a call runs from the release to the last change, or to a fixed time before DONE if that is later
(`judge.clock.calls`). The program's work waits in its own stream behind the gate (`sandbox.wire`). It is
ready at the release, however long the host took to queue it. A program that sets DONE early cannot shorten
the time below the last change, because later changes are detected.

`watch` normally starts some microseconds after the release, so that the first wave of the program's blocks
finds the GPU empty. Calls that are over before it starts would seem to end when it starts. For these, it
waits only for the gate (`watch_first`) and starts before the program's kernels. The clock decides which of
the two to use (`judge.clock.calls`).

A cooperative grid that fills the GPU cannot start while `watch` has a slot. So `watch` gives way after 50 ms
without DONE. It then starts again when DONE is set (`late`), and only this second watch decides whether
outputs changed after DONE. If it has given way in two calls in succession, it starts late in all further
calls of the session. One such call proves nothing: on a busy host, the first call of a program can take as
long to load its kernels. The call ends when `watch` starts, so a late time is never too short, but a few
microseconds too long.

A program that never ends can occupy all slots, so that nothing else starts until it is killed. Therefore a
call that times out is left as it is: the flags are set by writes of the stream, which need no multiprocessor,
and nothing waits for the GPU. The program may overwrite these flags, so the referee sets them again when the
sandbox has ended (`give_up`).

%globaltimer changes every 32 ns to 1 us, depending on the GPU. The release happens at one of its ticks.
`watch` calibrates the clock of its multiprocessor with two more ticks, so times are finer than a tick.
"""

import contextlib
import os
import time
from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np

from judge.clock.contracts import CallObservation, Ordering
from judge.gpu.device.buffer import DeviceBuffer, pointer_of
from judge.gpu.device.errors import our_errors
from judge.gpu.device.kernels import Secret, source
from judge.gpu.device.places import shared_places
from judge.runner.memory import Buffer, PrivateBytes
from sandbox.runner.vmm import Allocation, Device, wait_for_value, write_value
from sandbox.wire import FLAGS_BYTES, Flags

_WATCHED = 1024  # places; as many others are read once
_WATCHERS = 256
_TOGETHER = 1  # gate.cu, Met
_LANDING = np.dtype([("to", "<u8"), ("from", "<u8"), ("bytes", "<u8")])
_OUTPUT = np.dtype([("live", "<u8"), ("copy", "<u8"), ("bytes", "<u8"), ("first", "<u4"), ("places", "<u4")])
_OBSERVATION = np.dtype(
    [
        *((name, "<u4") for name in ("came", "met", "landed", "all_landed", "swept", "gave_way")),
        ("release", "<u8"),
        *((name, "<f8") for name in ("last_ns", "done_ns")),
        *((name, "<u4") for name in ("moved", "unused")),
    ]
)
_PLACE_BYTES = 8 + 8 + 4  # gate.cu, Places
_WORD_BYTES = 4
_MOST = 64  # arrays to land, and output arrays, of a call
_PATIENCE_NS = 300_000  # for all blocks to become resident
_HOLD_NS = 16_000  # from gate to release: a stream sees the flag, and its kernel gets ready
_CALLED_HOLD_NS = 2_000  # if the host makes the call, which counts as time of the program
_TAIL_NS = 1_500
_GIVE_WAY_S = 0.05
_CALLS_BEFORE_LATE = 2  # calls in succession in which `watch` gave way
_AS_DONE = 1 << 62  # greater than the number of any order
_CYCLES_PER_S = 2.0e9  # of a multiprocessor, about
_LOOK_S = 0.0002
_FIRST = -5  # CUDA clamps it to the highest priority that the GPU has
_US = 1000.0
_PERSISTING_L2 = 6  # cudaLimitPersistingL2CacheSize


class DeviceGate:
    """Implements `judge.clock.contracts.CallGate` on the current GPU, for one session.

    Callers must close it.
    """

    def __init__(self, device: Device, stream: cupy.cuda.Stream, sweep: PrivateBytes) -> None:
        """`stream` is the stream of the referee; `sweep` is the memory that a sweep of the L2 cache reads."""
        with our_errors():
            self._stream = stream
            # If two kernels wait for the same slots, the kernel in the stream of higher priority gets them.
            self._second = cupy.cuda.Stream(non_blocking=True, priority=_FIRST)
            self._third = cupy.cuda.Stream(non_blocking=True)
            self._fourth = cupy.cuda.Stream(non_blocking=True)  # for `give_up`: nothing in it waits
            self._flags = Allocation.create(device, FLAGS_BYTES)
            self._flags.scrub()
            self.descriptor = self._flags.export()
            self._junk = (pointer_of(sweep, sweep.nbytes), sweep.nbytes // 16)
            module = cupy.RawModule(code=source("gate.cu"), options=("-std=c++17",))
            self._draw, self._hold, self._watch, self._moved = (
                module.get_function(name) for name in ("draw_places", "hold_gpu", "watch", "count_moved")
            )
            self._blocks, self._threads = _whole_gpu()
            self._memory = _Memory(stream)
            self._ticket = 0  # number of the last attempt; an order may need several attempts
            self._gave_way = 0  # number of the last calls in succession in which `watch` gave way
            self._stopped = False  # whether a call ended without DONE
            cupy.cuda.Stream.null.synchronize()  # the flags exist now; other work may still be running

    def call(
        self,
        orders: Ordering,
        landings: Sequence[tuple[Buffer, PrivateBytes]],
        outputs: Sequence[tuple[Buffer, PrivateBytes]],
        *,
        queued: bool,
        watch_first: bool,
        timeout_s: float,
    ) -> CallObservation:
        """Let the call of the last order through; see `judge.clock.contracts.CallGate`."""
        end = time.monotonic() + timeout_s
        with our_errors(), contextlib.suppress(_TimedOut):
            memory, number = self._memory, orders.number
            self._ticket += 1
            memory.begin(landings, outputs)
            self._draw_places(len(outputs))
            self._launch_hold(number, len(landings), _HOLD_NS if queued else _CALLED_HOLD_NS)
            if self._gave_way < _CALLS_BEFORE_LATE:
                if watch_first:
                    wait_for_value(self._second.ptr, int(memory.opened.data.ptr), self._ticket)
                over = self._launch_watch(self._second if watch_first else self._stream, number, outputs)
                self._await(orders, over, end, opening=not queued)
                found = memory.found()
                if not found.alone:
                    return found
                if not memory.gave_way:
                    self._gave_way = 0
                    return found
                self._gave_way += 1
            elif not self._has_opened(end):
                return CallObservation(alone=False, last_us=0.0, done_us=0.0)
            elif not queued:
                orders.open()
            wait_for_value(self._stream.ptr, self._flags.pointer + Flags.DONE, number)
            over = self._launch_watch(self._stream, number, outputs)
            self._await(orders, over, end)
            return memory.found()
        self._stopped = True
        return CallObservation(alone=True, last_us=0.0, done_us=0.0, timed_out=True)

    def close(self) -> None:
        """Release the flags. The runner must no longer use them.

        If a call ended without DONE, streams may still wait for the flags. Then they stay until this process
        ends.
        """
        os.close(self.descriptor)
        if not self._stopped:
            self._flags.close()

    def give_up(self) -> None:
        """Let the streams continue that still wait for a call which timed out. Does not wait for them.

        Callers repeat this until the streams have finished, because a program that still runs can overwrite
        DONE.
        """
        if self._stopped:
            with our_errors():
                write_value(self._fourth.ptr, self._flags.pointer + Flags.DONE, _AS_DONE)

    def _launch_hold(self, number: int, landings: int, hold_ns: int) -> None:
        memory, (junk, count) = self._memory, self._junk
        self._launch(
            self._hold,
            (self._blocks, self._threads),
            self._stream,
            *(memory.landings, np.uint32(landings), np.uint64(junk), np.uint64(count)),
            *(np.uint64(self._flags.pointer + Flags.GO), np.uint64(number), memory.opened),
            *(np.uint64(memory.told), np.uint64(self._ticket), memory.observation, np.uint64(_PATIENCE_NS)),
            *(np.uint64(hold_ns), np.uint64(min(_TAIL_NS, hold_ns)), memory.sink),
        )

    def _draw_places(self, outputs: int) -> None:
        memory, secret = self._memory, (np.uint32(word) for word in Secret.draw().words)
        shape = (1, _WATCHERS)
        self._launch(
            self._draw, shape, self._stream, memory.outputs, np.uint32(outputs), *secret, memory.places
        )

    def _launch_watch(
        self, stream: cupy.cuda.Stream, number: int, outputs: Sequence[tuple[Buffer, PrivateBytes]]
    ) -> cupy.cuda.Event:
        """Watch call `number` in `stream`. Then copy and compare the outputs in the stream of the referee.

        Returns the event after all of this.
        """
        memory = self._memory
        self._launch(
            self._watch,
            (1, _WATCHERS),
            stream,
            *(memory.places, np.uint64(self._flags.pointer + Flags.DONE), np.uint64(number)),
            *(memory.observation, memory.values, np.uint64(_GIVE_WAY_S * _CYCLES_PER_S)),
        )
        self._stream.wait_event(_event_in(stream))
        for buffer, copy in outputs:
            buffer.snapshot(copy)
        self._launch(
            self._moved,
            (1, _WATCHERS),
            self._stream,
            *(memory.places, memory.values, memory.observation),
        )
        memory.fetch()
        return _event_in(self._stream)

    def _has_opened(self, end: float) -> bool:
        """Wait until the gate opens. Returns False if it cannot, because it did not get the whole GPU."""
        while not (opened := self._memory.told_ticket == self._ticket) and not self._stream.done:
            _require_time(end)
        return opened or self._memory.told_ticket == self._ticket

    def _await(self, orders: Ordering, over: cupy.cuda.Event, end: float, *, opening: bool = False) -> None:
        """Wait for the event `over`. `opening`: first tell the runner to make the call when the gate opens.

        Raises OrderUnanswered if the runner ends before, and _TimedOut at `end`.
        """
        try:
            if opening and self._has_opened(end):
                orders.open()
            while not over.done:
                orders.require_alive()
                _require_time(end)
                time.sleep(_LOOK_S)
        except BaseException:
            self._stop(over)
            raise

    def _stop(self, over: cupy.cuda.Event) -> None:
        """Let everything that waits for DONE continue, and clear DONE after that. Does not wait for it."""
        self._stopped = True
        done = self._flags.pointer + Flags.DONE
        write_value(self._third.ptr, done, _AS_DONE)
        self._third.wait_event(over)
        write_value(self._third.ptr, done, 0)
        self._stream.wait_event(_event_in(self._third))

    @staticmethod
    def _launch(
        kernel: cupy.RawKernel, shape: tuple[int, int], stream: cupy.cuda.Stream, *arguments: object
    ) -> None:
        with stream:
            kernel((shape[0],), (shape[1],), arguments)


class _Memory:
    """Device memory of the gate's kernels, and its pinned counterparts on the host."""

    def __init__(self, stream: cupy.cuda.Stream) -> None:
        self._stream = stream
        with stream:
            self.landings = cupy.zeros(_MOST * _LANDING.itemsize, cupy.uint8)
            self.outputs = cupy.zeros(_MOST * _OUTPUT.itemsize, cupy.uint8)
            self.observation = cupy.zeros(_OBSERVATION.itemsize, cupy.uint8)
            self.places = cupy.zeros(2 * _WATCHED * _PLACE_BYTES, cupy.uint8)
            self.values = cupy.zeros(2 * _WATCHED, cupy.uint32)
            self.opened = cupy.zeros(1, cupy.uint64)
            self.sink = cupy.zeros(1, cupy.uint32)
        self._pinned = {
            name: _pinned(count, dtype)
            for name, count, dtype in (
                ("landings", _MOST, _LANDING),
                ("outputs", _MOST, _OUTPUT),
                ("observation", 1, _OBSERVATION),
                ("told", 1, np.dtype(np.uint64)),
            )
        }
        self.told = int(self._pinned["told"].ctypes.data)
        stream.synchronize()

    @property
    def told_ticket(self) -> int:
        """The number of the last attempt whose gate was opened."""
        return int(self._pinned["told"][0])

    def begin(
        self, landings: Sequence[tuple[Buffer, PrivateBytes]], outputs: Sequence[tuple[Buffer, PrivateBytes]]
    ) -> None:
        """Queue the upload of the tables of a call. Earlier calls must be over."""
        table = self._pinned["landings"]
        for row, (buffer, contents) in enumerate(landings):
            to = _device(buffer)
            table[row] = (to.payload, pointer_of(contents, to.size_bytes), to.size_bytes)
        self._upload("landings", self.landings)
        table = self._pinned["outputs"]
        buffers = [_device(buffer) for buffer, _ in outputs]
        shares = shared_places([-(-live.size_bytes // _WORD_BYTES) for live in buffers], _WATCHED)
        first = 0
        for row, (live, (_, copy), places) in enumerate(zip(buffers, outputs, shares, strict=True)):
            table[row] = (live.payload, pointer_of(copy, live.size_bytes), live.size_bytes, first, places)
            first += places
        self._upload("outputs", self.outputs)
        runtime = cupy.cuda.runtime
        runtime.memsetAsync(self.observation.data.ptr, 0, _OBSERVATION.itemsize, self._stream.ptr)

    def fetch(self) -> None:
        """Queue the copy of the observation to the host."""
        pinned, runtime = self._pinned["observation"], cupy.cuda.runtime
        runtime.memcpyAsync(
            *(pinned.ctypes.data, self.observation.data.ptr, pinned.nbytes),
            *(runtime.memcpyDeviceToHost, self._stream.ptr),
        )

    def found(self) -> CallObservation:
        """Return the fetched observation. The caller must have waited for it."""
        row = self._pinned["observation"][0]
        return CallObservation(
            alone=int(row["met"]) == _TOGETHER,
            last_us=float(row["last_ns"]) / _US,
            done_us=float(row["done_ns"]) / _US,
            moved=int(row["moved"]),
        )

    @property
    def gave_way(self) -> bool:
        """Whether `watch` gave way in the fetched observation."""
        return bool(self._pinned["observation"][0]["gave_way"])

    def _upload(self, name: str, to: PrivateBytes) -> None:
        pinned, runtime = self._pinned[name], cupy.cuda.runtime
        runtime.memcpyAsync(
            *(pointer_of(to, pinned.nbytes), pinned.ctypes.data, pinned.nbytes),
            *(runtime.memcpyHostToDevice, self._stream.ptr),
        )


class _TimedOut(Exception):
    """Raised when a call takes longer than its limit."""


def _require_time(end: float) -> None:
    if time.monotonic() >= end:
        raise _TimedOut


def _event_in(stream: cupy.cuda.Stream) -> cupy.cuda.Event:
    event = cupy.cuda.Event(disable_timing=True)
    event.record(stream)
    return event


def _pinned(count: int, dtype: "np.dtype[Any]") -> "np.ndarray[Any, np.dtype[Any]]":
    memory = cupy.cuda.alloc_pinned_memory(count * dtype.itemsize)
    array = np.frombuffer(memory, dtype, count)
    array[:] = np.zeros(count, dtype)
    return array


def _device(buffer: Buffer) -> DeviceBuffer:
    if not isinstance(buffer, DeviceBuffer):
        raise TypeError(f"this buffer has the wrong type: {type(buffer).__name__}")
    return buffer


def _whole_gpu() -> tuple[int, int]:
    """Return the blocks and threads of a grid that fills every thread slot of the current GPU."""
    attributes = cupy.cuda.Device().attributes
    slots = int(attributes["MaxThreadsPerMultiProcessor"])
    threads = 1024 if slots % 1024 == 0 else 768
    return int(attributes["MultiProcessorCount"]) * (slots // threads), threads


def forget_persisting_lines() -> None:
    """Reset the part of the L2 cache for persisting lines to 0, in case a program has reserved some."""
    with contextlib.suppress(cupy.cuda.runtime.CUDARuntimeError):  # not every GPU supports it
        cupy.cuda.runtime.deviceSetLimit(_PERSISTING_L2, 0)
