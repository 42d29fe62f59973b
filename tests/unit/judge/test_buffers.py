"""The referee's memory: guard bands, poison, snapshots."""

import mmap
import os

import numpy as np
import pytest

from judge.drawn import CaseData, layout
from judge.runner.buffers import GUARD_BYTES, HostBuffer, HostMemory, random_bytes
from judge.runner.call import Call
from problems.vocabulary import Dtype
from tests.unit.judge.packages import DOUBLING


def write_from_outside(buffer: HostBuffer, offset: int, data: bytes) -> None:
    with mmap.mmap(buffer.descriptor, 0) as other:
        other[offset : offset + len(data)] = data


def test_a_fresh_buffer_is_undamaged() -> None:
    with HostBuffer("c", 100) as buffer:
        assert buffer.damage() is None


def test_a_write_of_the_whole_payload_is_no_damage() -> None:
    with HostBuffer("c", 100) as buffer:
        write_from_outside(buffer, buffer.offset, b"x" * 100)
        assert buffer.damage() is None
        assert bytes(buffer.snapshot()) == b"x" * 100


def test_one_byte_past_the_end_is_damage() -> None:
    with HostBuffer("c", 100) as buffer:
        at = buffer.offset + 100
        old = os.pread(buffer.descriptor, 1, at)
        write_from_outside(buffer, at, bytes([old[0] ^ 1]))
        assert buffer.damage() == "memory just past the last element of c was overwritten"


def test_one_byte_before_the_start_is_damage() -> None:
    with HostBuffer("c", 100) as buffer:
        old = os.pread(buffer.descriptor, 1, GUARD_BYTES - 1)
        write_from_outside(buffer, GUARD_BYTES - 1, bytes([old[0] ^ 1]))
        assert buffer.damage() == "memory just before the first element of c was overwritten"


def test_poison_differs_every_time() -> None:
    with HostBuffer("c", 64) as buffer:
        first, second = buffer.poison(), buffer.poison()
        assert not np.array_equal(first, second)
        assert np.array_equal(buffer.payload, second)


def test_the_memory_of_a_poison_serves_the_next_one() -> None:
    with HostBuffer("c", 64) as buffer:
        kept = buffer.poison()
        first = kept.copy()
        assert buffer.poison(kept) is kept
        assert not np.array_equal(first, kept)
        assert np.array_equal(buffer.payload, kept)


def test_a_snapshot_does_not_follow_later_writes() -> None:
    with HostBuffer("c", 8) as buffer:
        buffer.fill(np.zeros(8, dtype=np.uint8))
        snapshot = buffer.snapshot()
        write_from_outside(buffer, buffer.offset, b"\xff")
        assert not snapshot.any()


def test_the_sandbox_cannot_shrink_the_memory_under_us() -> None:
    with HostBuffer("c", 8) as buffer, pytest.raises(PermissionError):
        os.ftruncate(buffer.descriptor, 0)


def test_closing_scrubs_the_memory_for_whoever_kept_the_descriptor() -> None:
    buffer = HostBuffer("c", 64)
    buffer.fill(np.full(64, 7, dtype=np.uint8))
    kept = os.dup(buffer.descriptor)
    buffer.close()
    assert not any(os.pread(kept, 3 * GUARD_BYTES, 0))
    os.close(kept)


def test_closing_twice_is_safe() -> None:
    buffer = HostBuffer("c", 8)
    buffer.close()
    buffer.close()


def test_a_call_counts_descriptors_in_wire_order() -> None:
    with Call(HostMemory()) as call:
        call.add_array("a", Dtype.FLOAT32, (2, 3))
        call.add_scalar(Dtype.INT32, -1)
        call.add_array("b", Dtype.INT8, (5,))
        a, n, b = call.arguments
        assert (a.descriptor, a.bytes, a.shape) == (0, 24, (2, 3))
        assert (b.descriptor, b.bytes, b.shape) == (1, 5, (5,))
        assert (n.scalar, n.value) == (True, 0xFFFFFFFF)
        assert call.descriptors == [call.buffers["a"].descriptor, call.buffers["b"].descriptor]


def test_a_drawn_set_is_read_where_it_lies() -> None:
    parts, size_bytes = layout(DOUBLING, DOUBLING.cases[1])
    descriptor = os.memfd_create("set")
    content = random_bytes(size_bytes)
    os.pwrite(descriptor, content.tobytes(), 0)
    opened = HostMemory().open_set(CaseData(DOUBLING.cases[1], parts, size_bytes, descriptor))
    os.close(descriptor)
    assert {name: len(part) for name, part in opened.items()} == {"x": 37 * 4, "expected-y": 37 * 8}
    assert np.array_equal(opened["expected-y"], content[256 : 256 + 37 * 8])


def test_what_was_taken_into_given_memory_is_there() -> None:
    with HostBuffer("c", 16) as buffer:
        kept = np.zeros(16, dtype=np.uint8)
        assert buffer.poison(kept) is kept
        assert buffer.holds(kept)
        buffer.fill(np.arange(16, dtype=np.uint8))
        assert not buffer.holds(kept)
        buffer.snapshot(kept)
        assert buffer.holds(kept)


def test_contents_of_another_memory_are_refused() -> None:
    class Elsewhere:
        nbytes = 8

    with HostBuffer("c", 8) as buffer, pytest.raises(TypeError, match="wrong type"):
        buffer.fill(Elsewhere())
