"""Tests that findings name exactly the lines whose contiguous accesses do not start at a sector boundary."""

from collections.abc import Iterator
from contextlib import closing
from enum import IntEnum
from pathlib import Path

import numpy as np
import pytest

from judge.cases import ORDERS
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Runner
from tests.integration.functional.marked_lines import marked_lines

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "alignment.cu").read_text()
N = 4096
X = np.arange(N, dtype=np.float32)


class Program(IntEnum):
    """The programs of the source, by the number that chooses them."""

    FROM_0 = 0
    FROM_1 = 1
    FROM_8 = 2
    STENCIL = 3
    ROWS_OF_ARGUMENT = 4
    ODD_PITCH = 5
    WHOLE_SECTORS = 6
    VECTORS = 7
    PART_OF_ARGUMENT = 8


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with closing(Runner(SOURCE)) as opened:
        yield opened


def notes(runner: Runner, program: Program) -> dict[int, str]:
    """The notes of one call, by line."""
    outcome = runner.call(X, np.zeros(N, np.float32), N, program, flags=ORDERS[0] | RunFlag.COUNT)
    assert outcome.status is None, outcome.diagnostics
    found = [entry for entry in outcome.diagnostics if entry["kind"] in {"misaligned_vectors", "uncoalesced"}]
    assert {(entry["kind"], entry["severity"]) for entry in found} <= {("misaligned_vectors", "note")}
    return {int(str(entry["line"])): str(entry["message"]) for entry in found}


def line_of(mark: str) -> int:
    return marked_lines(SOURCE, mark)[0]


def test_reads_and_writes_behind_a_sector_are_named(runner: Runner) -> None:
    found = notes(runner, Program.FROM_1)
    assert set(found) == {line_of("read"), line_of("write")}
    # The last warp has 31 elements.
    assert (
        "127 of 128 contiguous reads of warps in this line do not start at a multiple of 32 bytes, "
        "but 4 bytes after one" in found[line_of("read")]
    )
    assert "each moves 5.0 sectors of 32 bytes instead of 4.0" in found[line_of("write")]


def test_vectors_behind_a_sector_are_named(runner: Runner) -> None:
    found = notes(runner, Program.VECTORS)
    assert set(found) == {line_of("vector")}
    assert "16 bytes after one. So each moves 17.0 sectors" in found[line_of("vector")]


def test_an_odd_pitch_of_own_memory_is_named(runner: Runner) -> None:
    found = notes(runner, Program.ODD_PITCH)
    assert set(found) == {line_of("row")}
    assert "112 of 128 contiguous writes of warps in this line do not start at a" in found[line_of("row")]


@pytest.mark.parametrize(
    "program",
    [
        Program.FROM_0,
        Program.FROM_8,
        Program.STENCIL,
        Program.ROWS_OF_ARGUMENT,
        Program.WHOLE_SECTORS,
        Program.PART_OF_ARGUMENT,
    ],
)
def test_other_accesses_are_not_named(runner: Runner, program: Program) -> None:
    assert notes(runner, program) == {}
