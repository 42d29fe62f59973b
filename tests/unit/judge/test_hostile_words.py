"""Tests that hostile output of compilers, sanitizers and runners is read in bounded time."""

from collections.abc import Callable

import pytest

from judge.evidence.counts import parse_counts
from judge.evidence.diagnostics import parse_diagnostics
from judge.evidence.kernels import parse_kernels
from judge.evidence.launches import parse_launches
from judge.evidence.listing_lines import ptx_lines, sass_lines
from judge.evidence.sanitizer import findings
from judge.report import Diagnostic
from problems.vocabulary import Severity
from sandbox.compiled import clean_log
from sandbox.gpu.compile.compilation import ResourceTexts
from tests.growth import assert_linear
from web.results.console import log_lines

ENTRY = "ptxas info : Compiling entry function 'a' for 'sm_90'\n"
PTX = '.file 1 "solution.cu"\n.loc 1 1 1\n\t'
SASS = '//## File "solution.cu", line 1\n '
READERS: dict[str, tuple[Callable[[str], object], list[str]]] = {
    "kernels": (
        lambda text: parse_kernels(ResourceTexts(ptxas=ENTRY + text, usage=f"Function a:\n{text}", names={})),
        [
            "1",
            " bytes",
            "ptxas info : Used ",
            " bytes stack frame, ",
            " bytes cmem[",
            "REG:",
            "CONSTANT[1",
            "'",
        ],
    ),
    "sanitizer": (
        lambda text: findings(f"========= Invalid x\n========= {text}".encode()),
        ["at ", " in a", ":1", "+0x1", "by thread (1", "\n========= Invalid ", "0x0", "\n========= "],
    ),
    "launches": (
        lambda text: parse_launches([Diagnostic(Severity.NOTE, "launch", text[:2000])]),
        ["<<<", "(1", ", ", ">>>", "a<"],
    ),
    "counts": (
        lambda text: parse_counts([Diagnostic(Severity.NOTE, "counts", text[:2000], "add")]),
        ["1", "1 request to global memory: ", "1 necessary sector of ", "; "],
    ),
    "diagnostics": (lambda text: parse_diagnostics(text.encode()), ["{", "[", '"', "1", "\n", "\\", '{"a":']),
    "ptx": (
        lambda text: ptx_lines((PTX + text).split("\n")),
        ["a", ".", ":", " ", "a ", "@%p ", "\n.loc 1 1 1 ", "inlined_at 1 ", ".loc 1 1 1 inlined_at"],
    ),
    "sass": (
        lambda text: sass_lines((SASS + text).split("\n")),
        [" ", "/*", "/*0000*/", '//## File "', '", line 1', "\n//##", ' inlined at "'],
    ),
    "log": (
        lambda text: log_lines(clean_log(text.encode(), ("/usr/local/cuda",))),
        [
            "solution.cu(1",
            "solution.cu:",
            'File "solution.py", line ',
            "/work/",
            "/usr/local/cuda",
            'identifier "so',
        ],
    ),
}


@pytest.mark.parametrize("reader", READERS)
def test_no_words_take_longer_than_their_length_says(reader: str) -> None:
    """16,000 digits took longer than could be waited for, and an instruction of 16,000 letters 0.3 s."""
    read, pieces = READERS[reader]
    for piece in pieces:
        assert_linear(read, piece, length=4000)
        assert_linear(read, piece, length=4000, head=" ", tail="x")
