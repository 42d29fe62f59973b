"""Programs in PyTorch from the browser to a verdict: modules as in KernelBench, kernels as in GPU MODE."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from judge.languages import languages_here
from problems.vocabulary import Language
from tests.e2e.conftest import Site, open_problem, press, sign_up, wait_for_verdict, write

pytestmark = pytest.mark.skipif(Language.PYTHON not in languages_here(), reason="PyTorch was left out")
WITHIN_S = 300
HEAD = """
difficulty = "easy"
tags = ["matrix"]
languages = ["python"]

[formulas]
bytes = "64 * rows"
operations = "128 * rows"
"""
CASES = """
[[cases]]
name = "example"
group = "sample"
sizes = { rows = 2 }

[[cases]]
name = "odd-rows"
group = "odd"
sizes = { rows = 37 }

[[cases]]
name = "many-rows"
group = "large"
sizes = { rows = 20000 }

[[solutions]]
file = "plain.torch.py"
verdict = "accepted"
note = "What the test hands in."
"""
STATEMENT = """
Compute `y` from `x` and the rest: {}

## Example

`rows` = 2.

## Constraints

None.

## What bounds it

The memory.
"""
ARRAY = """
[[arguments]]
name = "{}"
role = "{}"
dtype = "float32"
shape = {}
"""
TOLERANCE = "tolerance = { relative = 1e-4, absolute = 1e-4 }\n"
MODULE_TOML = (
    'title = "Lifted rows"\nsummary = "A linear layer and what is negative cut off."'
    + HEAD
    + ARRAY.format("x", "in", '["rows", "8"]')
    + ARRAY.format("weight", "in", '["8", "8"]')
    + ARRAY.format("bias", "in", '["8"]')
    + ARRAY.format("y", "out", '["rows", "8"]')
    + TOLERANCE
    + '[python]\nentry = "ModelNew"\ninit = "(8,)"\ngiven = "(x,)"\nreturns = ["y"]\n'
    + 'state = { "linear.weight" = "weight", "linear.bias" = "bias" }\n'
    + CASES
)
KERNEL_TOML = (
    'title = "Scaled pair"\nsummary = "Half of one vector and all of another."'
    + HEAD
    + ARRAY.format("x", "in", '["rows"]')
    + ARRAY.format("other", "in", '["rows"]')
    + ARRAY.format("y", "out", '["rows"]')
    + TOLERANCE
    + '[python]\nentry = "custom_kernel"\ngiven = "(x, other)"\nreturns = ["y"]\n'
    + CASES
)
DRAWN = """
def generate(xp, rng, size):
    rows = size["rows"]
    return {}


def reference(xp, {}):
    return {}
"""
MODULE = """import torch


class ModelNew(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = torch.nn.Linear(features, features)

    def forward(self, x):
        return torch.relu(self.linear(x))
"""
KERNEL = """def custom_kernel(data):
    x, other = data
    return x * 0.5 + other
"""
PACKAGES = {
    "lifted-rows": {
        "problem.toml": MODULE_TOML,
        "statement.md": STATEMENT.format("`weight` and `bias` are a linear layer."),
        "reference.py": DRAWN.format(
            "{'x': rng.normal(0, 1, (rows, 8)), 'weight': rng.normal(0, 1, (8, 8)), "
            "'bias': rng.normal(0, 1, 8)}",
            "x, weight, bias",
            "{'y': xp.maximum(x @ weight.T + bias, 0)}",
        ),
        "solutions/plain.torch.py": MODULE,
    },
    "scaled-pair": {
        "problem.toml": KERNEL_TOML,
        "statement.md": STATEMENT.format("half of it and all of `other`."),
        "reference.py": DRAWN.format(
            "{'x': rng.normal(0, 1, rows), 'other': rng.normal(0, 1, rows)}",
            "x, other",
            "{'y': 0.5 * x + other}",
        ),
        "solutions/plain.torch.py": KERNEL,
    },
}


def hand_in(page: Page, source: str) -> None:
    """Put a program into the editor and hand it in."""
    write(page, source)
    press(page, "Submit")


@pytest.mark.timeout(600)
def test_modules_and_kernels_of_pytorch_get_verdicts(court: Site, page: Page, tmp_path: Path) -> None:
    for slug, files in PACKAGES.items():
        for name, text in files.items():
            path = tmp_path / slug / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        court.manage("importproblem", str(tmp_path / slug))
    sign_up(page, court, "torchbearer")

    open_problem(page, court, "lifted-rows", "python")
    expect(page.locator(".cm-content")).to_contain_text("class ModelNew")  # the starter
    hand_in(page, MODULE.replace("torch.relu(self.linear(x))", "self.linear(x)"))
    wait_for_verdict(page, "Wrong answer", within_s=WITHIN_S)
    hand_in(page, MODULE)
    wait_for_verdict(page, "Accepted", within_s=WITHIN_S)

    open_problem(page, court, "scaled-pair", "python")
    expect(page.locator(".cm-content")).to_contain_text("def custom_kernel")
    hand_in(page, KERNEL)
    wait_for_verdict(page, "Accepted", within_s=WITHIN_S)
