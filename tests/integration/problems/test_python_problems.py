"""Tests importing a Python module as a problem, and judging programs for it, all in sandboxes."""

from pathlib import Path

import pytest

from judge.evaluate import evaluate
from judge.languages import languages_here
from judge.proof.importing import import_set, open_workshop
from judge.target import Target
from problems.importing.building import loaded, write_package
from problems.loader import load_problem
from problems.vocabulary import Language, Mode, Verdict
from sandbox.bubblewrap import Bubblewrap

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(Language.PYTHON not in languages_here(), reason="PyTorch was left out"),
]
FILE = Path(__file__).parents[2] / "sets" / "kernel_bench" / "level2" / "9_Linear_scale_relu.py"
FASTER = """
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, in_features, out_features, factor, bias_shape):
        super().__init__()
        self.linear = torch.nn.Linear(in_features, out_features)
        self.lift = torch.nn.Parameter(torch.zeros(bias_shape))
        self.factor = factor

    def forward(self, x):
        {body}
"""
RIGHT = FASTER.format(
    body="y = torch.addmm(self.linear.bias, x, self.linear.weight.T)\n"
    "        return y.mul_(self.factor).add_(self.lift).relu_()"
)
WRONG = FASTER.format(body="return torch.relu(self.linear(x) * self.factor)")


def test_from_a_file_to_verdicts(cpu_target: Target, tmp_path: Path) -> None:
    with open_workshop(Bubblewrap()) as workshop:
        [imported] = import_set("kernel_bench", FILE, workshop)
    assert imported.files, imported.entry.reason
    assert loaded(imported.entry.slug, imported.files).languages == (Language.PYTHON,)
    write_package(tmp_path / imported.entry.slug, imported.files)
    problem = load_problem(tmp_path / imported.entry.slug)

    def verdict(source: str) -> Verdict:
        report = evaluate(problem, source, language=Language.PYTHON, mode=Mode.SUBMIT, target=cpu_target)
        return report.verdict

    assert verdict(RIGHT) is Verdict.ACCEPTED
    assert verdict(WRONG) is Verdict.WRONG_ANSWER
