"""Tests that hints which contain an accepted solution in any form are refused."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from judge.proof.hints import check_hints, shown_share
from problems.loader import load_all, problems_root
from problems.schema import Problem, Solution
from problems.vocabulary import Language, Severity, Verdict
from tests.unit.judge.environment import SCALING

KERNEL = """\
// One thread per element.
#include <cuda_runtime.h>

__global__ void scale(const float* x, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = 2.0f * x[i];
    }
}

extern "C" void solve(const float* x, float* y, int count) {
    scale<<<(count + 255) / 256, 256>>>(x, y, count);
}
"""
PROGRAM = '''"""One program per block."""

import triton
import triton.language as tl


@triton.jit
def scale(x, y, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)  # its elements
    tl.store(y + at, 2 * tl.load(x + at, mask=at < count), mask=at < count)
'''
FENCED = f"Write this:\n\n```cuda\n{KERNEL}```\n"


@pytest.fixture
def problem(tmp_path: Path) -> Problem:
    solutions = []
    for name, source, verdict in (
        ("plain.cu", KERNEL, Verdict.ACCEPTED),
        ("plain.py", PROGRAM, Verdict.ACCEPTED),
        ("wrong.cu", "__global__ void wrong() { int nothing_at_all = 0; }", Verdict.WRONG_ANSWER),
    ):
        (tmp_path / name).write_text(source)
        language = Language.CUDA if name.endswith(".cu") else Language.TRITON
        solutions.append(Solution(tmp_path / name, language, verdict, "A note."))
    return replace(SCALING, solutions=tuple(solutions), starters={})


def found(problem: Problem, *hints: str) -> list[tuple[str, str]]:
    findings = list(check_hints(replace(problem, hints=hints)))
    assert all(finding.severity is Severity.ERROR for finding in findings)
    return [(finding.place, finding.text) for finding in findings]


def test_words_and_a_few_lines_are_fine(problem: Problem) -> None:
    few = "```cuda\nint i = blockIdx.x * blockDim.x + threadIdx.x;\n```"
    assert (
        found(problem, "Look.", f"Use the index of the thread:\n\n{few}", "Guard it with `i < count`.") == []
    )
    assert found(problem) == []


@pytest.mark.parametrize(
    "hint",
    [
        FENCED,
        FENCED.replace("```cuda", "~~~~").replace("```", "~~~~"),
        KERNEL,  # without a fence
        KERNEL.replace("    ", "").replace("(", " ( "),
        KERNEL.replace(";", "; /* and then */"),
        "\n".join(f"    {line}" for line in KERNEL.splitlines()),
        KERNEL.replace("\n", " ").replace("// One thread per element.", ""),
    ],
)
def test_a_solution_is_found_however_it_is_laid_out(problem: Problem, hint: str) -> None:
    [(place, text)] = found(problem, "Look.", hint)
    assert place == "hints/2.md"
    assert "of the accepted solution plain.cu, together with the hints before it" in text


def test_most_of_it_is_too_much_and_comments_do_not_hide_it(problem: Problem) -> None:
    body = PROGRAM.partition("@triton.jit")[2]
    [(place, text)] = found(problem, body.replace("its elements", "the elements of this block"))
    assert (place, text.endswith("of the accepted solution plain.py")) == ("hints/1.md", True)


def test_pieces_add_up_and_are_reported_once(problem: Problem) -> None:
    lines = KERNEL.splitlines()
    hints = ("\n".join(lines[:5]), "\n".join(lines[5:9]), "\n".join(lines[9:]))
    assert [place for place, _ in found(problem, *hints)] == ["hints/2.md"]
    assert found(problem, hints[0]) == []


def test_wrong_solutions_may_be_shown(problem: Problem) -> None:
    assert found(problem, "__global__ void wrong() { int nothing_at_all = 0; }") == []


def test_what_the_starter_gives_does_not_count(problem: Problem) -> None:
    begun = replace(problem, starters={Language.CUDA: KERNEL})
    assert found(begun, FENCED) == []


def test_shipped_hints_show_no_solution_and_the_check_would_notice() -> None:
    for problem in load_all(problems_root()):
        assert list(check_hints(problem)) == []
        for solution in problem.solutions:
            # A program to correct may need nothing but another order of its lines.
            if solution.verdict is Verdict.ACCEPTED and problem.fix is None:
                assert shown_share(problem, solution, solution.path.read_text()) > 0.99


@pytest.mark.parametrize("piece", ['"""', "/*", "'''", "#", "//", "`", "~~~\n", '"'])
def test_hostile_texts_take_no_time(problem: Problem, piece: str) -> None:
    started = time.monotonic()
    list(check_hints(replace(problem, hints=(piece * (2000 // len(piece)),) * 3)))
    assert time.monotonic() - started < 1
