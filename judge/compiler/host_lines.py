"""Finds the lines of findings on host code. The runtime reports only the call and the pointers.

The lines come from the text of the program. A finding gets a line only if exactly one place in the text
matches. There is one exception: the first access to an array counts as the access that ended the program.

The findings are hostile, and the worker searches outside a sandbox. So it looks up each message once, and
only the first few distinct messages.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from judge.compiler.source import ProgramText
from judge.report import Diagnostic
from problems.vocabulary import DiagnosticKind

_WARNING = re.compile(r"(?P<call>cuda\w{1,60}): the (?P<role>source|destination) is ")
_DIRECTION = re.compile(r"\bcudaMemcpy(?:(?P<source>Host|Device)To(?P<destination>Host|Device)|Default)\b")
_CALL = re.compile(
    r"(?P<name>cuda\w{1,60})"
    r"(?: \((?P<source>host|device) to (?P<destination>host|device)\) copies | made the host wait )"
)
_ACCESS = re.compile(r"host code (?P<verb>read|wrote) device memory \((?:argument (?P<argument>\w{1,80}))?")
# In order: the operation that the host must wait for, the second operation of a stream hazard, the first.
_HAZARDS = (
    re.compile(r"\bwhile (?P<called>.{1,300}?) in (?:stream|the default stream)\b"),
    re.compile(r" it, (?P<called>.{1,300}?) in (?:stream|the default stream)\b"),
    re.compile(r"stream hazard on .{1,300}?: (?P<called>.{1,300}?) in (?:stream|the default stream)\b"),
)
_CALLED = re.compile(
    r"(?:kernel )?(?P<name>[\w:<>, ]{1,200}?)"
    r"(?: \((?P<source>host|device) to (?P<destination>host|device)\)| \(line.{0,40})?$"
)
_OF_ARGUMENT = re.compile(r"\bargument (?P<argument>\w{1,80})")
_REFUSED = re.compile(
    r"(?:cooperative )?kernel (?P<kernel>.{1,300}?) (?:was (?:launched|refused)|failed)\b"
    r"|(?P<call>cuda\w{1,60})"
)
_LATE = re.compile(r"time limit of \d{1,10} ms exceeded(?P<place>, in kernel | in host code|)")
_ALLOCATED = re.compile(r"\s{0,8}(?:\([^()]{1,40}\)\s{0,8})?&\s{0,8}(?P<name>[A-Za-z_]\w{0,60})")
_MOST_NAMES = 16  # each requires a search of the program
_MOST_MESSAGES = 8  # distinct messages that get lines
_LAST_NAME = re.compile(r"([A-Za-z_]\w{0,60})\s{0,8}(?:\[\s{0,8}\])?$")
# What the finding lists, the calls that create it, and the call that frees it.
_HELD = (
    (re.compile(r"\ballocations? with "), ("cudaMalloc", "cudaMallocAsync", "cudaMallocManaged"), "cudaFree"),
    (re.compile(r"\bstreams?\b"), ("cudaStreamCreate", "cudaStreamCreateWithFlags"), "cudaStreamDestroy"),
    (re.compile(r"\bevents?\b"), ("cudaEventCreate", "cudaEventCreateWithFlags"), "cudaEventDestroy"),
)


def with_host_lines(
    found: Iterable[Diagnostic], source: str, arguments: Iterable[str] = ()
) -> tuple[Diagnostic, ...]:
    """Return `found`, with lines for findings on calls, accesses and launches of the host, and endless loops.

    `arguments` are the names of the arguments of solve, in order. The program may use other names for its
    parameters.
    """
    entries = tuple(found)
    if all(entry.line or entry.kind not in {*_FINDERS, DiagnosticKind.LAUNCH_BOUND} for entry in entries):
        return entries
    program = ProgramText.read(source)
    names = dict(zip(arguments, map(_name_in, program.parameters_of("solve")), strict=False))
    found_lines: dict[tuple[str, str], int | None] = {}

    def line_of(entry: Diagnostic) -> int | None:
        launch = entry.kind == DiagnosticKind.LAUNCH_BOUND
        find = _FINDERS.get(entry.kind)
        if entry.line or not (launch or find):
            return entry.line
        key = (entry.kind, (entry.kernel or "") if launch else entry.message)
        if key not in found_lines and len(found_lines) < _MOST_MESSAGES:
            found_lines[key] = (
                program.launch_of(key[1]) if find is None else find(entry.message, program, names)
            )
        return found_lines.get(key)

    return tuple(replace(entry, line=line_of(entry)) for entry in entries)


def _line_of_copy(message: str, program: ProgramText, _: Mapping[str, str]) -> int | None:
    """Return the line of the only copy in this direction; None if there are several or one is unclear."""
    said = _WARNING.match(message)
    if said is None:
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


def _line_of_call(message: str, program: ProgramText, _: Mapping[str, str]) -> int | None:
    """Return the line of the only matching call that may copy in the direction that the message states."""
    said = _CALL.match(message)
    return _only_call(program.statements_of(said["name"]), said, "") if said else None


def _line_of_hazard(message: str, program: ProgramText, names: Mapping[str, str]) -> int | None:
    """Return the line of the call that must wait, or that the host must wait for, if only one matches."""
    argument = _OF_ARGUMENT.search(message)
    array = names.get(argument["argument"], argument["argument"]) if argument else ""
    for pattern in _HAZARDS:
        found = pattern.search(message)
        called = _CALLED.match(found["called"]) if found else None
        if called is None:
            continue
        line = program.launch_of(called["name"]) if "cuda" not in called["name"] else None
        line = line or _only_call(program.statements_of(called["name"]), called, array)
        if line is not None:
            return line
    return None


def _line_of_refusal(message: str, program: ProgramText, _: Mapping[str, str]) -> int | None:
    """Return the line of the only launch of the kernel, or of the only call, that was refused."""
    said = _REFUSED.match(message)
    if said is None:
        return None
    if said["kernel"]:
        return program.launch_of(said["kernel"])
    lines = [line for line, _ in program.statements_of(said["call"])]
    return lines[0] if len(lines) == 1 else None


def _line_of_loop(message: str, program: ProgramText, _: Mapping[str, str]) -> int | None:
    """Return the line of the only endless loop, or of the only loop, in the code that was running.

    A GPU does not say whether a kernel or host code was running. There, only an endless loop counts.
    """
    said = _LATE.match(message)
    if said is None:
        return None
    loops = program.loops()
    if said["place"]:
        loops = [loop for loop in loops if loop.host is (said["place"] == " in host code")]
    endless = [loop.line for loop in loops if loop.endless]
    lines = endless or [loop.line for loop in loops if said["place"]]
    return lines[0] if len(lines) == 1 else None


def _only_call(statements: Iterable[tuple[int, str]], called: re.Match[str], array: str) -> int | None:
    """Return the line of the only one of `statements` that may copy in this direction, or may use `array`."""
    way = (called["source"], called["destination"])
    calls = []
    for line, text in statements:
        stated = [tuple(word.lower() for word in found) for found in _DIRECTION.findall(text)]
        if not called["source"] or not stated or stated[0] in (way, ("", "")):
            calls.append((line, text))
    if len(calls) > 1 and array:
        calls = [call for call in calls if re.search(rf"\b{re.escape(array)}\b", call[1])]
    return calls[0][0] if len(calls) == 1 else None


def _line_of_access(message: str, program: ProgramText, names: Mapping[str, str]) -> int | None:
    """Return the first line outside kernels that reads (or writes) an element of the array of the message."""
    said = _ACCESS.match(message)
    if said is None:
        return None
    argument = said["argument"]
    wanted = [names.get(argument, argument)] if argument else _allocated(program)
    writes, host = said["verb"] == "wrote", program.host_code()
    lines = [program.first_access(name, writes=writes, host=host) for name in wanted]
    return min((line for line in lines if line is not None), default=None)


def _line_of_leak(message: str, program: ProgramText, _: Mapping[str, str]) -> int | None:
    """Return the line of the only creating call without a matching free, or of the only creating call."""
    lines, all_lines = [], []
    for listed, makers, freer in _HELD:
        if not listed.search(message.partition(", in each call")[0]):
            continue
        freed = {_name_in(text.partition(")")[0]) for _, text in program.statements_of(freer)}
        for maker in makers:
            made = ((line, _ALLOCATED.match(text)) for line, text in program.statements_of(maker))
            named = [(line, match["name"]) for line, match in made if match]
            all_lines += [line for line, _ in named]
            lines += [line for line, name in named if name not in freed]
    chosen = lines or all_lines
    return chosen[0] if len(chosen) == 1 else None


def _allocated(program: ProgramText) -> list[str]:
    texts = (text for maker in _HELD[0][1] for _, text in program.statements_of(maker))
    names = dict.fromkeys(match["name"] for text in texts if (match := _ALLOCATED.match(text)))
    return list(names)[:_MOST_NAMES]


def _name_in(declaration: str) -> str:
    """Return the name that `declaration` declares, empty if it cannot be recognised."""
    match = _LAST_NAME.search(declaration.strip()[-200:])
    return match[1] if match else ""


_FINDERS: Mapping[str, Callable[[str, ProgramText, Mapping[str, str]], int | None]] = {
    DiagnosticKind.COPY_DIRECTION: _line_of_copy,
    DiagnosticKind.CUDA_ERROR: _line_of_refusal,
    DiagnosticKind.HOST_ACCESS: _line_of_access,
    DiagnosticKind.LEAK: _line_of_leak,
    DiagnosticKind.NEEDLESS_WAIT: _line_of_call,
    DiagnosticKind.PAGEABLE_COPY: _line_of_call,
    DiagnosticKind.STREAM_HAZARD: _line_of_hazard,
    DiagnosticKind.TIME_LIMIT: _line_of_loop,
}
