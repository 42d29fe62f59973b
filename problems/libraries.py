"""Which libraries a CUDA program includes, for problems that do not allow all of them.

Theory of operation. Nothing but a directive brings a header in, and a directive needs its sign and the word
`include` with only white space and comments between. Those are looked for everywhere, in comments and texts
too, so that no way of hiding one from us works: what is found too much, its author takes out. A header that
is not named as it is known, by a macro or by a path that leads elsewhere, cannot be told and is refused.
"""

import re
from collections.abc import Collection
from enum import StrEnum

_SPLICE = re.compile(r"(?:\\|\?\?/)[ \t\v\f]*\r?\n")
_GAP = r"(?:\s|/\*.*?\*/)*"
_DIRECTIVE = re.compile(
    rf"(?:\#|%:|\?\?=){_GAP}(?:include_next|include|import)\b{_GAP}(?:<([^>\n]*)>|\"([^\"\n]*)\"|)", re.DOTALL
)
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*(/[A-Za-z0-9_][A-Za-z0-9_.+-]*)*")


class Library(StrEnum):
    """A library of headers that comes with the toolkit. What it is about is in `docs/problem-format.md`."""

    CUB = "cub"
    THRUST = "thrust"
    LIBCUDACXX = "libcudacxx"
    COOPERATIVE_GROUPS = "cooperative-groups"
    WMMA = "wmma"


def refused_include(source: str, allowed: Collection[Library]) -> str:
    """Why a program that may use `allowed` alone is refused, for its author; empty when it is not."""
    text = _SPLICE.sub("", source.replace("\r\n", "\n"))
    for found in _DIRECTIVE.finditer(text):
        name = found[1] if found[1] is not None else found[2]
        if name is None or not _PLAIN.fullmatch(name.strip()):
            return (
                "This problem allows some libraries only, so name each header as it is called, such as "
                "<cuda_runtime.h>: no macros, no paths."
            )
        library = library_of(name.strip())
        if library is not None and library not in allowed:
            taken = ", ".join(sorted(allowed)) or "none"
            return (
                f"{name.strip()} belongs to {library}, which this problem does not allow; it allows {taken}."
            )
    return ""


def library_of(header: str) -> Library | None:
    """The library of a header, None for what every program may include."""
    header = header.removeprefix("cccl/")  # where CUDA 13 has the folders of cub, thrust and libcudacxx
    folder = header.partition("/")[0] if "/" in header else ""
    if folder in {"cub", "thrust", "cooperative_groups"}:
        return Library(folder.replace("_", "-"))
    if folder in {"cuda", "nv"}:
        return Library.LIBCUDACXX
    return {
        "cooperative_groups.h": Library.COOPERATIVE_GROUPS,
        "mma.h": Library.WMMA,
        "crt/mma.h": Library.WMMA,
        "crt/mma.hpp": Library.WMMA,
    }.get(header)
