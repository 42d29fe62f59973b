"""Tests mutants: where each operator applies, and which mutants are tried."""

import ast
from collections.abc import Iterator
from dataclasses import replace

import pytest

from judge.proof.mutants.code import device_functions, masked
from judge.proof.mutants.cuda import cuda_mutants
from judge.proof.mutants.mutant import Mutant, Operator
from judge.proof.mutants.selection import choose
from judge.proof.mutants.triton import triton_mutants

CUDA = """\
// if (i < n) in a comment is no code
#include <cuda_runtime.h>
#define SMALLER(a, b) ((a) < (b))

__global__ void turn(const float* __restrict__ input, float* output, int rows, int cols) {
    __shared__ float tile[32][33];
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    float value = 0.0f;
    if (row < rows && col < cols) {
        value = static_cast<float>(input[row * cols + col]);
    }
    tile[threadIdx.y][threadIdx.x] = value;
    __syncthreads();  // "if (a < b)" is no code either
    for (int step = 16; step > 0 && step < 32; step /= 2) {
        atomicAdd(&output[0], tile[step][0]);
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    dim3 blocks((cols + 31) / 32, rows < 32 ? 1 : (rows + 31) / 32);
    turn<<<blocks, dim3(32, 32)>>>(input, output, rows, cols);
}
"""

TRITON = '''\
"""Add, é."""
import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b, c, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    for first in range(0, n, BLOCK):
        tl.debug_barrier()
    tl.store(c + at, tl.load(a + at, mask=inside) * 2 + tl.load(b + at, mask=inside), mask=inside)
    tl.atomic_add(c, 1.0)


def solve(a, b, c, n):
    if n < 5:
        return
    add[(triton.cdiv(n, 1024),)](a, b, c, n, BLOCK=1024)
'''


def changes(mutants: Iterator[Mutant], operator: Operator) -> list[str]:
    return [mutant.change for mutant in mutants if mutant.operator is operator]


class TestCode:
    def test_what_is_no_code_is_blank(self) -> None:
        text = masked(CUDA)
        assert len(text) == len(CUDA)
        assert text.count("\n") == CUDA.count("\n")
        for absent in ("comment", "SMALLER", "either", "cuda_runtime"):
            assert absent not in text

    def test_a_raw_string_and_a_backslash_are_no_code(self) -> None:
        text = masked("const char* s = R\"x(a)\" < b)x\"; char c = '\\''; // a \\\nint left;")
        assert text.split() == ["const", "char*", "s", "=", ";", "char", "c", "=", ";", "int", "left;"]

    def test_functions_of_the_device(self) -> None:
        text = masked(
            "__device__ int table[4];\n__device__ float twice(float x);\n"
            "struct Sum { __device__ float operator()(float a) const { return a; } };\n"
            "__global__ void __launch_bounds__(256) k(int n) { if (n) { n = 0; } }\nvoid host() {}"
        )
        bodies = [(f.name, text[f.body : f.end].strip()) for f in device_functions(text)]
        assert bodies[-1] == ("k", "if (n) { n = 0; }")
        assert [body for _, body in bodies] == ["return a;", "if (n) { n = 0; }"]

    @pytest.mark.parametrize("source", ["__global__ void k() {", "__global__", "<<<", "__device__ f( {[<"])
    def test_unfinished_code_does_no_harm(self, source: str) -> None:
        list(cuda_mutants("broken.cu", source))

    def test_brackets_that_nobody_closes_cost_little(self) -> None:
        source = "__global__ void k(int n) {" + "if (n < (" * 5000
        assert len(list(cuda_mutants("hostile.cu", source))) <= 2000 * len(Operator)


class TestCuda:
    def made(self, operator: Operator) -> list[str]:
        return changes(cuda_mutants("turn.cu", CUDA), operator)

    def test_drops_the_last_element_on_the_device_alone(self) -> None:
        assert self.made(Operator.LAST_ELEMENT) == ["rows → rows - 1", "cols → cols - 1"]

    def test_drops_synchronisation(self) -> None:
        assert self.made(Operator.SYNCHRONISATION) == ["__syncthreads(); → ;", "atomicAdd → atomicExch"]

    def test_swaps_indices(self) -> None:
        made = self.made(Operator.INDEX)
        assert "row * cols + col → col * cols + row" in made
        assert "[threadIdx.y][threadIdx.x] → [threadIdx.x][threadIdx.y]" in made
        assert "blockIdx.y → blockIdx.x" in made

    def test_launches_one_block_fewer_in_each_direction(self) -> None:
        assert self.made(Operator.LAUNCH) == [
            "blocks → warpcourt_fewer_x(blocks)",
            "blocks → warpcourt_fewer_y(blocks)",
        ]

    def test_a_kernel_that_strides_over_the_grid_takes_any(self) -> None:
        striding = CUDA.replace("step /= 2", "step /= gridDim.x")
        assert changes(cuda_mutants("turn.cu", striding), Operator.LAUNCH) == []

    def test_stores_in_a_smaller_type(self) -> None:
        made = self.made(Operator.DTYPE)
        assert "value → warpcourt_low(value)" in made
        assert "0.0f → warpcourt_low(0.0f)" not in made

    def test_a_mutant_differs_in_its_place_alone(self) -> None:
        for mutant in cuda_mutants("turn.cu", CUDA):
            edit = mutant.edit
            assert mutant.source.endswith(CUDA[: edit.start] + edit.text + CUDA[edit.end :])
            assert mutant.line_text in CUDA


class TestTriton:
    def made(self, operator: Operator) -> list[str]:
        return changes(triton_mutants("add.py", TRITON), operator)

    def test_every_operator_finds_its_places(self) -> None:
        assert self.made(Operator.LAST_ELEMENT) == ["n → n - 1", "n → n - 1"]
        assert self.made(Operator.SYNCHRONISATION) == [
            "tl.debug_barrier() → None",
            "tl.atomic_add → warpcourt_overwrite",
        ]
        [swapped] = self.made(Operator.INDEX)
        assert swapped.endswith("→ (tl.arange(0, BLOCK)) * (BLOCK) + (tl.program_id(0))")
        [launch] = self.made(Operator.LAUNCH)
        assert launch.endswith("warpcourt_fewer((triton.cdiv(n, 1024),), 0)")
        assert len(self.made(Operator.DTYPE)) == 3

    def test_mutants_are_python(self) -> None:
        for mutant in triton_mutants("add.py", TRITON):
            ast.parse(mutant.source)

    def test_places_are_counted_in_characters(self) -> None:
        [mutant, *_] = triton_mutants(
            "add.py", TRITON.replace("    inside = at < n", "    é = at; inside = é < n")
        )
        assert mutant.change == "n → n - 1"
        assert mutant.line == 10

    @pytest.mark.parametrize("source", ["def (", "\0", "(" * 5000])
    def test_what_is_no_python_has_none(self, source: str) -> None:
        assert list(triton_mutants("broken.py", source)) == []


class TestChoice:
    def test_takes_as_many_of_each_operator_from_places_far_apart(self) -> None:
        [one] = [m for m in cuda_mutants("turn.cu", CUDA) if m.name == "dropped-last-element-1"]
        many = [replace(one, number=number) for number in range(1, 11)]
        two = [replace(one, operator=Operator.LAUNCH, number=number) for number in (1, 2)]
        assert [mutant.name for mutant in choose([*many, *two], 7)] == [
            "dropped-last-element-1",
            "dropped-last-element-5",
            "dropped-last-element-10",
            "off-by-one-launch-1",
            "off-by-one-launch-2",
        ]

    def test_takes_all_when_there_are_few(self) -> None:
        mutants = list(cuda_mutants("turn.cu", CUDA))
        few = [mutant for mutant in mutants if mutant.number <= 2]
        assert choose(few, 1000) == tuple(few)
        assert choose((), 5) == ()
