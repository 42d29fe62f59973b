"""Parses a compilation log into entries: messages of nvcc's front end, g++, ptxas and the linkers.

The log contains text of the program, so it is as hostile as the program. The parser reads each line once, and
only a bounded part of it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from problems.vocabulary import DiagnosticKind, Severity

SOURCE, BINDING = "solution.cu", "binding.cu"
MAX_CHARACTERS = 128 * 1024
MAX_ENTRIES = 200
_MAX_LINE = 1200
_MAX_TRAIL = 64

# solution.cu(3): error: identifier "x" is undefined
_FRONT = re.compile(
    r"(?P<file>[^\s():][^():]{0,300})\((?P<line>\d{1,6})\): "
    r"(?P<severity>catastrophic error|fatal error|error|warning|note|remark)"
    r"(?: #\d{1,6}(?:-D)?)?: (?P<message>.*)"
)
_AT_END = re.compile(r"At end of source: (?P<severity>catastrophic error|error|warning): (?P<message>.*)")
# solution.cu:1:10: fatal error: x.h: No such file or directory
_GNU = re.compile(
    r"(?P<file>[^\s:][^:]{0,300}):(?P<line>\d{1,6}):(?:\d{1,6}:)? "
    r"(?P<severity>fatal error|[Ee]rror|[Ww]arning|note): (?P<message>.*)"
)
# ptxas binding.ptx, line 35; error   : Not a name of any known instruction: 'bogus'
_DEVICE = re.compile(
    r"(?P<tool>ptxas|nvlink|nvcc)\b(?: [^,;]{1,300}, line \d{1,7};)? "
    r"(?P<severity>error|fatal|warning|info) {0,4}: (?P<message>.*)"
)
_LINK_WORDS = ("undefined reference to ", "multiple definition of ")
_ASSEMBLY = "the inline assembly cannot be assembled: "
_INCLUDED = re.compile(
    r"(?:In file included|  {10,30}) from (?P<file>[^\s:][^:]{0,300}):(?P<line>\d{1,6})[:,]"
)
_REQUIRED = re.compile(r"(?P<file>[^\s:][^:]{0,300}):(?P<line>\d{1,6}):(?:\d{1,6}:)?   required from")
_FROM = re.compile(r"at line (?P<line>\d{1,6})(?: of \"?(?P<file>[^\s\"]{1,300})\"?)?$")
_INSTANTIATION = re.compile(r"instantiation of (?:class )?\"(?P<name>.*)\" at line ")
_DETAIL = re.compile(r" {10,14}(?:argument|operand|object) types? (?:is|are): ")
_WORD = re.compile(r"\w{1,80}|\S")
_SEVERITIES = {
    "warning": Severity.WARNING,
    "note": Severity.NOTE,
    "remark": Severity.NOTE,
    "info": Severity.NOTE,
}


@dataclass(slots=True)
class LogEntry:
    """One message of a compiler. `kind` is `compiler`, `assembler` or `linker`.

    `file` and `line` are its location, if known. `trail` lists the instantiations and includes that led
    there, the nearest first. `pointed` is the word under the caret, and `first` says whether this word begins
    its line. `instance` is the outermost template instance.
    """

    severity: Severity
    message: str
    kind: DiagnosticKind = DiagnosticKind.COMPILER
    file: str = ""
    line: int | None = None
    detail: str = ""
    pointed: str = ""
    first: bool = False
    instance: str = ""
    trail: list[tuple[str, int]] = field(default_factory=list)

    @property
    def source_line(self) -> int | None:
        """The line of the program that this message is about, or None."""
        places = [(self.file, self.line), *self.trail]
        return next((line for file, line in places if file == SOURCE), None)


def entries(log: str) -> Iterator[LogEntry]:
    """Yield the entries of `log` in order. A note is not an entry: it belongs to the entry before it."""
    found = 0
    entry: LogEntry | None = None
    echo = ""
    led: list[tuple[str, int]] = []
    for whole in log[:MAX_CHARACTERS].split("\n"):
        line = whole[:_MAX_LINE].rstrip("\r")
        if came := _INCLUDED.match(line) or _REQUIRED.match(line):
            led = [*led, (came["file"], int(came["line"]))][:_MAX_TRAIL]
            continue
        begun = begun_by(line)
        if begun is None:
            if entry is not None:
                _read_more(entry, line, whole, echo)
            echo = line
            continue
        if begun.severity is Severity.NOTE:
            if entry is not None and not entry.file:
                entry.file, entry.line = begun.file, begun.line
            continue
        if entry is not None:
            yield entry
            found += 1
            if found == MAX_ENTRIES:
                return
        begun.trail, led = led, []
        entry, echo = begun, ""
    if entry is not None:
        yield entry


def begun_by(line: str) -> LogEntry | None:
    """Return the entry that begins with `line`, or None. It reads a bounded part of the line."""
    line = line[:_MAX_LINE]
    if match := _FRONT.fullmatch(line) or _GNU.fullmatch(line):
        return _entry(match, file=match["file"], line=int(match["line"]))
    if match := _AT_END.fullmatch(line):
        return _entry(match)
    if match := _DEVICE.fullmatch(line):
        return _entry(
            match, kind=DiagnosticKind.LINKER if match["tool"] == "nvlink" else DiagnosticKind.ASSEMBLER
        )
    if line.startswith(_ASSEMBLY):
        return LogEntry(Severity.ERROR, line, DiagnosticKind.ASSEMBLER)
    for words in _LINK_WORDS:
        at = line.find(words)
        if at >= 0:
            return LogEntry(Severity.ERROR, line[at:], DiagnosticKind.LINKER)
    return None


def _entry(
    match: re.Match[str],
    *,
    kind: DiagnosticKind = DiagnosticKind.COMPILER,
    file: str = "",
    line: int | None = None,
) -> LogEntry:
    severity = _SEVERITIES.get(match["severity"].lower(), Severity.ERROR)
    return LogEntry(severity, match["message"].strip(), kind, file, line)


def _read_more(entry: LogEntry, line: str, whole: str, echo: str) -> None:
    """Add the information in a further line of `entry` to it. `echo` is the line before."""
    if line.strip() == "^":
        if not entry.pointed:
            at = len(line.rstrip()) - 1
            word = _WORD.match(echo, at)
            entry.pointed = word[0] if word else ""
            entry.first = not echo[:at].strip()
    elif match := _FROM.search(whole[-400:]):
        if len(entry.trail) < _MAX_TRAIL:
            entry.trail.append((match["file"] or entry.file, int(match["line"])))
        if instance := _INSTANTIATION.search(line):
            entry.instance = instance["name"]
    elif not entry.detail and _DETAIL.match(line):
        entry.detail = line.strip()
