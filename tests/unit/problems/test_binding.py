"""Tests the code that is derived from a signature. Integration tests compile it with nvcc."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from problems.binding import binding_cuda, signature_cuda, signature_triton, starter
from problems.loader import load_problem
from problems.schema import Argument, Problem
from problems.vocabulary import Dtype, Language, Role
from tests.unit.problems.packages import write_package


@pytest.fixture
def problem(tmp_path: Path) -> Problem:
    return load_problem(write_package(tmp_path))


def test_signatures(problem: Problem) -> None:
    assert signature_cuda(problem) == "void solve(const float* x, float* y, int count)"
    assert signature_triton(problem) == "def solve(x: torch.Tensor, y: torch.Tensor, count: int) -> None"


@pytest.mark.parametrize(
    ("role", "dtype", "declared"),
    [
        (Role.IN, Dtype.FLOAT64, "const double* a"),
        (Role.OUT, Dtype.FLOAT16, "__half* a"),
        (Role.INOUT, Dtype.INT64, "long long* a"),
        (Role.IN, Dtype.UINT8, "const unsigned char* a"),
        (Role.SCALAR, Dtype.UINT32, "unsigned int a"),
        (Role.SCALAR, Dtype.FLOAT32, "float a"),
    ],
)
def test_parameters(problem: Problem, role: Role, dtype: Dtype, declared: str) -> None:
    shape = () if role is Role.SCALAR else problem.arguments[0].shape
    value = problem.arguments[2].value if role is Role.SCALAR else None
    signature = signature_cuda(replace(problem, arguments=(Argument("a", role, dtype, shape, value),)))
    assert signature == f"void solve({declared})"


def test_the_binding_includes_the_solution_first_and_passes_all(problem: Problem) -> None:
    binding = binding_cuda(problem)
    assert binding.startswith('#include "solution.cu"\n')
    call = binding.partition("::solve(static_cast")[2]
    assert call.startswith("<float*>(warpcourt_arguments[0])")
    assert "static_cast<float*>(warpcourt_arguments[1])" in call
    assert "*static_cast<const int*>(warpcourt_arguments[2])" in call
    assert '"argument 3 of solve, count, must be int"' in binding
    for argument in problem.arguments:
        assert f'"{argument.name}",' in binding


def test_starters_say_what_an_output_holds(problem: Problem) -> None:
    x, y, count = problem.arguments
    assert "y      float32" in starter(problem, Language.CUDA)
    assert "output, holds random bits at first" in starter(problem, Language.CUDA)
    zeroed = replace(problem, arguments=(x, replace(y, zeroed=True), count))
    assert "output, holds zeros at first" in starter(zeroed, Language.TRITON)


def test_half_types_bring_their_headers(problem: Problem) -> None:
    arguments = (replace(problem.arguments[0], dtype=Dtype.FLOAT16), *problem.arguments[1:])
    half = replace(problem, arguments=arguments)
    assert "#include <cuda_fp16.h>" in binding_cuda(half)
    assert "#include <cuda_fp16.h>" in starter(half, Language.CUDA)


@pytest.mark.parametrize("language", Language)
def test_starters_explain_every_argument(problem: Problem, language: Language) -> None:
    text = starter(problem, language)
    assert "x      float32[rows, cols], input, must not be changed" in text
    assert "y      float32[rows, cols], output, holds random bits at first" in text
    assert "count  int32, rows * cols" in text


def test_triton_starters_are_python(problem: Problem) -> None:
    [function] = [
        node
        for node in ast.parse(starter(problem, Language.TRITON)).body
        if isinstance(node, ast.FunctionDef)
    ]
    assert [argument.arg for argument in function.args.args] == ["x", "y", "count"]
