"""Scalars that are drawn for each case, on a simulated card: in checks, in timed calls, in the checker."""

from dataclasses import replace
from typing import Any

import pytest

from judge.evaluate import evaluate
from judge.gpu.target import GpuTarget
from judge.report import Report
from problems.formula import Formula
from problems.schema import Argument, Problem, ValueRule
from problems.vocabulary import Dtype, Group, Language, Mode, Role, Verdict

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("node-judging")]

PROGRAM = """\
#include <cuda_runtime.h>
__global__ void add(const float* a, const float* b, float* c, int n, float alpha) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + ALPHA * b[i];
}
extern "C" void solve(const float* a, const float* b, float* c, int n, float alpha) {
  add<<<(n + 255) / 256, 256>>>(a, b, c, n, alpha);
}
"""
REFERENCE = """
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


@pytest.fixture(scope="module")
def scaled_add(vector_add: Problem) -> Problem:
    """Vector addition with a factor from 0.5 to 2."""
    bounds = ValueRule(Formula.parse("0.5", fractions=True), Formula.parse("2"))
    alpha = Argument("alpha", Role.SCALAR, Dtype.FLOAT32, values=bounds)
    (example, *others) = vector_add.cases
    cases = (replace(example, scalars={"alpha": 0.75}), *others)
    c = replace(vector_add.arguments[2], tolerance=replace(vector_add.arguments[2].tolerance, absolute=1e-4))
    arguments = (*vector_add.arguments[:2], c, *vector_add.arguments[3:], alpha)
    return replace(vector_add, arguments=arguments, cases=cases, reference=REFERENCE, version="scaled")


def judge(
    node: GpuTarget, problem: Problem, alpha: str, mode: Mode = Mode.SUBMIT, **options: object
) -> Report:
    source = PROGRAM.replace("ALPHA", alpha)
    return evaluate(problem, source, language=Language.CUDA, mode=mode, target=node, **options)  # type: ignore[arg-type]


def test_it_reaches_the_program_in_checked_and_in_timed_calls(node: GpuTarget, scaled_add: Problem) -> None:
    report = judge(node, scaled_add, "alpha")
    assert report.verdict is Verdict.ACCEPTED, report
    assert report.ranked
    told = {case.name: case.scalars["alpha"] for case in report.cases}
    assert told.pop("example") == "0.75"
    assert len(set(told.values())) == len(told)
    assert len([case for case in report.cases if case.group is Group.TIMED]) == 2


def test_a_program_that_takes_it_from_the_example_fails_elsewhere(
    node: GpuTarget, scaled_add: Problem
) -> None:
    report = judge(node, scaled_add, "0.75f")
    assert report.verdict is Verdict.WRONG_ANSWER
    assert report.cases[0].verdict is Verdict.ACCEPTED


def test_a_seed_draws_it_again_and_a_user_may_give_it(node: GpuTarget, scaled_add: Problem) -> None:
    run: dict[str, Any] = {"mode": Mode.RUN, "sizes": {"n": 5}}
    first, again = (judge(node, scaled_add, "alpha", seed=7, **run).cases[0] for _ in range(2))
    assert first.scalars == again.scalars
    assert first.outputs == again.outputs
    own = judge(node, scaled_add, "alpha", values={"alpha": (1.25,)}, **run)
    assert own.verdict is Verdict.ACCEPTED
    assert own.cases[0].scalars == {"alpha": "1.25"}


def test_a_checker_knows_it(node: GpuTarget, scaled_add: Problem) -> None:
    checked = replace(scaled_add, checker=CHECKER, version="scaled-checked")
    assert judge(node, checked, "alpha", mode=Mode.RUN).verdict is Verdict.ACCEPTED
    assert judge(node, checked, "1.9f", mode=Mode.RUN).verdict is Verdict.WRONG_ANSWER
