"""Tests that bindings and starters compile, and that errors explain a wrong signature."""

import dataclasses
import shutil
import subprocess
from pathlib import Path

import pytest

from judge.proof.trivial import trivial_programs
from problems.binding import binding_cuda, starter
from problems.loader import load_problem, problems_root
from problems.schema import Argument, Problem
from problems.vocabulary import Dtype, Language, Role
from testing.services import need

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def vector_add() -> Problem:
    return load_problem(problems_root() / "vector-add")


def compile_cuda(folder: Path, problem: Problem, source: str) -> str:
    """Return the errors of nvcc about `source` with the problem's binding, empty if there are none."""
    need(shutil.which("nvcc") is not None, "nvcc", "run make setup")
    (folder / "solution.cu").write_text(source)
    (folder / "binding.cu").write_text(binding_cuda(problem))
    argv = ["nvcc", "-arch=compute_80", "-Xcompiler=-Wall,-Werror", "-c", "-o", "/dev/null", "binding.cu"]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode == 0) == (not done.stderr), done.stderr
    return done.stderr


def test_starters_compile_for_every_dtype(tmp_path: Path, vector_add: Problem) -> None:
    """One signature with an array and a scalar of every type, so that one compilation tests them all."""
    array, scalar = vector_add.arguments[0], vector_add.arguments[3]
    arguments: list[Argument] = []
    for dtype in Dtype:
        role = (Role.IN, Role.OUT, Role.INOUT)[len(arguments) % 3]
        arguments.append(dataclasses.replace(array, name=f"array_{dtype}", dtype=dtype, role=role))
        arguments.append(dataclasses.replace(scalar, name=f"scalar_{dtype}", dtype=dtype))
    problem = dataclasses.replace(vector_add, arguments=tuple(arguments))
    assert compile_cuda(tmp_path, problem, starter(problem, Language.CUDA)) == ""


def test_trivial_programs_compile(tmp_path: Path, vector_add: Problem) -> None:
    for program in trivial_programs(vector_add):
        if program.name in {"nan", "copy of a", "mean of a"} and program.language is Language.CUDA:
            assert compile_cuda(tmp_path, vector_add, program.source) == ""


@pytest.mark.parametrize(
    "declaration",
    [
        "void solve(float* a, float* b, float* c, long long n)",
        "static void solve(const float* a, const float* b, float* c, int n = 3) noexcept",
        'extern "C" void solve(const float* __restrict__ a, const void* b, float* c, const int& n) noexcept',
        "#define n 4\n#define T float\n#define i 7\nstatic int solve(const T* x, const T* y, T* z, long)",
    ],
)
def test_harmless_differences_are_tolerated(tmp_path: Path, vector_add: Problem, declaration: str) -> None:
    body = "return 0;" if "int solve" in declaration else ""
    assert compile_cuda(tmp_path, vector_add, f"{declaration} {{ {body} }}\n") == ""


def test_an_int_may_stand_for_a_long_long_and_not_the_other_way_for_less(
    tmp_path: Path, vector_add: Problem
) -> None:
    *arrays, n = vector_add.arguments
    wide = dataclasses.replace(vector_add, arguments=(*arrays, dataclasses.replace(n, dtype=Dtype.INT64)))
    declared = "void solve(float* a, float* b, float* c, {} n) {{}}\n"
    for word in ("int", "unsigned", "size_t"):
        assert compile_cuda(tmp_path, wide, declared.format(word)) == ""
    assert "n, must be long long" in compile_cuda(tmp_path, wide, declared.format("short"))


@pytest.mark.parametrize(
    ("declaration", "said"),
    [
        (
            "void solve(const double* a, float* b, float* c, int n)",
            "argument 1 of solve, a, must be const float*",
        ),
        ("void solve(float* a, float* b, int c, int n)", "argument 3 of solve, c, must be float*"),
        ("void solve(float* a, float* b, float* c, float n)", "argument 4 of solve, n, must be int"),
        ("void solve(float* a, float* b, float* c, short n)", "argument 4 of solve, n, must be int"),
        (
            "void solve(float* a, float* b, float* c)",
            "solve must take 4 arguments: void solve(const float* a,",
        ),
        ("void sum(float* a, float* b, float* c, int n)", 'the global scope has no "solve"'),
        ("__global__ void solve(float* a, float* b, float* c, int n)", "a __global__ function call must be"),
        ("void solve(int) {}\nvoid solve(float* a, float* b, float* c, int n)", "overloaded function"),
        ("template <class T> void solve(T* a, T* b, T* c, int n)", "function template"),
        ("void solve(int* a, int n)", "solve must take 4 arguments"),
    ],
)
def test_wrong_signatures_are_explained(
    tmp_path: Path, vector_add: Problem, declaration: str, said: str
) -> None:
    log = compile_cuda(tmp_path, vector_add, f"{declaration} {{}}\n")
    assert said in log
    assert log.count(": error: ") == (2 if "has no" in said else 1), log
