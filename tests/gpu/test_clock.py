"""The trusted clock on a real GPU: its gate, its calibration, and an honest program from end to end."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from benchmarks.clock_experiment import build, mps, rounds
from judge.clock.contracts import CallObservation, Ordering
from judge.clock.page import OrderUnanswered

pytestmark = pytest.mark.gpu
cupy = pytest.importorskip("cupy", reason="no CuPy")

from judge.gpu.device.gate import DeviceGate  # noqa: E402 - needs CuPy
from judge.gpu.device.memory import DeviceMemory  # noqa: E402 - needs CuPy
from sandbox.runner.vmm import Allocation, Device, wait_for_value, write_value  # noqa: E402 - for a GPU only
from sandbox.wire import FLAGS_BYTES, Flags  # noqa: E402

MOST_LAUNCH_US = 4.0
TIMEOUT_S = 0.2  # longer than a watch that gives way twice
ROOT = Path(__file__).resolve().parents[2]
OVERWRITE = r"""
extern "C" __global__ void overwrite(volatile unsigned long long* done, volatile int* leave) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    *done = 0;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (!*leave && now - start < 5000000000ull);
}
"""
LINGER = r"""
extern "C" __global__ void linger(volatile int* leave) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (!*leave && now - start < 5000000000ull);
}
"""
WAIT = r"""
extern "C" __global__ void wait(unsigned long long ns) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - start < ns);
}
"""
RESTLESS = r"""
extern "C" __global__ void restless(volatile unsigned* y, int words, unsigned long long ns) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  unsigned value = 0;
  do {
    ++value;
    for (int i = threadIdx.x; i < words; i += blockDim.x) y[i] = value;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - start < ns);
  for (int i = threadIdx.x; i < words; i += blockDim.x) y[i] = 0;
}
"""


@pytest.fixture(autouse=True)
def gpu() -> None:
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        pytest.skip(f"no usable GPU: {error}")
    if not count:
        pytest.skip("no GPU")


@contextmanager
def lingering(threads: int) -> Iterator[None]:
    """A kernel of one block that stays on the GPU."""
    kernel = cupy.RawKernel(LINGER, "linger")
    pinned = cupy.cuda.alloc_pinned_memory(4)
    leave = np.frombuffer(pinned, np.int32, 1)
    leave[0] = 0
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        kernel((1,), (threads,), (np.uint64(pinned.ptr),))
    time.sleep(0.05)
    try:
        yield
    finally:
        leave[0] = 1
        stream.synchronize()


class NoRunner:
    """An `Ordering` without a runner, whose only order is never done."""

    number = 1

    def open(self) -> None: ...
    def require_alive(self) -> None: ...


@contextmanager
def gated_calls(memory: DeviceMemory) -> Iterator[Callable[..., CallObservation]]:
    """What the gate sees of calls that never happen. All work that waits for the device is done before."""
    orders = cast("Ordering", NoRunner())
    with memory.buffer("y", 1 << 20) as buffer:
        contents = buffer.poison()
        landings, outputs = [(buffer, contents)], [(buffer, buffer.snapshot())]

        def call(gate: DeviceGate, *, queued: bool = True, watch_first: bool = False) -> CallObservation:
            found = gate.call(
                orders, landings, outputs, queued=queued, watch_first=watch_first, timeout_s=TIMEOUT_S
            )
            memory.synchronize()
            return found

        with closing(memory.gate()) as gate:
            call(gate)  # which loads the kernels
        with closing(memory.gate()) as gate:
            yield partial(call, gate)


@pytest.fixture
def memory() -> Iterator[DeviceMemory]:
    opened = DeviceMemory.open()
    yield opened
    opened.close()


@pytest.mark.parametrize("queued", [True, False])
@pytest.mark.parametrize("watch_first", [True, False])
def test_an_idle_gpu_can_be_had(memory: DeviceMemory, queued: bool, watch_first: bool) -> None:
    with gated_calls(memory) as call:
        found = call(queued=queued, watch_first=watch_first)
    assert (found.alone, found.timed_out, found.moved) == (True, True, 0)


@pytest.mark.parametrize("queued", [True, False])
def test_a_call_after_two_that_took_long_is_watched_late(memory: DeviceMemory, queued: bool) -> None:
    with gated_calls(memory) as call:
        for _ in range(3):
            found = call(queued=queued)
            assert (found.alone, found.timed_out, found.moved) == (True, True, 0)


@pytest.mark.parametrize("threads", [1, 1024])
def test_one_warp_that_stays_keeps_the_gate_closed(memory: DeviceMemory, threads: int) -> None:
    with gated_calls(memory) as call:
        for _ in range(3):  # the third call is watched late
            with lingering(threads):
                assert not call().alone
            assert call().alone


@pytest.mark.parametrize("watch_first", [True, False])
def test_a_program_that_fills_the_gpu_and_never_ends_times_out(
    memory: DeviceMemory, watch_first: bool
) -> None:
    leave = np.frombuffer(pinned := cupy.cuda.alloc_pinned_memory(4), np.int32, 1)
    leave[0] = 0
    kernel, stream = cupy.RawKernel(LINGER, "linger"), cupy.cuda.Stream(non_blocking=True)
    orders = cast("Ordering", NoRunner())
    with memory.buffer("y", 1 << 20) as buffer:
        contents, copy = buffer.poison(), buffer.snapshot()
        memory.synchronize()
        with closing(memory.gate()) as gate:
            flags = Allocation.from_descriptor(Device.open(), gate.descriptor, FLAGS_BYTES)
            wait_for_value(stream.ptr, flags.pointer + Flags.GO, 1)
            with stream:
                kernel((100_000,), (1024,), (np.uint64(pinned.ptr),))
            started = time.monotonic()
            found = gate.call(
                orders,
                [(buffer, contents)],
                [(buffer, copy)],
                queued=True,
                watch_first=watch_first,
                timeout_s=TIMEOUT_S,
            )
            took_s = time.monotonic() - started
            leave[0] = 1
            memory.synchronize()
            stream.synchronize()
    assert found.timed_out
    assert took_s < 2 * TIMEOUT_S + 0.5


def test_a_program_that_keeps_overwriting_done_blocks_nothing_when_it_has_ended(memory: DeviceMemory) -> None:
    leave = np.frombuffer(pinned := cupy.cuda.alloc_pinned_memory(4), np.int32, 1)
    leave[0] = 0
    kernel, stream = cupy.RawKernel(OVERWRITE, "overwrite"), cupy.cuda.Stream(non_blocking=True)
    with stream:  # which loads the kernel
        kernel((1,), (1,), (np.uint64(cupy.zeros(1, np.uint64).data.ptr), np.uint64(pinned.ptr)))
    leave[0] = 1
    stream.synchronize()
    leave[0] = 0
    with gated_calls(memory):
        pass  # the kernels of the gate are loaded now; loading would wait for the program
    with memory.buffer("y", 1 << 20) as buffer:
        contents, copy = buffer.poison(), buffer.snapshot()
        memory.synchronize()
        with closing(memory.gate()) as gate:
            flags = Allocation.from_descriptor(Device.open(), gate.descriptor, FLAGS_BYTES)
            wait_for_value(stream.ptr, flags.pointer + Flags.GO, 1)
            with stream:
                kernel((1,), (1,), (np.uint64(flags.pointer + Flags.DONE), np.uint64(pinned.ptr)))
            found = gate.call(
                cast("Ordering", NoRunner()),
                [(buffer, contents)],
                [(buffer, copy)],
                queued=True,
                watch_first=False,
                timeout_s=TIMEOUT_S,
            )
        leave[0] = 1
        stream.synchronize()
    started = time.monotonic()
    memory.rest()
    assert found.timed_out
    assert time.monotonic() - started < 1.0


def test_the_referee_does_not_wait_for_ever_for_a_free_slot(memory: DeviceMemory) -> None:
    leave = np.frombuffer(pinned := cupy.cuda.alloc_pinned_memory(4), np.int32, 1)
    leave[0] = 0
    kernel, stream = cupy.RawKernel(LINGER, "linger"), cupy.cuda.Stream(non_blocking=True)
    with memory.buffer("y", 1 << 20) as buffer:
        contents = buffer.poison()
        assert buffer.holds(contents)
        with stream:
            kernel((100_000,), (1024,), (np.uint64(pinned.ptr),))
        started = time.monotonic()
        with pytest.raises(OrderUnanswered), memory.stream.patience(TIMEOUT_S):
            buffer.holds(contents)
        took_s = time.monotonic() - started
        leave[0] = 1
        stream.synchronize()
        assert buffer.holds(contents)
    assert TIMEOUT_S < took_s < TIMEOUT_S + 0.5


@pytest.mark.parametrize("watch_first", [True, False])
def test_work_after_the_last_change_ends_when_done_is_set(memory: DeviceMemory, watch_first: bool) -> None:
    worked_us = 300
    change, kernel = cupy.RawKernel(RESTLESS, "restless"), cupy.RawKernel(WAIT, "wait")
    stream = cupy.cuda.Stream(non_blocking=True)
    orders = NoRunner()
    with gated_calls(memory):
        pass  # the kernels of the gate are loaded now; loading would wait for the program
    with memory.buffer("y", 1 << 20) as buffer:
        with stream:
            change((1,), (1024,), (np.uint64(buffer.payload), np.int32(1 << 18), np.uint64(0)))
            kernel((1,), (1,), (np.uint64(0),))
        contents, copy = buffer.poison(), buffer.snapshot()
        memory.synchronize()
        stream.synchronize()
        with closing(memory.gate()) as gate:
            flags = Allocation.from_descriptor(Device.open(), gate.descriptor, FLAGS_BYTES)
            wait_for_value(stream.ptr, flags.pointer + Flags.GO, 1)
            with stream:
                change((1,), (1024,), (np.uint64(buffer.payload), np.int32(1 << 18), np.uint64(0)))
                kernel((1,), (1,), (np.uint64(1000 * worked_us),))
            write_value(stream.ptr, flags.pointer + Flags.DONE, 1)
            found = gate.call(
                cast("Ordering", orders),
                [(buffer, contents)],
                [(buffer, copy)],
                queued=True,
                watch_first=watch_first,
                timeout_s=5.0,
            )
            memory.synchronize()
    assert (found.alone, found.timed_out, found.moved) == (True, False, 0)
    assert found.done_us - found.last_us == pytest.approx(worked_us, rel=0.1)


@pytest.mark.parametrize("watch_first", [True, False])
def test_outputs_may_change_until_the_end_of_a_long_call(memory: DeviceMemory, watch_first: bool) -> None:
    taken_us, words = 120_000, 1 << 14
    kernel, stream = cupy.RawKernel(RESTLESS, "restless"), cupy.cuda.Stream(non_blocking=True)
    orders = NoRunner()
    with gated_calls(memory):
        pass  # the kernels of the gate are loaded now; loading would wait for the program
    with memory.buffer("y", 4 * words) as buffer:
        with stream:
            kernel((1,), (1024,), (np.uint64(buffer.payload), np.int32(words), np.uint64(0)))
        contents, copy = buffer.poison(), buffer.snapshot()
        memory.synchronize()
        stream.synchronize()
        with closing(memory.gate()) as gate:
            flags = Allocation.from_descriptor(Device.open(), gate.descriptor, FLAGS_BYTES)
            for orders.number in (1, 2, 3):  # the third call is watched late
                wait_for_value(stream.ptr, flags.pointer + Flags.GO, orders.number)
                with stream:
                    arguments = (np.uint64(buffer.payload), np.int32(words), np.uint64(1000 * taken_us))
                    kernel((1,), (1024,), arguments)
                write_value(stream.ptr, flags.pointer + Flags.DONE, orders.number)
                found = gate.call(
                    cast("Ordering", orders),
                    [(buffer, contents)],
                    [(buffer, copy)],
                    queued=True,
                    watch_first=watch_first,
                    timeout_s=5.0,
                )
                memory.synchronize()
                assert (found.alone, found.timed_out, found.moved) == (True, False, 0)
                assert found.last_us > 0.99 * taken_us


def test_calibration_gives_rates_that_can_be() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "judge.gpu.device.calibrate"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    assert 1e11 < measured["bytes_per_s"] < 2e13
    rates = measured["operations_per_s"]
    assert 1e12 < rates["float32"] < rates["float16"] < 1e16
    assert measured["l2_bytes"] >= 1 << 20


def test_honest_programs_are_ranked_by_what_they_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(tmp_path)
    with mps(tmp_path) as environment:
        found = rounds(1, tmp_path, environment)
    for extent, (figures,) in found.items():
        with capsys.disabled():
            sys.stdout.write(f"\n{extent} x {extent}\n")
            sys.stdout.write("".join(f"{name}: {us:.2f} us\n" for name, us in figures.items()))
        launch_us = figures["events, cold"] - figures["RANKED"]  # events include it
        slack_us = 0.01 * figures["RANKED"]
        assert -slack_us < launch_us < MOST_LAUNCH_US + slack_us
        assert figures["called by the host"] > figures["RANKED"]
        assert figures["ranked, took"] < 1e6
