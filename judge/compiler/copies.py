"""Finds the line of a copy that the runtime warned of, which knows the call and its pointers alone."""

import re
from collections.abc import Iterable
from dataclasses import replace

from judge.compiler.source import ProgramText
from judge.report import Diagnostic
from problems.vocabulary import DiagnosticKind

_WARNING = re.compile(r"(?P<call>cuda\w{1,60}): the (?P<role>source|destination) is ")
_DIRECTION = re.compile(r"\bcudaMemcpy(?:(?P<source>Host|Device)To(?P<destination>Host|Device)|Default)\b")


def with_copy_lines(found: Iterable[Diagnostic], source: str) -> tuple[Diagnostic, ...]:
    """Return `found`, with lines in warnings about directions where only one call can be meant.

    No line is given if several calls state such a direction, or one states none that can be read.
    """
    entries = tuple(found)
    if all(entry.kind != DiagnosticKind.COPY_DIRECTION for entry in entries):
        return entries
    program = ProgramText.read(source)
    return tuple(replace(entry, line=entry.line or _line_of(entry, program)) for entry in entries)


def _line_of(entry: Diagnostic, program: ProgramText) -> int | None:
    said = _WARNING.match(entry.message)
    if entry.kind != DiagnosticKind.COPY_DIRECTION or said is None:
        return None
    lines = []
    for line, text in program.statements_of(said["call"]):
        stated = _DIRECTION.findall(text)
        if len(stated) != 1:
            return None
        source, destination = stated[0]
        if (source if said["role"] == "source" else destination) == "Host":
            lines.append(line)
    return lines[0] if len(lines) == 1 else None
