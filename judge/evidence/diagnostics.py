"""Parses the diagnostics of a runner about a program. The text is hostile: bounded, validated, cleaned."""

import json
from collections.abc import Iterable

from judge.report import Diagnostic, Report
from problems.vocabulary import COSTS, DiagnosticKind, Severity, Verdict

MAX_BYTES = 96 * 1024
MAX_DIAGNOSTICS = 120
MAX_SUMS = 8  # in addition
_MAX_MESSAGE = 2000
_MAX_SUMS_MESSAGE = 4000
_RECORDS = {DiagnosticKind.COUNTS, DiagnosticKind.LAUNCH}
# Findings that functional mode repeats in other cases.
_EXPLAINS_CASES = {DiagnosticKind.RACE, DiagnosticKind.STREAM_HAZARD, DiagnosticKind.UNINITIALISED}
_ORDER = {severity: place for place, severity in enumerate(Severity)}


def clean(text: str, limit: int) -> str:
    """Return `text` without control characters except newline and tab, cut to `limit` characters."""
    kept = "".join(c for c in text[: 2 * limit] if c in "\n\t" or (c.isprintable() and c != "\ufeff"))
    return kept if len(kept) <= limit else kept[:limit] + "…"


def parse_diagnostics(data: bytes) -> tuple[Diagnostic, ...]:
    """Return the diagnostics in `data`, JSON lines. Malformed lines are dropped."""
    lines = data[:MAX_BYTES].decode("utf-8", "replace").splitlines()
    found = (_parse_line(line) for line in lines)
    left = {True: MAX_SUMS, False: MAX_DIAGNOSTICS}
    kept = []
    for diagnostic in found:
        if diagnostic is None:
            continue
        sums = diagnostic.kind == DiagnosticKind.SUMS
        if left[sums]:
            left[sums] -= 1
            kept.append(diagnostic)
    return tuple(kept)


def first_error(diagnostics: Iterable[Diagnostic]) -> Diagnostic | None:
    """Return the diagnostic that ended the program, or None. It is the last error written."""
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR]
    return errors[-1] if errors else None


def findings(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics that are findings, errors first.

    Records of launches and counts are not findings.
    """
    found = [diagnostic for diagnostic in diagnostics if diagnostic.kind not in _RECORDS]
    return sorted(found, key=lambda diagnostic: _ORDER[diagnostic.severity])


def distinct(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return `diagnostics` without races and similar findings that repeat an earlier kernel and line."""
    seen: set[tuple[str, str | None, int | str]] = set()
    kept = []
    for diagnostic in diagnostics:
        key = (diagnostic.kind, diagnostic.kernel, diagnostic.line or diagnostic.message)
        if diagnostic.kind not in _EXPLAINS_CASES or key not in seen:
            kept.append(diagnostic)
        seen.add(key)
    return tuple(kept)


def headline(report: Report) -> Diagnostic | None:
    """Return the finding that best explains the verdict of `report`; None if it is accepted or has none.

    This is the finding that ended the program, or else the first. Findings on costs explain no wrong output.
    """
    found = findings(report.diagnostics)
    if report.verdict is Verdict.WRONG_ANSWER:
        found = [finding for finding in found if finding.kind not in COSTS]
    if report.verdict is Verdict.ACCEPTED or not found:
        return None
    return next((finding for finding in found if finding.message in report.message), found[0])


def _parse_line(line: str) -> Diagnostic | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    severity, kind, message = value.get("severity"), value.get("kind"), value.get("message")
    if not (isinstance(severity, str) and isinstance(kind, str) and isinstance(message, str)):
        return None
    if severity not in [*Severity]:
        return None
    line_number = value.get("line")
    kernel = value.get("kernel")
    array = value.get("array")
    return Diagnostic(
        severity=Severity(severity),
        kind=clean(kind, 40),
        message=clean(message, _MAX_SUMS_MESSAGE if kind == DiagnosticKind.SUMS else _MAX_MESSAGE),
        kernel=clean(kernel, 200) if isinstance(kernel, str) else None,
        block=_triple(value.get("block")),
        thread=_triple(value.get("thread")),
        line=line_number if type(line_number) is int and 0 < line_number < 10**6 else None,
        array=clean(array, 80) if isinstance(array, str) else None,
    )


def _triple(value: object) -> tuple[int, int, int] | None:
    if isinstance(value, list) and len(value) == 3 and all(type(v) is int for v in value):
        x, y, z = (max(0, min(int(v), 2**32 - 1)) for v in value)
        return x, y, z
    return None
