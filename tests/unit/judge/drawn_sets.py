"""Drawn sets of the doubling problem in host memory, made without an oracle."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from judge.drawn import CaseData, allocate
from problems.schema import Case
from tests.unit.judge.packages import DOUBLING


@contextmanager
def doubling_set(case: Case = DOUBLING.cases[1], *, seed: int = 1) -> Iterator[CaseData]:
    """Yield a set of `case`: x, and the expected y."""
    drawn = allocate(DOUBLING, case)
    x = np.random.default_rng(seed).uniform(1, 2, case.sizes["n"]).astype(np.float32)
    contents: dict[str, bytes] = {"x": x.tobytes(), "expected-y": (2.0 * x.astype(np.float64)).tobytes()}
    for part in drawn.parts:
        os.pwrite(drawn.descriptor, contents[part.name], part.offset)
    try:
        yield drawn
    finally:
        drawn.close()
