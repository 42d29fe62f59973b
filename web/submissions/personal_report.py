"""Reads the report of a personal node, which its owner can forge.

Theory of operation. Such a report is feedback for the owner and nothing else, so what could count is removed
here: scores, times of the trusted clock, hidden cases and listings. What remains is checked against the types
of `judge.report`, and cleaned and bounded as the output of a program is. The pages that show outputs compute
with shapes and positions; these must agree with each other. So a forged report can be wrong, but it cannot
break a page. The site refuses a report with anything else as a whole.
"""

import math
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

from pydantic import TypeAdapter, ValidationError

from judge.evidence.diagnostics import clean
from judge.report import CaseReport, Report, ShownInput, ShownOutput
from problems.vocabulary import Verdict

_MOST_CASES = 64
_MOST_FINDINGS = 256
_MOST_ELEMENTS = 4096
_NAME_CHARACTERS = 60
_STAMP_CHARACTERS = 120
_LONG = {"log", "output"}
_LONG_CHARACTERS = 64 * 1024
_TEXT_CHARACTERS = 2000
_MOST_NUMBER = 2**53
_STAMPS = ("target", "gpu", "driver", "nvcc", "triton", "images")
_NO_VERDICTS = {Verdict.INTERNAL_ERROR, Verdict.CANCELLED}


class ReportRefused(Exception):
    """Raised when a personal node may not send such a report. The message says why."""


def read_report(body: Any, *, node: str) -> Report:
    """Return what may be stored of the report `body` of the personal node `node`.

    Raises:
        ReportRefused: see the class.
    """
    try:
        report = _ADAPTER.validate_python(body)
    except ValidationError as error:
        raise ReportRefused(f"The report is malformed: {error.errors()[0]['msg']}") from error
    if report.verdict in _NO_VERDICTS:
        raise ReportRefused(
            "The report has the verdict of a run that was not judged. Return the run instead."
        )
    cases = [case for case in report.cases if case.public]
    if len(cases) > _MOST_CASES or len(report.diagnostics) > _MOST_FINDINGS:
        raise ReportRefused("The report has too many cases or findings.")
    environment = {name: report.environment[name] for name in _STAMPS if name in report.environment}
    kept = replace(
        report,
        cases=tuple(map(_case, cases)),
        score=None,
        listings={},
        environment={"personal node": node, **environment},
        attempts=1,
    )
    bounded: Report = _bounded(kept, "")
    return bounded


def _case(case: CaseReport) -> CaseReport:
    shown: list[ShownInput | ShownOutput] = [*case.inputs, *case.outputs]
    for each in shown:
        _check_shown(each)
    return replace(case, name=case.name[:_NAME_CHARACTERS], timing=None, told_after=False)


def _check_shown(shown: ShownInput | ShownOutput) -> None:
    elements = _product(shown.corner)
    sound = elements == len(shown.values) <= _MOST_ELEMENTS and min((0, *shown.shape)) == 0
    if isinstance(shown, ShownOutput):
        sound = (
            sound
            and len(shown.expected) in {0, elements}
            and len(shown.wrong) <= elements
            and all(0 <= position < elements for position in shown.wrong)
            and _product(shown.grid) <= _MOST_ELEMENTS
            and len(shown.counts) in {0, _product(shown.grid)}
            and min((0, *shown.counts)) == 0
        )
    if not sound:
        raise ReportRefused("The shapes of an input or output do not agree with its elements.")


def _product(extents: tuple[int, int]) -> int:
    if not all(0 <= extent <= _MOST_ELEMENTS for extent in extents):
        raise ReportRefused("An input or output has too many elements.")
    return math.prod(extents)


def _bounded(value: Any, name: str) -> Any:
    """Return `value` with clean, bounded texts and numbers that every database stores."""
    match value:
        case Enum() | bool() | None:
            return value
        case str():
            return clean(value, _LONG_CHARACTERS if name in _LONG else _TEXT_CHARACTERS)
        case int() | float():
            if not abs(value) <= _MOST_NUMBER:  # NaN compares false
                raise ReportRefused("The report has a number that is too large.")
            return value
        case tuple():
            return tuple(_bounded(entry, name) for entry in value)
        case dict():
            return {clean(key, _STAMP_CHARACTERS): _bounded(entry, name) for key, entry in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        changes = {each.name: _bounded(getattr(value, each.name), each.name) for each in fields(value)}
        return replace(value, **changes)
    raise ReportRefused("The report has a value of an unknown type.")


_ADAPTER: TypeAdapter[Report] = TypeAdapter(Report)
