"""Selects notes on masked loads without `other`: only those that may explain a wrong answer.

Functional mode runs a wrong Triton program twice, with garbage and with zeros in the elements that a mask
excludes. If the same elements are wrong in the same way, these elements did not matter.
"""

from collections.abc import Iterable, Sequence

from judge.report import CaseReport, Diagnostic
from problems.vocabulary import DiagnosticKind


def without_unrelated_masks(
    found: Iterable[Diagnostic], cases: Sequence[CaseReport], filled: Sequence[CaseReport]
) -> tuple[Diagnostic, ...]:
    """Return `found`, without notes on masked loads if `cases` and `filled` agree.

    `filled` are the reports of the cases with zeros in masked elements.
    """
    unrelated = {DiagnosticKind.MASKED_LOAD} if _wrong(cases) == _wrong(filled) else set()
    return tuple(entry for entry in found if entry.kind not in unrelated)


def _wrong(cases: Iterable[CaseReport]) -> list[object]:
    """Return what is wrong in each case. Errors are left out, because NaN differs from itself."""
    return [
        (
            case.name,
            case.verdict,
            case.message,
            case.wrong_outputs,
            [(found.argument, found.index, found.got) for found in case.mismatches],
        )
        for case in cases
    ]
