"""The referee's memory: guard bands, poison, snapshots."""

import mmap
import os

import numpy as np

from judge.buffers import GUARD_BYTES, Buffer
from judge.call import Call
from problems.vocabulary import Dtype


def write_from_outside(buffer: Buffer, offset: int, data: bytes) -> None:
    with mmap.mmap(buffer.descriptor, 0) as other:
        other[offset : offset + len(data)] = data


def test_a_fresh_buffer_is_undamaged() -> None:
    with Buffer("c", 100) as buffer:
        assert buffer.damage() is None


def test_a_write_of_the_whole_payload_is_no_damage() -> None:
    with Buffer("c", 100) as buffer:
        write_from_outside(buffer, buffer.offset, b"x" * 100)
        assert buffer.damage() is None
        assert bytes(buffer.snapshot()) == b"x" * 100


def test_one_byte_past_the_end_is_damage() -> None:
    with Buffer("c", 100) as buffer:
        at = buffer.offset + 100
        old = os.pread(buffer.descriptor, 1, at)
        write_from_outside(buffer, at, bytes([old[0] ^ 1]))
        assert buffer.damage() == "memory just past the last element of c was overwritten"


def test_one_byte_before_the_start_is_damage() -> None:
    with Buffer("c", 100) as buffer:
        old = os.pread(buffer.descriptor, 1, GUARD_BYTES - 1)
        write_from_outside(buffer, GUARD_BYTES - 1, bytes([old[0] ^ 1]))
        assert buffer.damage() == "memory just before the first element of c was overwritten"


def test_poison_differs_every_time() -> None:
    with Buffer("c", 64) as buffer:
        first, second = buffer.poison(), buffer.poison()
        assert not np.array_equal(first, second)
        assert np.array_equal(buffer.payload, second)


def test_a_snapshot_does_not_follow_later_writes() -> None:
    with Buffer("c", 8) as buffer:
        buffer.fill(np.zeros(8, dtype=np.uint8))
        snapshot = buffer.snapshot()
        write_from_outside(buffer, buffer.offset, b"\xff")
        assert not snapshot.any()


def test_closing_scrubs_the_memory_for_whoever_kept_the_descriptor() -> None:
    buffer = Buffer("c", 64)
    buffer.fill(np.full(64, 7, dtype=np.uint8))
    kept = os.dup(buffer.descriptor)
    buffer.close()
    assert not any(os.pread(kept, 3 * GUARD_BYTES, 0))
    os.close(kept)


def test_closing_twice_is_safe() -> None:
    buffer = Buffer("c", 8)
    buffer.close()
    buffer.close()


def test_a_call_counts_descriptors_in_wire_order() -> None:
    with Call() as call:
        call.add_array("a", Dtype.FLOAT32, (2, 3))
        call.add_scalar(Dtype.INT32, -1)
        call.add_array("b", Dtype.INT8, (5,))
        a, n, b = call.arguments
        assert (a.descriptor, a.bytes, a.shape) == (0, 24, (2, 3))
        assert (b.descriptor, b.bytes, b.shape) == (1, 5, (5,))
        assert (n.scalar, n.value) == (True, 0xFFFFFFFF)
        assert call.descriptors == [call.buffers["a"].descriptor, call.buffers["b"].descriptor]
