"""How programs in Python are called: patterns, the table [python], starters."""

import ast
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems.binding import signature, starter
from problems.calling import Pattern, PatternError, PythonEntry, spelled
from problems.loader import load_problem
from problems.vocabulary import Language, OracleKind
from tests.unit.problems.packages import DESCRIPTION, FILES, faults_of, write_package

MODEL = """
[python]
entry = "ModelNew"
init = "(count, 8)"
given = "(x, {'scale': 0.5})"
returns = ["y"]
"""
_NAMES = st.sampled_from(["x", "y", "count", "some_name"])
_PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-(2**62), 2**62)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
)
_FORMS = st.recursive(
    st.builds(lambda name: {"name": name}, _NAMES) | st.builds(lambda value: {"value": value}, _PLAIN),
    lambda inner: (
        st.builds(lambda items: {"tuple": items}, st.lists(inner, max_size=3))
        | st.builds(lambda items: {"list": items}, st.lists(inner, max_size=3))
        | st.builds(
            lambda items: {"dict": [[key, value] for key, value in items.items()]},
            st.dictionaries(st.text(max_size=5), inner, max_size=3),
        )
    ),
    max_leaves=6,
)


def package(tmp_path: Path, table: str, **replaced: str) -> Path:
    """The usual package in Python, with `table` at the end of problem.toml."""
    text = DESCRIPTION.replace('["cuda", "triton"]', '["python"]').replace("plain.cu", "plain.torch.py")
    text = text.replace('[[solutions]]\nfile = "plain.py"', '[[solutions]]\nfile = "other.torch.py"')
    folder = write_package(tmp_path, problem_toml=text + table, **replaced)
    for old, new in (("plain.cu", "plain.torch.py"), ("plain.py", "other.torch.py")):
        (folder / "solutions" / old).rename(folder / "solutions" / new)
    return folder


@given(_FORMS)
def test_a_pattern_says_what_it_was_made_of(form: dict[str, object]) -> None:
    text = spelled(form, lambda name: name)
    if len(text) <= 400 and len(list(ast.walk(ast.parse(text, mode="eval").body))) <= 120:
        assert json.loads(json.dumps(Pattern.parse(text).form)) == form


@pytest.mark.parametrize(
    "text",
    [
        "f(x)",
        "x.y",
        "x + 1",
        "lambda: 1",
        "{1: x}",
        "(x",
        "[y for y in x]",
        "b'x'",
        "x" * 401,
        "{**x}",
        "1e999",
    ],
)
def test_a_pattern_holds_nothing_that_runs(text: str) -> None:
    with pytest.raises(PatternError):
        Pattern.parse(text)


def test_names_come_in_order() -> None:
    assert Pattern.parse("(b, [a, {'k': c}], b)").names == ("b", "a", "c")


def test_endings_mean_languages_the_longest_first() -> None:
    assert Language.of_file("plain.torch.py") is Language.PYTHON
    assert Language.of_file("plain.py") is Language.TRITON
    assert Language.of_file("plain.c") is None


def test_a_problem_in_python(tmp_path: Path) -> None:
    problem = load_problem(package(tmp_path, MODEL))
    call = problem.python
    assert call is not None
    assert (call.entry, call.returns, call.init.names) == (PythonEntry.MODEL_NEW, ("y",), ("count",))
    assert signature(problem, Language.PYTHON) == "class ModelNew(torch.nn.Module)"
    text = starter(problem, Language.PYTHON)
    assert "def forward(self, x: torch.Tensor) -> torch.Tensor:" in text
    ast.parse(text)


@pytest.mark.parametrize(
    ("table", "first", "last"),
    [
        ("", "def solve(x: torch.Tensor, y: torch.Tensor, count: int) -> None", "# Write y."),
        (
            '[python]\nentry = "custom_kernel"\ngiven = "(x, count)"\nreturns = ["y"]',
            "def custom_kernel(data) -> torch.Tensor",
            "x, count = data",
        ),
    ],
)
def test_starters_show_the_call(tmp_path: Path, table: str, first: str, last: str) -> None:
    problem = load_problem(package(tmp_path, table))
    text = starter(problem, Language.PYTHON)
    assert first in text
    assert last in text
    ast.parse(text)


FAULTS = {
    MODEL.replace(
        '"ModelNew"', '"main"'
    ): "python.entry: 'main' is unknown; use one of solve, custom_kernel, ModelNew",
    MODEL.replace("(x, {'scale': 0.5})", "(z,)"): "python.given: 'z' is unknown; known names are x, y, count",
    MODEL.replace("(x, {'scale': 0.5})", "x"): "python.given: must be a tuple",
    MODEL.replace("(x, {'scale': 0.5})", "(f(x),)"): "python.given: may hold only names",
    MODEL.replace("(x, {'scale': 0.5})", "(count,)"): "python.given: x is not given; add it",
    MODEL.replace("(count, 8)", "(x,)"): "python.init: 'x' is not a scalar",
    MODEL.replace('returns = ["y"]', ""): "python: the output y is neither given nor returned",
    MODEL.replace('["y"]', '["x"]'): "python.returns[0]: 'x' is not an array of role out",
    MODEL + 'state = { "weight" = "y" }': "python.state.weight: 'y' is not an array of role in",
    MODEL.replace("ModelNew", "solve"): 'python.init: is for entry = "ModelNew"; remove it',
    MODEL + 'views = { x = "float8_e4m3fn" }': "python.views.x: is not an array of dtype uint8",
    MODEL + 'views = { x = "float9" }': "python.views.x: must be one of float8_e4m3fn, ",
    MODEL + '[python.modules.x]\nkind = "Linear"': "python.modules.x: this name is an argument",
    MODEL + '[python.modules.m]\nkind = "Linear"': "python.given: the module m is not given; add it",
    MODEL + '[python.modules.m]\nkind = "os.path"': "python.modules.m.kind: 'os.path' is not of the form",
}


@pytest.mark.parametrize("table", FAULTS)
def test_what_does_not_fit_is_named(tmp_path: Path, table: str) -> None:
    assert FAULTS[table] in "\n".join(faults_of(package(tmp_path, table)))


def test_the_table_is_for_problems_in_python(tmp_path: Path) -> None:
    folder = write_package(tmp_path, problem_toml=DESCRIPTION + MODEL)
    assert 'python: is only for problems in that language; add "python" to languages' in "\n".join(
        faults_of(folder)
    )


def test_versions_change_with_what_changes_verdicts_alone(tmp_path: Path) -> None:
    plain = load_problem(write_package(tmp_path / "a")).version
    torch = write_package(tmp_path / "b", problem_toml='oracle = "torch"\n' + DESCRIPTION)
    arrays = write_package(tmp_path / "c", problem_toml='oracle = "arrays"\n' + DESCRIPTION)
    assert load_problem(torch).oracle is OracleKind.TORCH
    assert load_problem(torch).version != plain == load_problem(arrays).version
    one = load_problem(package(tmp_path / "d", MODEL))
    other = load_problem(package(tmp_path / "e", MODEL.replace("0.5", "0.25")))
    assert one.version != other.version
    assert replace(one, version="") != replace(other, version="")
    assert FILES["reference.py"] == one.reference
