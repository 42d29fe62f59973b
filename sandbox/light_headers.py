"""Headers that more than halve the time of the compilers' front ends for small programs.

nvcc puts `cuda_runtime.h` before every source. With extended lambdas it includes <functional>, and in C++17
that brings most containers and algorithms of the standard library, in each of four passes of the compilers.
The same holds for the special functions in <cmath>. Without both, a program lacks only names of the namespace
std. So a program that mentions neither `std` nor `tr1` gets a `cuda_runtime.h` that omits both. Headers that
a program includes itself are complete, except for the special functions. This module also runs inside the
compile sandbox, so it uses only the standard library.
"""

import re
from pathlib import Path

FOLDER = "light"
FLAG = f"-I{FOLDER}"  # before the toolkit's own headers. Without the folder, nothing changes
_MENTIONS_STD = re.compile(rb"\bstd\b|\btr1\b")
_JOINED_LINES = re.compile(rb"\\[ \t]*\r?\n")
_FILES = {
    "cuda_runtime.h": """\
#pragma once
#define _GLIBCXX_BITS_SPECFUN_H 1
#define WARPCOURT_LIGHT
#include_next <cuda_runtime.h>
#undef WARPCOURT_LIGHT
#include <new>
#include <typeinfo>
""",
    "functional": """\
#ifndef WARPCOURT_LIGHT
#include_next <functional>
#endif
""",
}


def suffice(source: bytes) -> bool:
    """Return whether `source` compiles the same with the light headers."""
    return _MENTIONS_STD.search(_JOINED_LINES.sub(b"", source)) is None


def write(folder: Path) -> None:
    """Write the headers for a compilation in `folder`."""
    (folder / FOLDER).mkdir()
    for name, text in _FILES.items():
        (folder / FOLDER / name).write_text(text)
