"""Maps each line of a listing to its source line, from the information that `-lineinfo` adds.

In PTX, `.loc FILE LINE COLUMN` precedes the instructions of a line, with `inlined_at FILE LINE COLUMN` for
code of another function. `.file NUMBER "NAME"` is at the end of the text. A disassembly has `//## File
"NAME", line LINE`, followed by `inlined at "NAME", line LINE`. Inlined code of a header belongs to the line
of the submission that called it. The text comes from a sandbox: unknown text maps to no line.

Source: PTX ISA, "Debugging Directives"; CUDA Binary Utilities, nvdisasm, --print-line-info-inline.
"""

import re
from collections.abc import Iterator, Sequence

SOURCE_NAME = "solution.cu"
_MAX_LINE = 10**6
_FILE = re.compile(r'\s*\.file\s+(\d{1,6})\s+"([^"]*)"')
_LOC = re.compile(r"\s*\.loc\s+(\d{1,6})\s+(\d{1,7})\s+\d+(?:.*\binlined_at\s+(\d{1,6})\s+(\d{1,7}))?")
_PTX_OPERATION = re.compile(r"\s++(?:@!?%\w++\s++)?[a-z]")
_MARKER = re.compile(r'\s*//## File "([^"]*)", line (\d{1,7})(?: inlined at "([^"]*)", line (\d{1,7}))?')
_SASS_INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+\S")


def ptx_lines(text: Sequence[str]) -> list[int | None]:
    """Return the line of the submission for each line of PTX, None if it has none."""
    ours = {match[1] for line in text if (match := _FILE.match(line)) and _is_ours(match[2])}
    return list(_ptx(text, ours))


def sass_lines(text: Sequence[str]) -> list[int | None]:
    """Return the line of the submission for each line of a disassembly, None if it has none."""
    return list(_sass(text))


def _ptx(text: Sequence[str], ours: set[str]) -> Iterator[int | None]:
    here: int | None = None
    for line in text:
        if match := _LOC.match(line):
            file, number, caller, call = match.groups()
            here = _number(number) if file in ours else _number(call) if caller in ours else None
        elif line.startswith(("}", ".")):
            here = None  # the function ends, or another begins
        yield here if here is not None and ";" in line and _PTX_OPERATION.match(line) else None


def _sass(text: Sequence[str]) -> Iterator[int | None]:
    here: int | None = None
    in_markers = False
    for line in text:
        if match := _MARKER.match(line):
            file, number, caller, call = match.groups()
            found = _number(number) if _is_ours(file) else None
            if found is None and caller and _is_ours(caller):
                found = _number(call)
            # If several markers follow each other, the first is the innermost.
            here = found if not in_markers or here is None else here
            in_markers = True
            yield None
            continue
        in_markers = False
        if line.startswith(("//---", "\t.section", ".text.")):
            here = None
        yield here if here is not None and _SASS_INSTRUCTION.match(line) else None


def _is_ours(file: str) -> bool:
    return file.rpartition("/")[2] == SOURCE_NAME


def _number(text: str | None) -> int | None:
    number = int(text or 0)
    return number if 0 < number < _MAX_LINE else None
