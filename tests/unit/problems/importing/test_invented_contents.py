"""Tests that sizes without a test in the set are omitted if its precision is too low for their contents."""

import shutil
from pathlib import Path

import pytest

from problems.importing.building import loaded
from problems.vocabulary import Group
from tests.unit.problems.importing.workbench import SETS, imported

pytest.importorskip("torch")
CHALLENGE = """
import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    name = "Waves"
    atol = 1e-5
    rtol = 1e-5
    num_gpus = 1
    access_tier = "free"

    def reference_impl(self, x, y, n: int):
        y.copy_(torch.sin(FACTOR * x))

    def get_solve_signature(self):
        pointer = ctypes.POINTER(ctypes.c_float)
        return {"x": (pointer, "in"), "y": (pointer, "out"), "n": (ctypes.c_int, "in")}

    def make(self, n, most):
        x = torch.empty(n, device=self.device).uniform_(-most, most)
        return {"x": x, "y": torch.empty(n, device=self.device), "n": n}

    def generate_example_test(self):
        return self.make(4, 1e-6)

    def generate_functional_test(self):
        return [self.make(8, 1e-6), self.make(100, 1e-6)]

    def generate_performance_test(self):
        return self.make(100_000, 10)
"""


@pytest.mark.parametrize(("factor", "invented"), [(1, True), (1000, False)])
def test_no_size_is_invented_whose_contents_need_more_than_the_sets_precision(
    factor: int, invented: bool, tmp_path: Path
) -> None:
    place = tmp_path / "challenges/medium/915_waves"
    shutil.copytree(SETS / "leetgpu/challenges/core", tmp_path / "challenges/core")
    place.mkdir(parents=True)
    (place / "challenge.py").write_text(CHALLENGE.replace("FACTOR", str(factor)))
    (place / "challenge.html").write_text("<p>Waves of a vector.</p>")
    (found,) = imported("leetgpu", tmp_path).values()
    problem = loaded(found.entry.slug, found.files)
    odd = [case.sizes["n"] for case in problem.cases if case.group is Group.ODD]
    assert odd
    assert (not {4, 8, 100} >= {*odd}) is invented
    assert any("another group" in warning for warning in found.entry.warnings) is not invented
