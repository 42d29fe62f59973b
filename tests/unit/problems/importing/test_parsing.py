"""Tests that sources of sets can be parsed in several threads."""

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from problems.importing.parsing import parse

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
