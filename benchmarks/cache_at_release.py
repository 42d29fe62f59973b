"""Measures what the L2 cache holds when the gate releases a call: `python -m benchmarks.cache_at_release`.

Needs CuPy and an NVIDIA GPU that no other process uses. Runs without containers. Each call passes the gate of
the judge (`judge.gpu.device.gate`). In place of a program, a kernel loads words at random places of the input
and takes the cycles of each load. Before each word, it loads another one of the same page, so that no load
waits for an address translation. Meanwhile, another stream copies the input repeatedly, in one of three ways.

First, the benchmark prints for each way whether such copies run while a kernel occupies every thread slot of
the GPU. If so, they use a copy engine, and run until the release. If not, they run on the multiprocessors,
and only after the release.

In the last row of each table, the cache holds the input, because a kernel reads it after the release. A place
counts as cached if its load took less than a limit: the middle between the median of the last row and the
fastest hundredth of the first row, for the smaller input. Loads from the farther half of the cache take
longer. Most places there do not count, so the share in the last row is below one.
"""

import argparse
import contextlib
import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from benchmarks.judging import print_table
from judge.clock.contracts import Ordering
from sandbox.runner.vmm import Allocation, Device, wait_for_value
from sandbox.wire import FLAGS_BYTES, Flags

if TYPE_CHECKING:
    from judge.gpu.device.memory import DeviceMemory

MIB = 1 << 20
SIZES_MIB = (16, 120)
PLACES = 528  # one for each block; four blocks for each multiprocessor of an H200
CHUNK = 2 * MIB
IN_STREAM_ORDER, OVERLAP = (
    1,
    1,
)  # CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE
COPIES_BETWEEN_WAITS = 8
NOTHING, TOUCHED = "no copies", "read by a kernel after the release"
WAYS = (PLAIN, OVERLAPPING, TO_HOST) = (
    "copies in the device",
    "copies that overlap with kernels",
    "copies to the host",
)
HOLD_S = 0.02
TIMEOUT_S = 1.0
SOURCE = r"""
typedef unsigned int u32;
typedef unsigned long long u64;

__device__ u32 cycles_of(const char* at, volatile u32* kept) {
  const u64 begun = clock64();
  u32 value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  *kept = value;  // which waits for the load
  return static_cast<u32>(clock64() - begun);
}

// One thread a block, and one place in each part of the input.
extern "C" __global__ void look(const char* input, u64 bytes, u64 random, u32* cycles) {
  __shared__ volatile u32 kept;
  const u64 part = bytes / gridDim.x / 64 * 64, half = part / 128 * 64;
  const u64 mixed = (random + blockIdx.x) * 0x9E3779B97F4A7C15ull;
  const char* at = input + blockIdx.x * part + (mixed >> 20) % half / 64 * 64;
  cycles_of(at + half, &kept);
  cycles[blockIdx.x] = cycles_of(at, &kept);
}

extern "C" __global__ void touch(const uint4* input, u64 count, u32* sink) {
  u32 seen = 0;
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x)
    seen |= __ldcg(input + i).x;
  if (seen == 0x9E3779B9u) *sink = seen;
}

extern "C" __global__ void finish(u32* output, u64* done, u64 number) {
  *output = 1;
  __threadfence_system();
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(done), "l"(number) : "memory");
}

extern "C" __global__ void stay(volatile u32* leave, u64 ns) {
  u64 begun, time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begun));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  } while (!*leave && time - begun < ns);
}
"""


@dataclass(frozen=True, slots=True)
class Looks:
    """The cycles of all first loads of one row."""

    size_mib: int
    way: str
    cycles: "np.ndarray[Any, np.dtype[np.uint32]]"


class NoRunner:
    """An `Ordering` without a runner. `number` is that of the last call."""

    def __init__(self) -> None:
        self.number = 0

    def open(self) -> None:
        """Do nothing: the calls are queued."""

    def require_alive(self) -> None:
        """Do nothing: there is no runner."""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=200, help="calls in each row; default: %(default)s")
    options = parser.parse_args()
    from judge.gpu.device.memory import DeviceMemory  # noqa: PLC0415 - needs CuPy

    memory = DeviceMemory.open()
    try:
        for way in WAYS:
            engine = "a copy engine" if runs_without_multiprocessors(way) else "the multiprocessors"
            print(f"{way} use {engine}", flush=True)
        limit = 0.0
        for size_mib in SIZES_MIB:
            rows = [looks(memory, size_mib, way, options.calls) for way in (NOTHING, *WAYS, TOUCHED)]
            limit = limit or float(np.median(rows[-1].cycles) + np.percentile(rows[0].cycles, 1)) / 2
            report(rows, limit)
    finally:
        memory.close()
    return 0


def report(rows: list[Looks], limit: float) -> None:
    """Print the table of one size."""
    heading = ("MiB", "meanwhile", "1 %, median, 99 % in cycles", f"cached (under {limit:.0f})")
    table: list[tuple[str, ...]] = [heading]
    for row in rows:
        low, middle, high = np.percentile(row.cycles, [1, 50, 99])
        cached = int(np.count_nonzero(row.cycles < limit))
        table.append(
            (
                str(row.size_mib),
                row.way,
                f"{low:.0f}, {middle:.0f}, {high:.0f}",
                f"{cached} of {row.cycles.size}",
            )
        )
    print_table(table)


def looks(memory: "DeviceMemory", size_mib: int, way: str, calls: int) -> Looks:
    """Let `calls` calls through the gate and return what their kernels measured."""
    import cupy  # noqa: PLC0415

    module = cupy.RawModule(code=SOURCE, options=("-std=c++17",))
    look, touch, finish = (module.get_function(name) for name in ("look", "touch", "finish"))
    size, orders, found = size_mib * MIB, NoRunner(), []
    random = np.random.default_rng()
    with (
        memory.buffer("x", size) as source,
        memory.buffer("y", MIB) as output,
        closing(memory.gate()) as gate,
        closing(Device.open()) as device,
        closing(Allocation.from_descriptor(device, gate.descriptor, FLAGS_BYTES)) as flags,
    ):
        contents, copy = source.poison(), output.snapshot()
        stream, cycles = cupy.cuda.Stream(non_blocking=True), cupy.zeros(PLACES, cupy.uint32)
        memory.stream.synchronize()
        with copying(way, source.payload, size):
            for number in range(1, calls + 1):
                orders.number = number
                wait_for_value(stream.ptr, flags.pointer + Flags.GO, number)
                with stream:
                    if way == TOUCHED:
                        touch((528,), (512,), (np.uint64(source.payload), np.uint64(size // 16), cycles))
                    seed = np.uint64(random.integers(1 << 63))
                    look((PLACES,), (1,), (np.uint64(source.payload), np.uint64(size), seed, cycles))
                    done = np.uint64(flags.pointer + Flags.DONE)
                    finish((1,), (1,), (np.uint64(output.payload), done, np.uint64(number)))
                seen = gate.call(
                    cast("Ordering", orders),
                    [(source, contents)],
                    [(output, copy)],
                    queued=True,
                    watch_first=False,
                    timeout_s=TIMEOUT_S,
                )
                stream.synchronize()
                if seen.alone:
                    found.append(cycles.get())
    if not found:
        raise SystemExit(f"{way}: the gate never got the whole GPU")
    return Looks(size_mib, way, np.concatenate(found))


@contextmanager
def copying(way: str, source: int, size: int) -> Iterator[None]:
    """Copy the input again and again in another thread and another stream."""
    if way not in WAYS:
        yield
        return
    stop = threading.Event()

    def work() -> None:
        copy, stream = copier(way, source, size)
        with contextlib.suppress(RuntimeError):
            while not stop.is_set():
                for _ in range(COPIES_BETWEEN_WAITS):
                    copy()
                stream.synchronize()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def copier(way: str, source: int, size: int) -> tuple[Callable[[], None], Any]:
    """Return a function that queues the next copy of a part of the input, and its stream."""
    import cupy  # noqa: PLC0415

    cupy.cuda.Device(0).use()
    runtime, stream = cupy.cuda.runtime, cupy.cuda.Stream(non_blocking=True)
    to_host = way == TO_HOST
    target = cupy.cuda.alloc_pinned_memory(CHUNK) if to_host else cupy.zeros(CHUNK, cupy.uint8)
    kind = runtime.memcpyDeviceToHost if to_host else runtime.memcpyDeviceToDevice
    at = 0

    def copy() -> None:
        nonlocal at
        pointer = target.ptr if to_host else target.data.ptr
        begin = source + at % (size // CHUNK) * CHUNK
        at += 1
        if way == OVERLAPPING:
            _overlapping_copy(pointer, begin, stream.ptr)
        else:
            runtime.memcpyAsync(pointer, begin, CHUNK, kind, stream.ptr)

    return copy, stream


class _Attributes(ctypes.Structure):
    """CUmemcpyAttributes of the driver, CUDA 12.8 and later."""

    _fields_ = tuple(
        (name, ctypes.c_uint)
        for name in ("order", "source_type", "source_id", "target_type", "target_id", "flags")
    )


def _overlapping_copy(target: int, source: int, stream: int) -> None:
    """Queue a copy of CHUNK bytes that asks to overlap with kernels."""
    one = ctypes.c_uint64 * 1
    attributes = _Attributes(order=IN_STREAM_ORDER, flags=OVERLAP)
    code = ctypes.CDLL("libcuda.so.1").cuMemcpyBatchAsync_v2(
        *(one(target), one(source), one(CHUNK), ctypes.c_size_t(1)),
        *(ctypes.byref(attributes), one(0), ctypes.c_size_t(1), ctypes.c_void_p(stream)),
    )
    if code:
        raise RuntimeError(f"cuMemcpyBatchAsync failed with error {code}")


def runs_without_multiprocessors(way: str) -> bool:
    """Return whether a copy ends while a kernel occupies every thread slot of the GPU."""
    import cupy  # noqa: PLC0415

    from judge.gpu.device.gate import _whole_gpu  # noqa: PLC0415

    stay = cupy.RawModule(code=SOURCE, options=("-std=c++17",)).get_function("stay")
    source, leave = cupy.zeros(16 * MIB, cupy.uint8), cupy.zeros(1, cupy.uint32)
    copy, stream = copier(way, source.data.ptr, 16 * MIB)
    copy()
    stream.synchronize()
    holding = cupy.cuda.Stream(non_blocking=True)
    with holding:
        stay(*[(number,) for number in _whole_gpu()], (leave, np.uint64(HOLD_S * 1e9)))
    time.sleep(HOLD_S / 4)
    copy()
    time.sleep(HOLD_S / 4)
    ended = bool(stream.done)
    holding.synchronize()
    return ended


if __name__ == "__main__":
    raise SystemExit(main())
