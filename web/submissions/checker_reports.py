"""Reports on problems whose checker decides which outputs are right.

A checker only says which elements are wrong. For such a problem, the judge compares with filler values, so
the report must show neither expected values nor errors.
"""

from dataclasses import replace

from judge.report import Mismatch, Report


def without_expected_values(report: Report) -> Report:
    """Return `report` with empty texts for expected values, and without errors."""
    cases = tuple(
        replace(
            case,
            mismatches=tuple(map(_without, case.mismatches)),
            outputs=tuple(
                replace(shown, worst=_without(shown.worst) if shown.worst else None) for shown in case.outputs
            ),
        )
        for case in report.cases
    )
    return replace(report, cases=cases)


def _without(mismatch: Mismatch) -> Mismatch:
    return replace(mismatch, expected="", absolute_error=None, relative_error=None)
