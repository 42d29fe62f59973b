"""Tests that a note on cancellation is kept only for statements that subtract."""

from dataclasses import replace

import pytest

from judge.compiler.source import ProgramText
from judge.evidence.cancellations import without_library_cancellations
from judge.report import Diagnostic
from problems.vocabulary import Severity

NOTE = Diagnostic(Severity.NOTE, "cancellation", "One cancels.", "sum", line=2)
OTHER = Diagnostic(Severity.NOTE, "launch", "One block.", line=2)


def kept(*lines: str, line: int | None = 2) -> bool:
    code = ProgramText.read("\n".join(("float x;", *lines, "float y;"))).code
    note = replace(NOTE, line=line)
    found = without_library_cancellations([OTHER, note], code)
    assert found[0] == OTHER
    return note in found


@pytest.mark.parametrize(
    "lines",
    [
        ("float v = square - mean * mean;",),
        ("v -= mean;",),
        ("float v = square", "    - mean * mean;"),
        ("square -", "    mean;"),
        ("float v = 1e-3f * (a-b);",),
    ],
)
def test_the_note_on_a_statement_that_subtracts_is_kept(lines: tuple[str, ...]) -> None:
    assert kept(*lines)


@pytest.mark.parametrize(
    "lines",
    [
        ("float q = powf(survival[f], s);",),
        ("float q = powf(p->x, s);  // x - 1",),
        ("float q = powf(x, s) * 1e-3f;", "float d = a - b;"),
        ("for (int k = 9; k > 0; --k) q = powf(x, k);",),
    ],
)
def test_the_note_on_a_statement_that_calls_a_function_is_dropped(lines: tuple[str, ...]) -> None:
    assert not kept(*lines)


def test_a_note_without_a_line_of_the_program_is_kept() -> None:
    assert kept("float q = powf(x, s);", line=None)
    assert kept("float q = powf(x, s);", line=99)
