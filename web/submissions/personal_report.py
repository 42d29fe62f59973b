"""Reads the report of a personal node, which its owner can forge.

Theory of operation. Such a report is only feedback for the owner. So this module removes everything that
could count: scores, times of the trusted clock, hidden cases and listings. It checks the rest against the
types of `judge.report`, and cleans and bounds it like the output of a program. The number of values is
checked before the types, because a list of a million wrong entries would give a million errors. The pages
that show outputs compute with shapes and positions, so these must agree with each other. A forged report can
therefore be wrong, but it cannot break a page or make it slow. The site refuses the whole report if any check
fails.
"""

import math
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

from pydantic import TypeAdapter, ValidationError

from judge.evidence.diagnostics import clean
from judge.report import CaseReport, Report, ShownInput, ShownOutput
from problems.vocabulary import Verdict

_MOST_VALUES = 30_000  # in total
_MOST_ENTRIES = 64  # limit for a list or an object without a separate limit
_MOST_OF = {
    **dict.fromkeys(("diagnostics", "mismatches", "values", "expected", "wrong", "counts"), 256),
    **dict.fromkeys(("shape", "index"), 8),
}
_MOST_ELEMENTS = 256
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
    """Return the part of the report `body` of the personal node `node` that may be stored.

    Raises:
        ReportRefused: see the class.
    """
    _check_amount(body)
    try:
        report = _ADAPTER.validate_python(body)
    except ValidationError as error:
        (first, *_) = error.errors(include_url=False, include_context=False, include_input=False)
        raise ReportRefused(f"The report is malformed: {first['msg']}") from error
    if report.verdict in _NO_VERDICTS:
        raise ReportRefused(
            "The report has the verdict of a run that was not judged. Return the run instead."
        )
    if min((0.0, *(stage.ms for stage in report.stages))) < 0:
        raise ReportRefused("The report has a stage of negative time.")
    environment = {name: report.environment[name] for name in _STAMPS if name in report.environment}
    kept = replace(
        report,
        cases=tuple(_case(case) for case in report.cases if case.public),
        score=None,
        checker_score=None,
        listings={},
        environment={"personal node": node, **environment},
        attempts=1,
    )
    bounded: Report = _bounded(kept, "")
    return bounded


def _check_amount(body: Any) -> None:
    """Refuse a report with too many values. This takes linear time and does not recurse."""
    left, waiting = _MOST_VALUES, [("", body)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            entries = list(value.items())
        elif isinstance(value, list):
            entries = [(name, entry) for entry in value]
        else:
            continue
        left -= len(entries)
        if len(entries) > _MOST_OF.get(name, _MOST_ENTRIES) or left < 0:
            raise ReportRefused("The report has too many entries.")
        waiting += entries


def _case(case: CaseReport) -> CaseReport:
    shown: list[ShownInput | ShownOutput] = [*case.inputs, *case.outputs]
    for each in shown:
        _check_shown(each)
    return replace(case, name=case.name[:_NAME_CHARACTERS], timing=None, told_after=False, checker_score=None)


def _check_shown(shown: ShownInput | ShownOutput) -> None:
    elements = _product(shown.corner)
    sound = 0 < elements == len(shown.values) <= _MOST_ELEMENTS and min((0, *shown.shape)) == 0
    if isinstance(shown, ShownOutput):
        sound = (
            sound
            and len(shown.expected) in {0, elements}
            and len(shown.wrong) <= elements
            and all(0 <= position < elements for position in shown.wrong)
            and _product(shown.grid) <= _MOST_ELEMENTS
            and len(shown.counts) in {0, _product(shown.grid)}
            and min((0, *shown.counts)) == 0
            and sum(shown.counts) <= math.prod(shown.shape)
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
