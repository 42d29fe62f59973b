"""Shows a compilation log to the author of the program, who has one file and writes CUDA's keywords.

nvcc compiles a file of the judge (`problems.binding`), which includes the program. It prints the program's
lines as the preprocessor left them. So this module leaves out messages about the judge's file, and writes
`__shared__` for `__attribute__((shared))`. If only the judge's file has errors, they are about the
declaration of `solve`. Then their messages stay, without the lines of that file.
"""

import re
from collections.abc import Iterator

from judge.compiler.log import BINDING, SOURCE, begun_by, entries
from problems.vocabulary import Severity

_CALL = "call of solve"
_ATTRIBUTE = re.compile(
    r"__attribute__\(\((?P<word>shared|device|global|constant|host|managed|grid_constant"
    r"|(?:launch_bounds|cluster_dims|maxnreg)(?=\())(?P<values>\([^()]{0,200}\))?\)\)"
)
_INCLUDED = re.compile(r"(?:In file included| {10,30}) from binding\.cu:\d{1,6}[:,]")
_PLACE = re.compile(r"binding\.cu(?:\(\d{1,6}\)|(?::\d{1,6}){1,2})")
_FILE = re.compile(r"(?<![A-Za-z])binding(?=\.(?:cu|ptx|cubin|fatbin|o|ii|c|cpp)\b|\.cudafe)")
_COUNT = re.compile(r"\d{1,6} errors? detected in the compilation of ")


def shown_log(log: str) -> str:
    """Return `log` for the author of the program."""
    own = any(entry.severity is Severity.ERROR and entry.source_line for entry in entries(log))
    return "\n".join(_with_keywords(_own_lines(log.split("\n"), keep_errors=not own)))


def _own_lines(lines: list[str], *, keep_errors: bool) -> Iterator[str]:
    """Yield the lines about the program. `keep_errors` says that errors of the judge's file stay, too."""
    foreign = left_out = False
    for line in lines:
        entry = begun_by(line)
        if entry is not None:
            foreign = entry.file == BINDING
            if foreign and (entry.severity is not Severity.ERROR or not keep_errors):
                left_out = True
            elif foreign:
                yield f"{_PLACE.sub(_CALL, line)}\n"
            else:
                yield _named(line)
        elif not line.strip():
            if not foreign:
                yield line
            foreign = False
        elif not foreign and not _about_the_file(line) and not (left_out and _COUNT.match(line)):
            yield _named(line)


def _about_the_file(line: str) -> bool:
    """Return whether `line` only says that a message comes from the judge's file."""
    return _INCLUDED.match(line) is not None or line.startswith(f"{BINDING}: ")


def _named(line: str) -> str:
    """Return `line` with the judge's file name replaced by the program's."""
    return _FILE.sub(SOURCE.partition(".")[0], _PLACE.sub(_CALL, line))


def _with_keywords(lines: Iterator[str]) -> Iterator[str]:
    """Yield `lines` with CUDA's keywords for attributes, and with each caret under the same word."""
    before = ""
    for line in lines:
        if line.strip() == "^":
            yield " " * len(_keywords(before[: line.index("^")])) + "^"
        else:
            yield _keywords(line)
        before = line


def _keywords(text: str) -> str:
    return _ATTRIBUTE.sub(lambda found: f"__{found['word']}__{found['values'] or ''}", text)
