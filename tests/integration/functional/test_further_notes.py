"""Tests notes on cancellation, spills, tensor cores, pageable copies and waits: each only for its program."""

from collections.abc import Iterator
from contextlib import closing
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge.cases import ORDERS
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Runner
from tests.integration.functional.marked_lines import marked_lines

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "further_notes.cu").read_text()
N = 64 * 64
X = np.random.default_rng(1).random(N, np.float32)
COUNTED = ORDERS[0] | RunFlag.COUNT
KINDS = {"cancellation", "spills", "tensor_cores", "pageable_copy", "needless_wait"}


class Program(IntEnum):
    """The programs of the source, by the number that chooses them."""

    CANCELS = 0
    DIFFERENCES = 1
    SPILLING = 2
    PRODUCT = 3
    ELEMENTWISE = 4
    ASYNCHRONOUS = 5
    SYNCHRONOUS = 6
    PINNED = 7
    WAITS = 8
    WAITS_AND_COPIES = 9
    WAITS_AT_END = 10
    MERGES = 11


@pytest.fixture
def runner() -> Iterator[Runner]:
    with closing(Runner(SOURCE)) as opened:
        yield opened


def notes(runner: Runner, program: Program, n: int = N) -> list[dict[str, Any]]:
    outcome = runner.call(X[:n], np.zeros(n, np.float32), n, program, flags=COUNTED)
    assert outcome.status is None, outcome.diagnostics
    return [found for found in outcome.diagnostics if found["kind"] in KINDS]


def line_of(mark: str) -> int:
    return marked_lines(SOURCE, mark)[0]


@pytest.mark.parametrize(
    ("program", "kind", "mark", "words"),
    [
        (Program.CANCELS, "cancellation", "cancels", "32 of 32 subtractions in this line cancel"),
        (Program.SPILLING, "spills", "spills", "has 32 registers per thread"),
        (Program.PRODUCT, "tensor_cores", "tensor", f"makes {64**3} products"),
    ],
)
def test_a_kernel_is_named_with_its_line_and_evidence(
    runner: Runner, program: Program, kind: str, mark: str, words: str
) -> None:
    (found,) = notes(runner, program)
    assert (found["kind"], found["line"], found["severity"]) == (kind, line_of(mark), "note")
    assert words in found["message"]


@pytest.mark.parametrize(
    ("program", "kind", "words"),
    [
        (
            Program.ASYNCHRONOUS,
            "pageable_copy",
            f"cudaMemcpyAsync (device to host) copies {4 * N} bytes of pageable memory in 1 call.",
        ),
        (Program.SYNCHRONOUS, "pageable_copy", "cudaMemcpy (device to host) copies"),
        (Program.WAITS, "needless_wait", "cudaDeviceSynchronize made the host wait 1 time between"),
    ],
)
def test_a_call_is_named_with_its_evidence(runner: Runner, program: Program, kind: str, words: str) -> None:
    (found,) = notes(runner, program)
    assert found["kind"] == kind
    assert str(found["message"]).startswith(words)


@pytest.mark.parametrize(
    "program",
    [
        Program.DIFFERENCES,
        Program.MERGES,
        Program.ELEMENTWISE,
        Program.PINNED,
        Program.WAITS_AND_COPIES,
        Program.WAITS_AT_END,
    ],
)
def test_good_programs_get_none_of_these_notes(runner: Runner, program: Program) -> None:
    assert notes(runner, program) == []


def test_small_copies_are_left_alone(runner: Runner) -> None:
    assert notes(runner, Program.SYNCHRONOUS, 1024) == []
    assert notes(runner, Program.ASYNCHRONOUS, 128) == []
