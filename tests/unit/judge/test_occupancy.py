"""Tests that occupancy agrees with NVIDIA's own calculation, and names the limiting resource."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.evidence.occupancy import MULTIPROCESSORS, Occupancy, occupancy

# Registers of a thread, shared memory of a block in bytes, threads of a block.
LAUNCHES = (
    (16, 0, 256),
    (32, 0, 1024),
    (33, 0, 1024),
    (64, 0, 256),
    (128, 0, 192),
    (255, 0, 96),
    (255, 0, 1024),
    (24, 4096, 128),
    (40, 49152, 256),
    (20, 101376, 128),
    (20, 232448, 64),
    (16, 0, 32),
    (16, 0, 33),
    (37, 1025, 100),
    (16, 0, 1),
)
# The blocks that a multiprocessor holds of each of LAUNCHES, by compute capability.
# Source: cudaOccMaxActiveBlocksPerMultiprocessor of cuda_occupancy.h, CUDA Toolkit 13.0.
BLOCKS = {
    (7, 0): (8, 2, 1, 4, 2, 2, 0, 16, 2, 0, 0, 32, 32, 12, 32),
    (7, 5): (4, 1, 1, 4, 2, 2, 0, 8, 1, 0, 0, 16, 16, 8, 16),
    (8, 0): (8, 2, 1, 4, 2, 2, 0, 16, 3, 1, 0, 32, 32, 12, 32),
    (8, 6): (6, 1, 1, 4, 2, 2, 0, 12, 2, 1, 0, 16, 16, 12, 16),
    (8, 9): (6, 1, 1, 4, 2, 2, 0, 12, 2, 1, 0, 24, 24, 12, 24),
    (9, 0): (8, 2, 1, 4, 2, 2, 0, 16, 4, 2, 1, 32, 32, 12, 32),
    (10, 0): (8, 2, 1, 4, 2, 2, 0, 16, 4, 2, 1, 32, 32, 12, 32),
    (10, 3): (8, 2, 1, 4, 2, 2, 0, 16, 4, 2, 1, 32, 32, 12, 32),
    (11, 0): (6, 1, 1, 4, 2, 2, 0, 12, 4, 2, 1, 24, 24, 12, 24),
    (12, 0): (6, 1, 1, 4, 2, 2, 0, 12, 2, 1, 0, 24, 24, 12, 24),
}
# CUDA C++ Programming Guide, "Compute Capabilities": resident warps and blocks of a multiprocessor.
RESIDENT = {
    (7, 0): (64, 32),
    (7, 5): (32, 16),
    (8, 0): (64, 32),
    (8, 6): (48, 16),
    (8, 7): (48, 16),
    (8, 9): (48, 24),
    (9, 0): (64, 32),
    (10, 0): (64, 32),
    (10, 3): (64, 32),
    (11, 0): (48, 24),
    (12, 0): (48, 24),
    (12, 1): (48, 24),
}


@pytest.mark.parametrize("capability", BLOCKS)
def test_it_agrees_with_nvidia(capability):
    found = [
        occupancy(capability, registers=registers, shared_bytes=shared_bytes, threads=threads).blocks
        for registers, shared_bytes, threads in LAUNCHES
    ]
    assert tuple(found) == BLOCKS[capability]


def test_the_table_is_that_of_the_guide():
    assert {key: (has.max_warps, has.max_blocks) for key, has in MULTIPROCESSORS.items()} == RESIDENT


@pytest.mark.parametrize(
    ("registers", "shared_bytes", "threads", "percent", "limited_by"),
    [
        (32, 0, 256, 100.0, ("warps", "registers")),
        (16, 0, 256, 100.0, ("warps",)),
        (64, 0, 256, 50.0, ("registers",)),
        (16, 0, 32, 50.0, ("blocks",)),
        (16, 100_000, 256, 25.0, ("shared memory",)),
        (255, 0, 1024, 0.0, ("registers",)),
        (16, 0, 1025, 0.0, ("warps",)),
    ],
)
def test_what_limits_it_is_named(registers, shared_bytes, threads, percent, limited_by):
    found = occupancy((9, 0), registers=registers, shared_bytes=shared_bytes, threads=threads)
    assert (found.percent, found.limited_by) == (percent, limited_by)


def test_a_whole_answer():
    assert occupancy((9, 0), registers=40, shared_bytes=49_152, threads=256) == Occupancy(
        4, 32, 64, ("shared memory",)
    )


def test_of_an_unknown_gpu_nothing_is_said():
    assert occupancy((6, 1), registers=32, shared_bytes=0, threads=256) is None
    assert occupancy((9, 0), registers=32, shared_bytes=0, threads=0) is None


@given(
    st.sampled_from(sorted(MULTIPROCESSORS)),
    st.integers(0, 300),
    st.integers(0, 300_000),
    st.integers(1, 2048),
)
def test_more_of_anything_never_gives_more_blocks(capability, registers, shared_bytes, threads):
    has = MULTIPROCESSORS[capability]
    found = occupancy(capability, registers=registers, shared_bytes=shared_bytes, threads=threads)
    assert 0 <= found.blocks <= has.max_blocks
    assert found.warps <= found.max_warps
    assert found.limited_by
    more = occupancy(capability, registers=registers + 1, shared_bytes=shared_bytes + 1, threads=threads + 1)
    assert more.blocks <= found.blocks
