"""Tests reading counts of kernels from notes of functional mode. Invalid notes are harmless."""

import pytest

from judge.evidence.counts import MAX_KERNELS, KernelCounts, parse_counts
from judge.evidence.diagnostics import findings
from judge.report import Diagnostic
from problems.vocabulary import Severity

MESSAGE = (
    "{} requests to global memory: 1 necessary sector of 32; 5 requests to shared memory: "
    "5 necessary wavefronts of 10; 1 atomic request in 32 turns; 1 divergent branch execution of 4"
)


def note(requests: int, kernel: str | None = "add", message: str = MESSAGE) -> Diagnostic:
    return Diagnostic(Severity.NOTE, "counts", message.format(requests), kernel)


def test_a_note_becomes_numbers() -> None:
    assert parse_counts([note(2)]) == (KernelCounts("add", 2, 1, 32, 5, 5, 10, 1, 32, 1, 4),)


def test_the_largest_call_of_each_kernel_counts() -> None:
    found = parse_counts([note(2), note(9, "scan"), note(7), note(3)])
    assert [(counts.kernel, counts.global_requests) for counts in found] == [("add", 7), ("scan", 9)]


@pytest.mark.parametrize(
    "junk",
    [
        note(2, kernel=None),
        note(2, message="many requests"),
        note(2, message=MESSAGE + "!"),
        note(10**15),
        Diagnostic(Severity.NOTE, "launch", MESSAGE.format(2), "add"),
    ],
)
def test_other_notes_are_ignored(junk: Diagnostic) -> None:
    assert parse_counts([junk]) == ()


def test_the_number_of_kernels_is_bounded() -> None:
    assert len(parse_counts(note(2, f"k{number}") for number in range(100))) == MAX_KERNELS


def test_they_are_not_findings() -> None:
    assert findings([note(2)]) == []
