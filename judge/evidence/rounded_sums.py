"""Selects the note on a rounded sum that explains a wrong answer.

Functional mode also computes the sums of a program in double precision. The difference is the rounding error
of the sum. It explains a wrong answer if, in one case, the errors of all wrong elements are at most
`_MOST_TIMES` times as large. A larger error has another cause. For example, if a program omits terms, its
error is much larger than the rounding error of its sums in float32, so it gets no note.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from judge.report import CaseReport, Diagnostic, Mismatch
from problems.vocabulary import DiagnosticKind, Verdict

_ERROR = re.compile(r"The largest error is (\d\.\de[+-]\d\d) of a typical sum")
# An output may be the square of a sum or depend on several sums, so its relative error may be larger.
_MOST_TIMES = 4.0


def without_unrelated_sums(
    found: Iterable[Diagnostic], cases: Sequence[CaseReport]
) -> tuple[Diagnostic, ...]:
    """Return `found` without notes on rounded sums, except the one with the largest error.

    That note is removed too, unless it explains the wrong answer of one of `cases`.
    """
    found = tuple(found)
    notes = [entry for entry in found if entry.kind == DiagnosticKind.ROUNDED_SUM]
    worst = max(notes, key=error_of, default=None)
    if worst is not None and not _explains(error_of(worst), cases):
        worst = None
    return tuple(entry for entry in found if entry.kind != DiagnosticKind.ROUNDED_SUM or entry is worst)


def error_of(note: Diagnostic) -> float:
    """Return the error of the sum as a multiple of a typical sum; 0 if the note does not contain it."""
    match = _ERROR.search(note.message)
    return float(match[1]) if match else 0.0


def _explains(error: float, cases: Iterable[CaseReport]) -> bool:
    """Return whether a sum with this `error` can cause the errors of all wrong elements of one case."""
    wrong = [case.mismatches for case in cases if case.verdict is Verdict.WRONG_ANSWER and case.mismatches]
    return any(_relative_error(mismatches) <= _MOST_TIMES * error for mismatches in wrong)


def _relative_error(mismatches: Sequence[Mismatch]) -> float:
    """Return the largest error of `mismatches`, each divided by the largest expected value of its output.

    The expected values are those of `mismatches`.
    """
    return max(_of_output(list(some)) for _, some in groupby(mismatches, lambda found: found.argument))


def _of_output(mismatches: Sequence[Mismatch]) -> float:
    errors = [found.absolute_error for found in mismatches]
    largest = max(abs(float(found.expected)) for found in mismatches)
    if any(error is None for error in errors) or not largest:
        return float("inf")
    return max(error for error in errors if error is not None) / largest
