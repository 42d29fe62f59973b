"""Tests that checking hostile statements ends soon, because the worker reads them without a sandbox.

Before pattern searches in texts were bounded, many of these took minutes to days at this length.
"""

from dataclasses import replace

import numpy as np
import pytest

from judge.proof.accessibility import check_accessible
from judge.proof.statement_checks import (
    bounds_in,
    check_constraints,
    check_example,
    check_mentions,
    constants_in,
)
from problems.figures import REFERENCE
from problems.loader import load_problem, problems_root

PIECES = [
    *("![", "[", "[a](", "[a](x", "![a](x", "[a](x ", "# ", "#", " ", "|", "| -", "-", "`", "`a ", "```"),
    *("a ", "a , ", "a + ", "a,", "a+", "a <= ", "a<=b ", "1", "10 ", "10^", "1e", "1 ^ ", "\\text{", "0 "),
    *("1 \\cdot ", "10 ^ {", "-", "1e99999 ", "1" * 5000 + " ", "1e" + "9" * 5000 + " ", "\\leq ", "$ "),
]
LONG = 20_000


@pytest.fixture(scope="module")
def problem():
    return load_problem(problems_root() / "vector-add")


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: repr(piece[:12]))
def test_no_text_takes_longer_than_its_length_says(problem, piece: str) -> None:
    text = (piece * LONG)[:LONG]
    statement = f"# A\n\n## Constraints\n{text}\n\n## Example\n{text}\n"
    hostile = replace(problem, statement=statement, editorial=text)
    list(check_accessible(hostile))
    list(check_mentions(hostile))
    list(check_constraints(hostile))
    list(check_example(hostile, "example", {}))
    bounds_in(text)
    constants_in(text)
    REFERENCE.findall(text)


def test_an_example_of_many_numbers_is_compared_with_few_of_them(problem) -> None:
    zeros = np.zeros(50_000)
    zeros[-1] = 1
    hostile = replace(problem, statement="# A\n\n## Example\n" + "0 " * 60_000 + "\n")
    (finding,) = check_example(hostile, "example", {"c": zeros})
    assert "does not show c" in finding.text


def test_constants_are_read_in_every_notation() -> None:
    text = "5\u00a0·\u00a010⁻⁷ plus 10⁻⁶, $2 \\cdot 10^{-5}$ or 1e-4"
    assert {5e-7, 1e-6, 2e-5, 1e-4} <= {*constants_in(text)}
