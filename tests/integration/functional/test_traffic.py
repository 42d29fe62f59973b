"""Tests that findings name the lines that waste sectors and wavefronts, and no other lines."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from judge.cases import ORDERS
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Outcome, Runner
from tests.integration.functional.marked_lines import marked_lines

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "traffic.cu").read_text()
N = 4096
X = np.arange(N, dtype=np.float32)
COALESCED, STRIDED, TRANSPOSED, PADDED, BROADCAST = range(5)
KINDS = {"uncoalesced", "bank_conflict"}


def line_of(comment: str) -> int:
    """The line that ends with that comment."""
    return marked_lines(SOURCE, comment)[0]


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with closing(Runner(SOURCE)) as opened:
        yield opened


def waste(runner: Runner, kind: int, flags: RunFlag = ORDERS[0] | RunFlag.COUNT) -> list[dict[str, object]]:
    """The notes on wasteful lines of one call."""
    outcome: Outcome = runner.call(X, np.zeros(N, np.float32), N, kind, flags=flags)
    assert outcome.status is None
    return [said for said in outcome.diagnostics if said["kind"] in KINDS]


def test_a_strided_read_is_named_with_its_sectors(runner: Runner) -> None:
    (found,) = waste(runner, STRIDED)
    assert (found["kind"], found["line"], found["severity"]) == ("uncoalesced", line_of("strided"), "note")
    assert "each read of a warp moves 32.0 sectors of 32 bytes, although 4.0 would be enough" in str(
        found["message"]
    )
    assert found["kernel"] == "strided"


def test_a_bank_conflict_is_named_with_its_wavefronts(runner: Runner) -> None:
    (found,) = waste(runner, TRANSPOSED)
    assert (found["kind"], found["line"]) == ("bank_conflict", line_of("conflicts"))
    assert "takes 32.0 wavefronts of shared memory instead of 1.0" in str(found["message"])


@pytest.mark.parametrize("kind", [COALESCED, PADDED, BROADCAST])
def test_accesses_that_waste_nothing_are_not_named(runner: Runner, kind: int) -> None:
    assert waste(runner, kind) == []


def test_other_runs_do_not_count(runner: Runner) -> None:
    assert waste(runner, STRIDED, ORDERS[0]) == []
    assert waste(runner, STRIDED, RunFlag.COUNT) == []
