"""Vector addition with a factor that is drawn for each case, derived from the shipped problem."""

from dataclasses import replace

from problems.formula import Formula
from problems.schema import Argument, Problem, Tolerance, ValueRule
from problems.vocabulary import Dtype, Role

_PROGRAM = """\
#include <cuda_runtime.h>
__global__ void add(const float* a, const float* b, float* c, int n, float alpha) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + ALPHA * b[i];
}
extern "C" void solve(const float* a, const float* b, float* c, int n, float alpha) {
  add<<<(n + 255) / 256, 256>>>(a, b, c, n, alpha);
}
"""
_REFERENCE = """
def generate(xp, rng, size):
    return {"a": rng.uniform(-10, 10, size["n"]), "b": rng.uniform(-10, 10, size["n"])}


def reference(xp, a, b, n, alpha):
    return {"c": a + alpha * b}
"""
CHECKER = """
def check(xp, inputs, expected, got, size, tolerance):
    right = inputs["a"] + inputs["alpha"] * inputs["b"]
    return {"c": abs(got["c"] - right) < 1e-4}
"""


def program(alpha: str) -> str:
    """Return a CUDA program that multiplies by the expression `alpha`."""
    return _PROGRAM.replace("ALPHA", alpha)


def scaled(vector_add: Problem) -> Problem:
    """Return `vector_add` with a scalar `alpha` from 0.5 to 2. The example states 0.75 for it."""
    bounds = ValueRule(Formula.parse("0.5", fractions=True), Formula.parse("2"))
    alpha = Argument("alpha", Role.SCALAR, Dtype.FLOAT32, values=bounds)
    a, b, c, *others = vector_add.arguments
    example, *cases = vector_add.cases
    return replace(
        vector_add,
        arguments=(a, b, replace(c, tolerance=Tolerance(1e-6, 1e-4)), *others, alpha),
        cases=(replace(example, scalars={"alpha": 0.75}), *cases),
        reference=_REFERENCE,
        version="scaled",
    )
