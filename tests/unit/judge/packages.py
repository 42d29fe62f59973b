"""A small problem made by hand, so that the judge's tests do not depend on packages."""

from pathlib import Path

from problems.formula import Formula
from problems.schema import Argument, Case, Problem, ProblemLimits, Tolerance
from problems.vocabulary import Difficulty, Dtype, Group, Language, Role

N = Formula.parse("n")

DOUBLING = Problem(
    slug="doubling",
    title="Doubling",
    summary="Double every element.",
    difficulty=Difficulty.EASY,
    tags=(),
    languages=(Language.CUDA, Language.TRITON),
    arguments=(
        Argument("x", Role.IN, Dtype.FLOAT32, shape=(N,)),
        Argument("y", Role.OUT, Dtype.FLOAT32, shape=(N,), tolerance=Tolerance(1e-6, 1e-6)),
        Argument("n", Role.SCALAR, Dtype.INT32, value=N),
    ),
    cases=(
        Case("example", Group.SAMPLE, {"n": 3}, {"x": (1.0, 2.0, 3.0)}),
        Case("odd", Group.ODD, {"n": 37}),
        Case("timed", Group.TIMED, {"n": 1 << 26}),
    ),
    limits=ProblemLimits(case_s=0.4),
    bytes_moved=Formula.parse("8 * n"),
    operations=N,
    statement="",
    reference="",
    starters={},
    solutions=(),
    version="0",
)
HERE = Path(__file__).parent
