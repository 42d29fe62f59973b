"""Tests that functional mode finds data races between the programs of a Triton grid, and only those."""

from collections.abc import Iterator

import numpy as np
import pytest

from judge.cases import ORDERS
from sandbox.bubblewrap import Bubblewrap
from sandbox.python_runtime import triton_command
from sandbox.spec import Limits
from sandbox.wire import RunFlag
from tests.integration.sandbox.talk import Talk

pytestmark = [
    pytest.mark.integration,
    pytest.mark.xdist_group("triton-races"),  # loaded once, not in every process
]

HEAD = """
import torch
import triton
import triton.language as tl

"""
ORDER_FREE = (
    HEAD
    + """\
# No program waits in a while loop for atomic_ operations.
@triton.jit
def accumulate(a, c, n, flags):
    x = tl.load(a + tl.program_id(0))
    tl.store(c, tl.load(c) + x)  # racing

@triton.jit
def shift(a, c, n, flags):
    i = tl.program_id(0)
    tl.store(c + i, tl.load(c + i + 1, mask=i < n - 1, other=0.0) + 1)  # racing

@triton.jit
def first_clears(a, c, n, flags):
    if tl.program_id(0) == 0:
        tl.store(c, 0.0)
    tl.atomic_add(c, tl.load(a + tl.program_id(0)))

@triton.jit
def reads_after_relaxed(a, c, n, flags):
    i = tl.program_id(0)
    tl.store(c + i, tl.load(a + i))
    if tl.atomic_add(flags, 1, sem="relaxed") == n - 1:
        total = 0.0
        for at in range(n):
            total += tl.load(c + at)  # racing
        tl.store(c, total)

@triton.jit
def last_reduces(a, c, n, flags):
    i = tl.program_id(0)
    tl.store(c + i, tl.load(a + i))
    tl.debug_barrier()
    if tl.atomic_add(flags, 1) == n - 1:
        total = 0.0
        for at in range(n):
            total += tl.load(c + at)
        tl.store(c, total)

@triton.jit
def reads_past_the_cache(a, c, n, flags):
    i = tl.program_id(0)
    seen = tl.load(c, cache_modifier=".cg")
    tl.store(c, seen * 0 + 1)

@triton.jit
def stores_the_same(a, c, n, flags):
    tl.store(c, 7.0)

@triton.jit
def updates_its_own(a, c, n, flags):
    i = tl.program_id(0)
    for _ in range(3):
        tl.store(c + i, tl.load(c + i) + 1)

@triton.jit
def reads_what_atomics_wrote(a, c, n, flags):
    tl.atomic_add(c, 1.0, sem="relaxed")
    tl.store(c + 1 + tl.program_id(0), tl.load(c) * 0, mask=tl.program_id(0) < n - 1)

@triton.jit
def keeps_one(a, c, n, flags):
    if tl.load(c) == 0.0:  # harmless, racing
        tl.store(c, 1.0)

@triton.jit
def adds_through_volatile_loads(a, c, n, flags):
    tl.store(c, tl.load(c, volatile=True) + tl.load(a + tl.program_id(0)))

@triton.jit
def adds_after_a_load_past_the_cache(a, c, n, flags):
    x = tl.load(a + tl.program_id(0), cache_modifier=".cg")
    tl.store(c, tl.load(c) + x)

@triton.jit
def adds_next_to_another_type(a, c, n, flags):
    tl.store(flags.to(tl.pointer_type(tl.int8)), 1)
    tl.store(c, tl.load(c) + tl.load(a + tl.program_id(0)))

KERNELS = [
    accumulate, shift, first_clears, reads_after_relaxed,
    last_reduces, reads_past_the_cache, stores_the_same, updates_its_own, reads_what_atomics_wrote, keeps_one,
    adds_through_volatile_loads, adds_after_a_load_past_the_cache, adds_next_to_another_type,
]

def solve(a, c, n, which):
    if which < len(KERNELS):
        KERNELS[which][(n,)](a, c, n, torch.zeros(n, dtype=torch.int32, device="cuda"))
    else:  # the launches of one call have an order
        for _ in range(3):
            updates_its_own[(n,)](a, c, n, None)
"""
)
# Programs that wait for earlier ones. They never run in descending order, in which they would wait forever.
WAITING = (
    HEAD
    + """\
@triton.jit
def locks(a, c, n, flags):
    while tl.atomic_cas(flags, 0, 1) == 1:
        pass
    tl.store(c, tl.load(c) + tl.load(a + tl.program_id(0)))
    tl.debug_barrier()
    tl.atomic_xchg(flags, 0)

@triton.jit
def looks_back(a, c, n, flags):
    i = tl.program_id(0)
    total = tl.load(a + i)
    if i > 0:
        while tl.load(flags + i - 1, volatile=True) == 0:
            pass
        total += tl.load(c + i - 1)
    tl.store(c + i, total)
    tl.debug_barrier()
    tl.store(flags + i, 1)

@triton.jit
def polls(a, c, n, flags):
    i = tl.program_id(0)
    if i > 0:
        while tl.load(flags + i - 1) == 0:  # racing
            pass
    tl.store(flags + i, 1)

KERNELS = [locks, looks_back, polls]

def solve(a, c, n, which):
    KERNELS[which][(n,)](a, c, n, torch.zeros(n, dtype=torch.int32, device="cuda"))
"""
)
ASCENDING, DESCENDING = ORDERS[:2]
A = np.arange(1, 6, dtype=np.float32)
TOTAL = A.sum()
EXPECTED = {
    4: [TOTAL, 2, 3, 4, 5],
    5: [1, 0, 0, 0, 0],
    6: [7, 0, 0, 0, 0],
    7: [3, 3, 3, 3, 3],
    8: [5, 0, 0, 0, 0],
    9: [1, 0, 0, 0, 0],
    13: [9, 9, 9, 9, 9],
}
POLLS = 2


def loaded(backend: Bubblewrap, source: str) -> Iterator[Talk]:
    with Talk(backend, triton_command(Limits(wall_s=300, cpu_s=300, memory_mib=1024))) as started:
        assert started.load(source, {"arguments": []}), started.findings()
        yield started


@pytest.fixture(scope="module")
def talk(backend: Bubblewrap) -> Iterator[Talk]:
    yield from loaded(backend, ORDER_FREE)


@pytest.fixture(scope="module")
def waiting(backend: Bubblewrap) -> Iterator[Talk]:
    yield from loaded(backend, WAITING)


def called(talk: Talk, which: int, flags: RunFlag) -> list[float]:
    c = np.zeros_like(A)
    assert talk.run([A, c, ("int32", A.size), ("int32", which)], flags=flags), talk.findings()
    values: list[float] = c.tolist()
    return values


def races(talk: Talk, kernel: str = "") -> list[dict[str, object]]:
    """Return the new races of `kernel`, or of all kernels. The runner reports each race once."""
    found = [finding for finding in talk.findings() if finding["kind"] == "race"]
    return [race for race in found if kernel in ("", race["kernel"])]


def line_of(source: str, words: str) -> int:
    return next(at for at, line in enumerate(source.splitlines(), start=1) if words in line)


def test_large_cases_are_not_watched(talk: Talk) -> None:
    assert called(talk, 0, RunFlag.NONE) == [TOTAL, 0, 0, 0, 0]
    assert not races(talk)


def test_an_addition_that_is_not_atomic_races(talk: Talk) -> None:
    line = line_of(ORDER_FREE, "tl.load(c) + x")
    assert called(talk, 0, ASCENDING) == [A[-1], 0, 0, 0, 0]
    assert called(talk, 0, ASCENDING) == [A[-1], 0, 0, 0, 0]
    (race,) = races(talk)
    assert (race["severity"], race["kernel"], race["block"]) == ("warning", "accumulate", [1, 0, 0])
    assert (race["line"], race["array"]) == (line, "c")
    assert race["message"] == (
        f"race on element 0 of c: program (1, 0, 0) reads it (line {line}), and program (0, 0, 0) of the "
        f"same launch writes it (line {line}). The programs of a grid have no order. Use an atomic "
        "operation or a second launch."
    )


@pytest.mark.parametrize(("which", "told"), [(10, 0), (11, 1), (12, 1)])
def test_an_addition_that_is_not_atomic_is_wrong_whatever_else_the_program_does(
    talk: Talk, which: int, told: int
) -> None:
    assert called(talk, which, ASCENDING) == [A[-1], 0, 0, 0, 0]
    assert len(races(talk)) == told


def test_a_read_of_what_a_later_program_writes_races_in_descending_order(talk: Talk) -> None:
    assert called(talk, 1, ASCENDING) == [1, 1, 1, 1, 1]
    assert not races(talk)
    assert called(talk, 1, DESCENDING) == [5, 4, 3, 2, 1]
    assert [race["line"] for race in races(talk)] == [line_of(ORDER_FREE, "tl.load(c + i + 1")]


def test_a_store_that_must_come_first_is_wrong_in_descending_order(talk: Talk) -> None:
    assert called(talk, 2, ASCENDING)[0] == TOTAL
    assert called(talk, 2, DESCENDING)[0] == A[0]


def test_a_relaxed_operation_orders_nothing(talk: Talk) -> None:
    assert called(talk, 3, ASCENDING)[0] == A[-1]
    assert [race["line"] for race in races(talk)] == [line_of(ORDER_FREE, "tl.load(c + at)  # racing")]


def test_synchronised_programs_do_not_race(talk: Talk) -> None:
    for which, expected in EXPECTED.items():
        for flags in (ASCENDING, DESCENDING):
            assert called(talk, which, flags) == expected, which
    harmless = line_of(ORDER_FREE, "# harmless, racing")
    assert [race["line"] for race in races(talk)] == [harmless]


def test_programs_that_wait_for_others_do_not_race(waiting: Talk) -> None:
    for flags in (ASCENDING, DESCENDING):
        assert called(waiting, 0, flags) == [TOTAL, 0, 0, 0, 0]
        assert called(waiting, 1, flags) == np.cumsum(A).tolist()
    assert not races(waiting)


def test_a_program_that_polls_with_plain_loads_goes_on(waiting: Talk) -> None:
    called(waiting, POLLS, ASCENDING)
    assert [race["line"] for race in races(waiting)] == [line_of(WAITING, "# racing")]
