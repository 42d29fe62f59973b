"""Tests that making mutants of hostile sources ends soon, because the worker does it without a sandbox."""

import pytest

from judge.proof.mutants.cuda import cuda_mutants
from judge.proof.mutants.triton import triton_mutants
from tests.growth import assert_linear

LONG = 40_000
KERNEL = "__global__ void k(float* a, int n) {\n"
PIECES = ["a = ", "a[b = ", "a[", "if (a < ", "k<<<", "for (a = ", "a * b + ", '"', "/*", "__global__ k(("]


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("head", ["", KERNEL], ids=["at the top", "in a kernel"])
def test_no_source_takes_longer_than_its_length_says(head: str, piece: str) -> None:
    list(cuda_mutants("a.cu", head + (piece * LONG)[:LONG]))


@pytest.mark.parametrize(
    "source",
    [
        "import triton\n@" + "x." * 900 + "jit\ndef k(a):\n    pass\n",
        "import triton\n@triton.jit\ndef k(a):\n    x = " + "a+" * 900 + "1\n",
        "import triton\n@triton.jit\ndef k(a):\n    x = " + "-" * 80_000 + "1\n",
    ],
)
def test_an_expression_that_is_nested_deeply_has_no_mutants(source: str) -> None:
    assert not list(triton_mutants("a.py", source))


@pytest.mark.parametrize(
    "piece",
    ["a", "a ", "a(", "a()", "a<", "a<b>", "/* ", 'R"(', 'R"a(', '"', "__device__ ", "__device__ a", "("],
)
@pytest.mark.parametrize("head", ["", KERNEL, "__device__ "], ids=["at the top", "in a kernel", "declared"])
def test_the_time_for_a_source_grows_with_its_length(head: str, piece: str) -> None:
    """12,000 letters without a break took 5 s."""
    assert_linear(lambda text: list(cuda_mutants("a.cu", text)), piece, length=4000, head=head, tail=" {}")
