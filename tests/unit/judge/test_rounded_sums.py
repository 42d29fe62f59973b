"""Tests that a note on a rounded sum is kept only if its error explains the wrong answer."""

from dataclasses import replace

from judge.evidence.rounded_sums import error_of, without_unrelated_sums
from judge.report import CaseReport, Diagnostic, Mismatch
from problems.vocabulary import Group, Severity, Verdict

MESSAGE = "The largest error is {} of a typical sum. It can be up to 1.0e-01: n * eps * sum of |x|."
NOTE = Diagnostic(Severity.NOTE, "rounded_sum", MESSAGE.format("1.0e-03"), "sum", line=4)
OTHER = Diagnostic(Severity.NOTE, "launch", "One block.")


def wrong(*errors: float | None, expected: str = "100") -> CaseReport:
    mismatches = tuple(Mismatch("y", (at,), expected, "?", error, None) for at, error in enumerate(errors))
    return CaseReport("long", Group.SAMPLE, True, Verdict.WRONG_ANSWER, mismatches=mismatches)


def test_an_error_of_the_size_of_the_sums_keeps_the_note() -> None:
    assert without_unrelated_sums([OTHER, NOTE], [wrong(0.1, 0.39)]) == (OTHER, NOTE)


def test_a_larger_error_has_another_cause() -> None:
    assert without_unrelated_sums([OTHER, NOTE], [wrong(0.1, 0.41)]) == (OTHER,)


def test_an_element_without_a_value_has_another_cause() -> None:
    assert without_unrelated_sums([NOTE], [wrong(0.1, None)]) == ()
    assert without_unrelated_sums([NOTE], [wrong(0.0, expected="0")]) == ()


def test_one_wrong_case_is_enough() -> None:
    right = replace(wrong(), verdict=Verdict.ACCEPTED)
    assert without_unrelated_sums([NOTE], [right, wrong(9.0), wrong(0.1)]) == (NOTE,)
    assert without_unrelated_sums([NOTE], [right]) == ()


def test_only_the_line_with_the_largest_error_is_told() -> None:
    worse = replace(NOTE, message=MESSAGE.format("2.0e-01"), line=9)
    assert without_unrelated_sums([NOTE, worse, NOTE], [wrong(0.1)]) == (worse,)


def test_each_output_is_compared_with_its_own_size() -> None:
    case = wrong(0.3)
    small = Mismatch("z", (0,), "0.01", "?", 0.0003, None)
    assert without_unrelated_sums([NOTE], [replace(case, mismatches=(*case.mismatches, small))]) == ()


def test_a_forged_note_explains_nothing() -> None:
    forged = replace(NOTE, message="The largest error is 1e999 of a typical sum")
    assert error_of(forged) == 0
    assert without_unrelated_sums([forged], [wrong(0.1)]) == ()
