"""The referee's device memory: shared, guarded, poisoned, scrubbed, and lost."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from judge.drawn import CaseData, layout
from judge.runner.call import Call
from judge.runner.memory import Buffer, DeviceRefused
from judge.runner.poison import BENDS, bent
from problems.vocabulary import Dtype
from sandbox.runner import vmm
from tests.gpu.memories import median_ms, on_device, on_host, opened_memory, say
from tests.unit.judge.packages import DOUBLING

if TYPE_CHECKING:
    from judge.gpu.device.memory import DeviceMemory

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).resolve().parents[2]
MIB = 1 << 20
# Writes one byte at an offset of the memory behind a descriptor, as a sandbox could.
OUTSIDE = """
import sys
from sandbox.runner import vmm
descriptor, size, at = map(int, sys.argv[1:])
device = vmm.Device.open()
memory = vmm.Allocation.from_descriptor(device, descriptor, size)
old = memory.read(1, at)[0]
memory.write(bytes([old ^ 1]), at)
device.synchronize()
memory.close()
"""
# Loses the context of a process that still has streams.
DESTROYED = """
import cupy
from judge.gpu.device.errors import silence_destructors
silence_destructors()
stream = cupy.cuda.Stream(non_blocking=True)
code = 'extern "C" __global__ void trap(int* where) { *where = 1; }'
cupy.RawKernel(code, "trap")((1,), (1,), (cupy.uint64(8),))
try:
    cupy.cuda.Device().synchronize()
except cupy.cuda.runtime.CUDARuntimeError as error:
    print(error.status)
del stream
class Failing:
    def __del__(self):
        raise ValueError("not about a GPU")
Failing()
"""


@pytest.fixture(scope="module")
def memory() -> Iterator["DeviceMemory"]:
    with opened_memory() as opened:
        yield opened


def touch_from_outside(memory: "DeviceMemory", buffer: Buffer, at: int) -> None:
    """Change the byte `at` of the buffer's memory, counted from where its payload starts."""
    memory.synchronize()
    size = str(buffer.whole_bytes)
    argv = [sys.executable, "-c", OUTSIDE, str(buffer.descriptor), size, str(buffer.offset + at)]
    subprocess.run(argv, cwd=ROOT, pass_fds=[buffer.descriptor], check=True, timeout=60)


def random(count: int) -> np.ndarray:
    return np.random.default_rng(count).integers(0, 256, count, dtype=np.uint8)


@pytest.mark.parametrize("size_bytes", [0, 1, 148, 4096, 3 * MIB + 5])
def test_a_fresh_buffer_is_undamaged_and_holds_what_is_filled_in(
    memory: "DeviceMemory", size_bytes: int
) -> None:
    contents = random(size_bytes)
    with memory.buffer("c", size_bytes) as buffer:
        assert buffer.offset % 4096 == 0
        buffer.fill(on_device(contents))
        assert buffer.damage() is None
        assert np.array_equal(on_host(buffer.snapshot()), contents)
        assert buffer.holds(on_device(contents))
        if size_bytes:
            contents[-1] ^= 1
            assert not buffer.holds(on_device(contents))


@pytest.mark.parametrize("size_bytes", [1, 148, 3 * MIB + 5])
def test_memory_that_a_program_gets_on_the_host_is_judged_on_the_device(
    memory: "DeviceMemory", size_bytes: int
) -> None:
    contents = random(size_bytes)
    buffer = memory.host_buffer("c", size_bytes)
    try:
        buffer.fill(on_device(contents))
        assert buffer.damage() is None
        assert os.pread(buffer.descriptor, size_bytes, buffer.offset) == contents.tobytes()
        assert np.array_equal(on_host(buffer.snapshot()), contents)
        assert buffer.holds(on_device(contents))
        poison = on_host(buffer.poison(dtype=Dtype.FLOAT32))
        assert os.pread(buffer.descriptor, size_bytes, buffer.offset) == poison.tobytes()
        assert not buffer.holds(on_device(contents))
        buffer.clear()
        assert not on_host(buffer.snapshot()).any()
        os.pwrite(buffer.descriptor, b"past the end", buffer.offset + size_bytes)
        assert buffer.damage() == "memory just past the last element of c was overwritten"
    finally:
        buffer.close()


def test_poison_differs_every_time_and_a_snapshot_stays(memory: "DeviceMemory") -> None:
    with memory.buffer("c", 1000) as buffer:
        first = buffer.poison()
        taken = buffer.snapshot()
        second = buffer.poison()
        assert np.array_equal(on_host(first), on_host(taken))
        assert np.mean(on_host(first) == on_host(second)) < 0.05
        assert buffer.holds(second)
        kept = buffer.snapshot(into=first)
        assert kept is first
        assert buffer.holds(first)


def test_an_output_that_starts_at_zero_is_cleared(memory: "DeviceMemory") -> None:
    with memory.buffer("y", MIB + 12) as buffer:
        buffer.poison()
        buffer.clear()
        assert not on_host(buffer.snapshot()).any()
        assert buffer.damage() is None


def test_poison_is_random(memory: "DeviceMemory") -> None:
    with memory.buffer("c", 4 * MIB) as buffer:
        counts = np.bincount(on_host(buffer.poison()), minlength=256)
    expected = 4 * MIB / 256
    assert np.abs(counts - expected).max() < 6 * np.sqrt(expected)


@pytest.mark.parametrize("dtype", Dtype)
def test_poison_is_bent_as_on_the_host(memory: "DeviceMemory", dtype: Dtype) -> None:
    bend = BENDS[dtype]
    with memory.buffer("c", 100_003) as buffer:
        kept = buffer.poison(dtype=dtype)
        assert buffer.holds(kept)
        held = on_host(kept)
        np.testing.assert_array_equal(held, bent(held, bend), "bent already")
        assert np.unique(held.view(np.uint8)).size > 60
        assert buffer.damage() is None
    if dtype is Dtype.FLOAT32:
        assert not (abs(held[:100_000].view(np.float32)) < 2.0**97).any()


@pytest.mark.parametrize("at", [-1, -65536])
def test_a_write_before_the_start_is_damage(memory: "DeviceMemory", at: int) -> None:
    with memory.buffer("c", 1001) as buffer:
        touch_from_outside(memory, buffer, at)
        assert buffer.damage() == "memory just before the first element of c was overwritten"


@pytest.mark.parametrize("at", [1001, 1001 + 65535])
def test_a_write_past_the_end_is_damage(memory: "DeviceMemory", at: int) -> None:
    with memory.buffer("c", 1001) as buffer:
        touch_from_outside(memory, buffer, at)
        assert buffer.damage() == "memory just past the last element of c was overwritten"


@pytest.mark.parametrize("at", [0, 65535])
def test_a_band_in_a_granule_of_its_own_is_mapped_too(memory: "DeviceMemory", at: int) -> None:
    """The payload ends where a granule of the driver's does: a write just past it must not fault."""
    size_bytes = 2 * MIB - 65536
    with Call(memory) as call:
        call.add_array("c", Dtype.UINT8, (size_bytes,))
        buffer = call.buffers["c"]
        (wire,) = call.arguments
        assert wire.offset + wire.bytes == 2 * MIB
        assert wire.value == buffer.whole_bytes == 4 * MIB
        assert buffer.damage() is None
        touch_from_outside(memory, buffer, size_bytes + at)
        assert buffer.damage() == "memory just past the last element of c was overwritten"


def test_another_process_writes_the_payload_and_we_see_it(memory: "DeviceMemory") -> None:
    with memory.buffer("c", 1001) as buffer:
        poison = buffer.poison()
        touch_from_outside(memory, buffer, 500)
        assert buffer.damage() is None
        assert not buffer.holds(poison)
        assert list(np.flatnonzero(on_host(buffer.snapshot()) != on_host(poison))) == [500]


def test_closing_scrubs_the_memory_for_whoever_kept_the_descriptor(memory: "DeviceMemory") -> None:
    buffer = memory.buffer("c", MIB)
    buffer.poison()
    kept = os.dup(buffer.descriptor)
    buffer.close()
    buffer.close()
    memory.synchronize()
    device = vmm.Device.open()
    with vmm.Allocation.from_descriptor(device, kept, MIB) as left:
        assert not any(left.read(left.size_bytes))
    device.close()
    os.close(kept)


def test_a_drawn_set_is_read_where_it_lies(memory: "DeviceMemory") -> None:
    case = DOUBLING.cases[1]
    parts, size_bytes = layout(DOUBLING, case)
    contents = random(size_bytes)
    device = vmm.Device.open()
    with vmm.Allocation.create(device, size_bytes) as secret_pool:
        secret_pool.write(contents.tobytes())
        device.synchronize()
        descriptor = secret_pool.export()
        opened = memory.open_set(CaseData(case, parts, size_bytes, descriptor))
        os.close(descriptor)
    for part in parts:
        found = on_host(opened[part.name])
        assert np.array_equal(found, contents[part.offset : part.offset + part.size_bytes])
    free_bytes = memory.free_bytes
    memory.close_sets()
    assert memory.free_bytes > free_bytes  # the pool's process has given up its own share of the memory
    device.close()


def test_contents_that_do_not_fit_are_refused(memory: "DeviceMemory") -> None:
    with memory.buffer("c", 8) as buffer:
        with pytest.raises(ValueError, match="4 bytes, expected 8"):
            buffer.fill(on_device(np.zeros(4, np.uint8)))
        with pytest.raises(TypeError, match="wrong type"):
            buffer.fill(np.zeros(8, np.uint8))


def test_too_much_is_refused_and_leaves_the_rest_alone(memory: "DeviceMemory") -> None:
    with pytest.raises(DeviceRefused, match="OUT_OF_MEMORY"):
        memory.buffer("c", 1 << 44)
    with memory.buffer("c", 8) as buffer:
        assert buffer.holds(buffer.poison())
    assert not memory.lost(patience_s=0)


def test_it_says_how_large_cache_and_free_memory_are(memory: "DeviceMemory") -> None:
    assert memory.l2_bytes > MIB
    assert memory.free_bytes > MIB


# A child that does it all to its own context, and says what it found.
LOST = """
import cupy
from judge.gpu.device.memory import DeviceMemory
from judge.runner.memory import DeviceLost
memory = DeviceMemory.open()
buffer = memory.buffer("c", 1 << 20)
poison = buffer.poison()
assert not memory.lost(patience_s=0.01)
wild = cupy.RawKernel('extern "C" __global__ void wild(int* p) { *p = 1; }', "wild")
with memory.stream:
    wild((1,), (1,), (cupy.uint64(0x10),))
seen = []
for action in (memory.synchronize, buffer.damage, lambda: buffer.holds(poison), buffer.poison,
               lambda: memory.buffer("d", 8)):
    try:
        action()
    except DeviceLost as error:
        seen.append(str(error))
assert len(seen) == 5, seen
assert memory.lost(patience_s=0)
buffer.close()
memory.close()
print("lost:", seen[0])
"""
# A kernel of our own stands for one of a sandbox that never ends.
HANGING = """
import time
import cupy
from judge.gpu.device.memory import DeviceMemory
memory = DeviceMemory.open()
buffer = memory.buffer("c", 1 << 20)
spin = cupy.RawKernel('extern "C" __global__ void spin(volatile int* stop) { while (!*stop) {} }', "spin")
stop = cupy.zeros(1, cupy.int32)
cupy.cuda.runtime.deviceSynchronize()
with memory.stream:
    spin((1,), (1,), (stop,))
started = time.monotonic()
assert not memory.lost(patience_s=0.05)
buffer.close()
memory.close()
print(f"closed after {time.monotonic() - started:.2f} s")
assert time.monotonic() - started < 2
other = cupy.cuda.Stream(non_blocking=True)
cupy.cuda.runtime.memsetAsync(stop.data.ptr, 1, 4, other.ptr)  # a kernel might have to be loaded, which waits
other.synchronize()
memory.synchronize()
"""


@pytest.mark.parametrize("program", [LOST, HANGING], ids=["lost", "hanging"])
def test_what_a_gpu_can_do_to_us(memory: "DeviceMemory", program: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    say(done.stdout.strip())
    assert not memory.lost(patience_s=0.05)  # without MPS it is theirs alone


def test_how_long_it_takes(memory: "DeviceMemory") -> None:
    size_bytes = 256 * MIB
    contents = on_device(np.zeros(size_bytes, np.uint8))

    def make() -> None:
        memory.buffer("d", size_bytes).close()

    with memory.buffer("c", size_bytes) as buffer:
        kept = buffer.snapshot()
        figures = {
            "make and close": median_ms(memory, make),
            "fill": median_ms(memory, lambda: buffer.fill(contents)),
            "poison": median_ms(memory, lambda: buffer.poison(kept)),
            "snapshot": median_ms(memory, lambda: buffer.snapshot(kept)),
            "holds": median_ms(memory, lambda: buffer.holds(kept)),
            "damage": median_ms(memory, buffer.damage),
        }
    for name, took_ms in figures.items():
        say(f"256 MiB, {name}: {took_ms:.3f} ms")
    started = time.perf_counter()
    with memory.buffer("small", 4096) as small:
        assert small.holds(small.poison())
    say(f"4 KiB, make, poison, hold, close: {(time.perf_counter() - started) * 1000:.3f} ms")
    assert figures["poison"] < 2.0
    assert figures["snapshot"] < 1.0
    assert figures["holds"] < 1.0


def test_contents_can_be_copied_to_the_host(memory: "DeviceMemory") -> None:
    for count in (1, 4096, 3 * MIB + 5):
        contents = random(count)
        assert np.array_equal(memory.to_host(on_device(contents)), contents)


@pytest.mark.usefixtures("memory")  # which skips the test without a GPU
def test_destructors_of_a_lost_context_print_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", DESTROYED], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert int(done.stdout) in vmm.CONTEXT_LOST
    assert "CUDARuntimeError" not in done.stderr
    assert "not about a GPU" in done.stderr
