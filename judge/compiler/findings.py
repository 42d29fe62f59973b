"""Converts a compilation log into findings: the error, its line, and the fix.

Errors in the file that calls `solve` count only if the program itself has no errors, because errors of the
program may cause them.
"""

import re
from collections.abc import Iterable

from judge.compiler.advice import advice_on
from judge.compiler.log import BINDING, SOURCE, LogEntry, entries
from judge.compiler.signature import signature_finding
from judge.compiler.source import ProgramText
from judge.compiler.unsupported import of_cuda, plain_function, unsupported_text
from judge.evidence.diagnostics import clean
from judge.report import Diagnostic
from problems.schema import Problem
from problems.vocabulary import DiagnosticKind, Severity

MAX_FINDINGS = 16
_MAX_MESSAGE = 600
_MAX_NAME = 100
_LACKS = ": undefined symbol: "
_ABORTED = ("Ptx assembly aborted", "compilation terminated")
_UNDEFINED = ("undefined reference", "unresolved extern")
# A symbol that the linker does not find: 'helper(int)', or mangled: '_Z6helperi'.
_LINKED = re.compile(
    r"[`'](?:_Z(?P<length>\d{1,2})(?P<mangled>\w{1,200})|(?P<plain>[A-Za-z_]\w{0,60})[^']{0,300})'"
)


def compile_findings(log: str, source: str, problem: Problem) -> tuple[Diagnostic, ...]:
    """Return the errors in `log`, the output of compiling `source`, in order: at most MAX_FINDINGS."""
    errors = [entry for entry in entries(log) if entry.severity is Severity.ERROR]
    program = ProgramText.read(source)
    own = [entry for entry in errors if entry.source_line or entry.file != BINDING]
    called = [entry for entry in errors if not entry.source_line and entry.file == BINDING]
    found: dict[tuple[str, int | None], Diagnostic] = {}
    if called and not any(entry.source_line for entry in own):
        finding = signature_finding(called, program, problem)
        found[finding.message, finding.line] = finding
    told: set[int] = set()
    for entry in own:
        if _follows(entry, told):
            continue
        finding = _finding(entry, program)
        found.setdefault((finding.message, finding.line), finding)
        if finding.line:
            told.add(finding.line)
        if len(found) >= MAX_FINDINGS:
            break
    return tuple(found.values())


def load_findings(said: Iterable[Diagnostic], source: str) -> tuple[Diagnostic, ...]:
    """Return findings from the diagnostics `said` of a runner that could not load a program.

    A missing function is reported like a linker error. A missing function of CUDA is missing only in
    functional mode.
    """
    return tuple(_linked(diagnostic, source) for diagnostic in said)


def _linked(said: Diagnostic, source: str) -> Diagnostic:
    _, words, symbol = said.message.rpartition(_LACKS)
    if not words or said.line or said.severity is not Severity.ERROR:
        return said
    program = ProgramText.read(source)
    if of_cuda(symbol):
        name = clean(plain_function(symbol), _MAX_NAME)
        line = program.line_of(name)
        return Diagnostic(Severity.ERROR, DiagnosticKind.LINKER, unsupported_text(name), line=line)
    missing = LogEntry(Severity.ERROR, f"Undefined reference to '{symbol}'", DiagnosticKind.LINKER)
    return _finding(missing, program)


def _follows(entry: LogEntry, told: set[int]) -> bool:
    """Return whether an earlier error already covers this one."""
    again = entry.message.endswith("is undefined in device code") and entry.source_line in told
    return again or entry.message.startswith(_ABORTED)


def _finding(entry: LogEntry, source: ProgramText) -> Diagnostic:
    said = entry.message
    line = entry.source_line
    if said.lower().startswith(_UNDEFINED) and (missing := _LINKED.search(said)):
        name = missing["plain"] or missing["mangled"][: int(missing["length"])]
        said = said.replace(missing[0], f'"{name}"')
        line = source.line_of(name)
    elif entry.pointed and said.startswith('name followed by "::"'):
        said = f'{said}, and "{entry.pointed}" is none'
    if entry.detail:
        said = f"{said}, {entry.detail}" if "(" in entry.detail else f"{said} ({entry.detail})"
    if line is None and entry.file not in ("", SOURCE):
        said = f"{said}, in {entry.file}"
    elif entry.file == SOURCE and entry.trail and entry.trail[-1][0] == SOURCE:
        said = f"{said}, instantiated on line {entry.trail[-1][1]}"
    elif entry.file != SOURCE and entry.trail and line:
        said = f"{said}, in code from {entry.file.rpartition('/')[2]}"
    if said.partition(" ")[0].isalpha():
        said = said[:1].upper() + said[1:]
    said = clean(said, _MAX_MESSAGE)
    advice = advice_on(entry, source)
    end = "" if said.endswith((".", "?", "…")) else "."
    message = f"{said}{end} {advice}" if advice else f"{said}{end}"
    known = line is not None and line <= len(source.lines)
    return Diagnostic(Severity.ERROR, entry.kind, message, line=line if known else None)
