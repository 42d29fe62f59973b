"""Tests counts of executed instructions, and the resources per thread from ptxas, for counting programs."""

import json
from collections.abc import Iterator
from contextlib import closing
from enum import IntEnum
from pathlib import Path

import numpy as np
import pytest

from judge.cases import ORDERS
from judge.evidence.diagnostics import parse_diagnostics
from judge.evidence.sums import Event, Sums, parse_sums
from sandbox.cpu.counting import COMPILED
from sandbox.cpu.translator.families import FAMILIES
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Runner
from tests.integration.functional.marked_lines import marked_lines

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "instructions.cu").read_text()
X = np.random.default_rng(1).random(128, np.float32)
SUMMED = ORDERS[0] | RunFlag.COUNT | RunFlag.SUMS
WARPS = 4


class Kernel(IntEnum):
    """The kernels of the source, by the number that chooses them."""

    VECTORS = 0
    SHUFFLES = 1
    COPIES = 2
    TENSOR = 3
    SPECIALS = 4
    OTHERS = 5
    LOCAL = 6
    IFS = 7


@pytest.fixture(scope="module")
def counting() -> Iterator[Runner]:
    with closing(Runner(SOURCE, tuple(sorted(COMPILED)))) as opened:
        yield opened


@pytest.fixture(scope="module")
def plain() -> Iterator[Runner]:
    with closing(Runner(SOURCE)) as opened:
        yield opened


def counted(runner: Runner, kernel: Kernel, flags: RunFlag = SUMMED) -> Sums:
    outcome = runner.call(X, np.zeros(128, np.float32), kernel, flags=flags)
    assert outcome.status is None
    (sums,) = parse_sums(parse_diagnostics("\n".join(map(json.dumps, outcome.diagnostics)).encode()))
    return sums


def line_of(comment: str) -> int:
    return marked_lines(SOURCE, comment)[0]


@pytest.mark.parametrize(
    ("kernel", "counter", "amount", "comment"),
    [
        (Kernel.VECTORS, "global_vector_requests", 1, "vector"),
        (Kernel.SHUFFLES, "shuffle_instructions", 5 * WARPS, "shuffle"),
        (Kernel.SHUFFLES, "reduction_instructions", WARPS, "redux"),
        (Kernel.COPIES, "async_copy_instructions", WARPS, "cp.async"),
        (Kernel.TENSOR, "tensor_instructions", 2 * 3, "mma"),
        (Kernel.SPECIALS, "special_instructions", 3 * WARPS, "special"),
        (Kernel.OTHERS, "double_instructions", WARPS, "double"),
        (Kernel.OTHERS, "dot_product_instructions", WARPS, "dp4a"),
        (Kernel.OTHERS, "fma_instructions", WARPS, "fma"),
    ],
)
def test_executions_by_warps(
    counting: Runner, kernel: Kernel, counter: str, amount: int, comment: str
) -> None:
    assert counted(counting, kernel).events[counter] == Event(amount, line_of(comment))


def test_nothing_is_counted_that_no_requirement_needs(plain: Runner) -> None:
    sums = counted(plain, Kernel.OTHERS)
    assert FAMILIES.keys().isdisjoint(sums.events)


def test_what_ptxas_gives_to_threads(counting: Runner) -> None:
    for kernel, local_bytes in ((Kernel.LOCAL, 64), (Kernel.VECTORS, 0)):
        shapes = counted(counting, kernel).shapes
        assert shapes is not None
        (shape,) = shapes
        assert shape.registers is not None
        assert 8 <= shape.registers <= 255
        assert (shape.spilled_bytes, shape.local_bytes) == (0, local_bytes)


def test_shared_bytes_of_a_block(counting: Runner) -> None:
    shapes = counted(counting, Kernel.COPIES).shapes
    assert shapes is not None
    assert [(shape.shared_bytes, shape.threads) for shape in shapes] == [(512, 128)]


def test_ifs_without_else_split_warps(counting: Runner, plain: Runner) -> None:
    branches = counted(counting, Kernel.IFS).branch
    assert branches.requests == 4 * WARPS
    assert branches.units == 4 * WARPS
    assert counted(plain, Kernel.IFS).branch.requests == 0


def test_no_note_is_made_of_branches_on_data(counting: Runner) -> None:
    flags = ORDERS[0] | RunFlag.COUNT
    outcome = counting.call(X, np.zeros(128, np.float32), Kernel.IFS, flags=flags)
    assert "divergent_branch" not in {said["kind"] for said in outcome.diagnostics}
