"""Tests that sources and formulas can be parsed in several threads."""

import gc
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from problems.arithmetic import Arithmetic
from problems.calling import Pattern
from problems.formula import Formula
from problems.parsing import parse

SOURCE = f"x = [{', '.join(f'f(a, {number})' for number in range(3000))}]"


@pytest.fixture
def python_during_collections() -> Iterator[None]:
    """Collections of garbage that run Python code, during which threads take turns."""

    def work(_phase: str, _info: object) -> None:
        sum(range(200))
        [None for _ in range(200)]

    interval = sys.getswitchinterval()
    gc.callbacks.append(work)
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)
    gc.callbacks.remove(work)


@pytest.mark.usefixtures("python_during_collections")
def test_several_threads_can_parse() -> None:
    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(parse, [SOURCE] * 40))


@pytest.mark.parametrize(
    ("parse_text", "text"),
    [
        (Formula.parse, " + ".join(["(a * b)"] * 12)),
        (Arithmetic.parse, " + ".join(["(a * b)"] * 12)),
        (Pattern.parse, "(a, [b, c], {'d': (e, f)})"),
    ],
)
@pytest.mark.usefixtures("python_during_collections")
def test_several_threads_can_parse_formulas(parse_text: Callable[[str], object], text: str) -> None:
    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(parse_text, [text] * 2000))
