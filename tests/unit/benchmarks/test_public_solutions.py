"""Tests the choice of the problem for a public solution, and which files are not judged."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.public_solutions import language_of, parameters_of, problem_of, solutions_in, words_of
from problems.schema import Problem
from problems.vocabulary import Language
from tests.unit.judge.packages import DOUBLING

CUDA = 'extern "C" void solve(const float* {0}, float* {1}, int N) {{}}\n'
PYTHON = "def solve(A: object, B: object, N: int):\n    pass\n"


def made(slug: str, title: str, *names: str) -> Problem:
    starters = {Language.CUDA: CUDA.format(*names), Language.PYTHON: PYTHON}
    return replace(DOUBLING, slug=slug, title=title, starters=starters)


PROBLEMS = (
    made("matrix-multiplication", "Matrix Multiplication", "A", "B"),
    made("batched-matmul", "Batched Matrix Multiplication", "A", "B"),
    made("prefix-sum", "Prefix Sum", "input", "output"),
    made("softmax", "Softmax", "input", "output"),
)


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("cuda/Prefix Sum/PrefixSum.cu", "prefix-sum"),
        ("cuda/matmul.cu", "matrix-multiplication"),
        ("cuda/bmm.cu", "batched-matmul"),
        ("leetgpu_softmax/solve.cu", "softmax"),
        ("cuda/sorting.cu", None),
    ],
)
def test_the_words_of_a_path_name_the_problem(path: str, slug: str | None) -> None:
    found = problem_of(path, ("input", "output", "n"), Language.CUDA, PROBLEMS)
    assert (found.slug if found else None) == slug


def test_short_forms_stand_for_words() -> None:
    assert words_of("easy-bmm_fp16") == {"batched", "matrix", "multiplication", "fp16"}


def test_parameters_are_read_in_either_language() -> None:
    assert parameters_of(CUDA.format("input", "output"), Language.CUDA) == ("input", "output", "n")
    assert parameters_of(PYTHON, Language.TRITON) == ("a", "b", "n")
    assert parameters_of("def solve(:\n", Language.PYTHON) == ()
    assert language_of(".py", "@triton.jit\ndef f(): ...\n") is Language.TRITON


def test_whole_programs_and_other_libraries_are_not_judged(tmp_path: Path) -> None:
    (tmp_path / "softmax.cu").write_text(CUDA.format("input", "output"))
    (tmp_path / "prefix_sum.cu").write_text(CUDA.format("input", "output") + "int main() { return 0; }\n")
    (tmp_path / "matmul.py").write_text(f"from tinygrad import Tensor\n{PYTHON}")
    (tmp_path / "notes.py").write_text("print('no solve')\n")
    (tmp_path / "link.cu").symlink_to(tmp_path / "softmax.cu")
    (found,) = solutions_in(tmp_path, PROBLEMS)
    assert (found.program.name, found.problem and found.problem.slug) == ("softmax.cu", "softmax")
