"""`[python.backward]` in problem.toml: gradients fit what they are gradients of."""

import ast
import json
from pathlib import Path

import pytest

from problems.binding import signature, starter
from problems.calling import PythonEntry
from problems.loader import load_problem, problems_root
from problems.vocabulary import Language
from tests.unit.problems.packages import DESCRIPTION, faults_of, write_package

GRADIENTS = """
[[arguments]]
name = "dy"
role = "in"
dtype = "float32"
shape = ["rows", "cols"]

[[arguments]]
name = "dx"
role = "out"
dtype = "float32"
shape = ["rows", "cols"]
tolerance = { relative = 1e-6 }

[[cases]]"""
CALL = """
[python]
entry = "Function"
given = "(x,)"
returns = ["y"]

[python.backward]
upstream = { y = "dy" }
gradients = { x = "dx" }
"""
SAVED = """
[[requirements]]
counter = "saved_bytes_ratio"
at_most = 1
explanation = "Save x alone."
"""


def package(tmp_path: Path, table: str, edit: tuple[str, str] = ("", "")) -> Path:
    """A package in Python with a gradient, and `table` at the end of problem.toml."""
    text = DESCRIPTION.replace("\n[[cases]]", GRADIENTS, 1).replace("inputs = { x = [1, 2.5, -3] }\n", "")
    text = text.replace('["cuda", "triton"]', '["cuda", "triton", "python"]')
    return write_package(tmp_path, problem_toml=text.replace(*edit) + table)


def test_what_a_package_says(tmp_path: Path) -> None:
    problem = load_problem(package(tmp_path, CALL + SAVED))
    call = problem.python
    assert call is not None
    assert call.entry is PythonEntry.FUNCTION
    assert call.backward is not None
    assert (call.backward.upstream, call.backward.gradients) == ({"y": "dy"}, {"x": "dx"})
    assert call.described()["backward"] == {"upstream": {"y": "dy"}, "gradients": {"x": "dx"}}


def test_the_starter_has_both_passes(tmp_path: Path) -> None:
    problem = load_problem(package(tmp_path, CALL))
    assert signature(problem, Language.PYTHON) == "class Function(torch.autograd.Function)"
    text = starter(problem, Language.PYTHON)
    ast.parse(text)
    assert "def forward(ctx, x: torch.Tensor) -> torch.Tensor:" in text
    assert "def backward(ctx, dy: torch.Tensor):" in text
    assert "#   It compares dx, the gradient with respect to x." in text


FAULTS = {
    CALL.partition("[python.backward]")[0]: 'python.backward: is missing; entry = "Function" needs it',
    CALL.replace('{ y = "dy" }', "{}"): "python.backward.upstream: names no array",
    CALL.replace('x = "dx"', 'x = "y"'): "python.backward.gradients.x: 'y' is used twice",
    CALL.replace('x = "dx"', 'x = "dy"'): "python.backward.gradients.x: must name an array of role out",
    CALL.replace('x = "dx"', 'dy = "dx"'): "python.backward.gradients.dy: 'dy' is neither given nor in state",
    CALL.replace('y = "dy"', 'y = "x"'): "python.backward.upstream.y: 'x' is given to the forward pass",
    CALL.replace('y = "dy"', 'dx = "dy"'): "python.backward.upstream.dx: 'dx' is not in returns",
    CALL + "strange = 1\n": "python.backward.strange: unknown key",
    SAVED: "requirements[0].counter: needs a backward pass; add [python.backward]",
}


@pytest.mark.parametrize("table", FAULTS)
def test_what_does_not_fit_is_named(tmp_path: Path, table: str) -> None:
    assert FAULTS[table] in "\n".join(faults_of(package(tmp_path, table)))


def test_a_gradient_has_the_shape_and_dtype_of_its_array(tmp_path: Path) -> None:
    edit = ('name = "dx"\nrole = "out"\ndtype = "float32"', 'name = "dx"\nrole = "out"\ndtype = "float64"')
    assert "gradients.x: dx must have the shape and the float dtype of x" in "\n".join(
        faults_of(package(tmp_path, CALL, edit))
    )


def test_versions_follow_it_and_those_of_others_stay(tmp_path: Path) -> None:
    solve = '\n[python]\nentry = "solve"\n'
    plain = load_problem(package(tmp_path / "a", solve)).version
    both = CALL.replace('"Function"', '"solve"')
    assert load_problem(package(tmp_path / "b", both)).version != plain
    assert load_problem(package(tmp_path / "c", CALL)).version != plain


def test_the_schema_has_the_keys() -> None:
    schema = json.loads((problems_root() / "problem.schema.json").read_text())
    call = schema["properties"]["python"]["properties"]
    assert call["entry"]["enum"] == [*PythonEntry]
    assert set(call) == {"entry", "given", "returns", "init", "state", "modules", "views", "backward"}
    assert set(call["backward"]["properties"]) == {"upstream", "gradients"}
