"""Finds the libraries that a CUDA program includes, checks that they are allowed, and selects those to link.

Theory of operation. Only a directive includes a header. A directive needs `#` and the word `include`, with
only white space and comments between them. This module searches for them everywhere, also in comments and
strings, so that a directive cannot be hidden; authors must remove false positives. A header that is named by
a macro, or by an unusual path, cannot be identified and is refused.

The worker scans the source outside any sandbox, so the time must be linear in its length. Any `#` may begin a
directive, even in the comments after another `#`. So the end of the comments after a position is computed
once for each position and cached.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from enum import StrEnum

_SPLICE = re.compile(r"(?:\\|\?\?/)[ \t\v\f]*\r?\n")
_SIGN = re.compile(r"#|%:|\?\?=")
_SPACE = re.compile(r"\s*+")
_WORD = re.compile(r"(?:include_next|include|import)\b")
_HEADER = re.compile(r'<([^>\n]*+)>|"([^"\n]*+)"')
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*(/[A-Za-z0-9_][A-Za-z0-9_.+-]*)*")


class Library(StrEnum):
    """A library that comes with the toolkit. `docs/problem-format.md` describes each."""

    CUB = "cub"
    THRUST = "thrust"
    LIBCUDACXX = "libcudacxx"
    COOPERATIVE_GROUPS = "cooperative-groups"
    WMMA = "wmma"
    CUBLAS = "cublas"
    CUFFT = "cufft"


# Libraries that are linked. One call can replace everything that a problem teaches, so a problem must name
# such a library to allow it.
LINKED = (Library.CUBLAS, Library.CUFFT)


def refused_include(source: str, allowed: Collection[Library] | None) -> str:
    """Return why a program that may only use `allowed` is refused, for its author; empty if it is not.

    `allowed` is None for a problem that allows all libraries except linked ones. Such a problem also allows
    headers that cannot be identified, because their libraries are not linked.
    """
    for name in _headers(_joined(source)):
        if not _PLAIN.fullmatch(name):
            if allowed is None:
                return ""
            return (
                "This problem restricts libraries. Write the literal name of each header, such as "
                "<cuda_runtime.h>, without macros and paths."
            )
        library = library_of(name)
        if library is None or (library not in LINKED if allowed is None else library in allowed):
            continue
        taken = "" if allowed is None else f"; it allows {', '.join(sorted(allowed)) or 'none'}"
        return f"{name} belongs to {library}, which this problem does not allow{taken}."
    return ""


def linked_libraries(source: str, allowed: Collection[Library] | None) -> tuple[Library, ...]:
    """Return the libraries to link: those that the program includes and the problem names."""
    if not any(library in LINKED for library in allowed or ()):
        return ()
    used: set[Library | None] = set()
    for name in _headers(_joined(source)):
        if not _PLAIN.fullmatch(name):
            break
        used.add(library_of(name))
    return tuple(library for library in LINKED if library in used and library in (allowed or ()))


def _joined(source: str) -> str:
    """The text without continued lines."""
    return _SPLICE.sub("", source.replace("\r\n", "\n"))


def _headers(text: str) -> Iterator[str]:
    """Yield the header that each directive of `text` names; empty if it names none.

    The caller must stop at the first that is empty or invalid, to bound the time.
    """
    gaps = _Gaps(text)
    for sign in _SIGN.finditer(text):
        word = _WORD.match(text, gaps.end(sign.end()))
        if word is not None:
            header = _HEADER.match(text, gaps.end(word.end()))
            yield (header[1] or header[2] or "").strip() if header else ""


class _Gaps:
    """Finds the end of white space and comments, in linear time for all positions of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._closes = [found.start() for found in re.finditer(r"\*/", text)]
        self._ends: dict[int, int] = {}

    def end(self, start: int) -> int:
        """Return the first position from `start` that is neither in white space nor in a comment."""
        passed = []
        at: int | None = start
        while at is not None and at not in self._ends:
            passed.append(at)
            end, at = self._after_comment(at)
        if at is not None:
            end = self._ends[at]
        self._ends |= dict.fromkeys(passed, end)
        return end

    def _after_comment(self, at: int) -> tuple[int, int | None]:
        """Return the end of the white space at `at`, and the end of a comment that follows it, or None."""
        space = _SPACE.match(self._text, at)
        end = space.end() if space else at
        if not self._text.startswith("/*", end):
            return end, None
        close = bisect_left(self._closes, end + 2)
        return end, self._closes[close] + 2 if close < len(self._closes) else None


def library_of(header: str) -> Library | None:
    """Return the library of a header, None for headers that every program may include."""
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
        **dict.fromkeys(
            ("cublas.h", "cublas_v2.h", "cublas_api.h", "cublasLt.h", "cublasXt.h"), Library.CUBLAS
        ),
        **dict.fromkeys(("cufft.h", "cufftw.h", "cufftXt.h", "cudalibxt.h"), Library.CUFFT),
    }.get(header)
