"""Tests that every fault of problem.toml is reported with file, key and fix."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.problems.packages import DESCRIPTION, edited, faults_of, write_package

# What is written instead of what, and the fault that follows, without its file.
SPOILED = [
    ('title = "Scale"\n', "", "title: missing; write title ="),
    ('title = "Scale"', "title = 3", "title: must be text in quotes, not a whole number"),
    ('title = "Scale"', 'title = ""', "title: must have 1 to 80 characters, has 0"),
    ('difficulty = "easy"', 'difficulty = "trivial"', "difficulty: 'trivial' is unknown; use one of easy"),
    ('tags = ["elementwise"]', "tags = []", "tags: must not be empty"),
    ('["elementwise"]', '["a", "a"]', "tags[1]: 'a' is listed twice"),
    ('["elementwise"]', '["Memory!"]', "tags[0]: 'Memory!' must be lower-case words"),
    ('["elementwise"]', "[1]", "tags[0]: must be text in quotes, not a whole number"),
    ("track_day = 1", "track_day = 0", "track_day: must be from 1 to 1000, is 0"),
    ("track_day = 1", "track_day = true", "track_day: must be a whole number, not true or false"),
    ("track_day = 1", "tracks = 1", "tracks: unknown key; known keys here are"),
    ('["cuda", "triton"]', '["cuda", "mojo"]', "languages: 'mojo' is unknown; use one of cuda, triton"),
    ("case_s = 5", "case_s = 0", "limits.case_s: must be above 0 to 60, is 0"),
    ("case_s = 5", "case_s = nan", "limits.case_s: must be above 0 to 60, is nan"),
    ("case_s = 5", "cases_s = 5", "limits.cases_s: unknown key; known keys here are compile_s, case_s"),
    ("source_kib = 32", "source_kib = 9999", "limits.source_kib: must be from 1 to 128, is 9999"),
    (
        '"8 * rows * cols"',
        '"8 * n"',
        "formulas.bytes: unknown size 'n' in '8 * n'; use a size that the cases give: rows, cols",
    ),
    ('"8 * rows * cols"', '"2 ** rows"', "formulas.bytes: '2 ** rows' may hold only integers"),
    ('"8 * rows * cols"', '"8 * rows +"', "formulas.bytes: '8 * rows +' is not an expression"),
    ('name = "x"', 'name = "y"', "arguments[1].name: 'y' is already used by arguments[0]; rename it"),
    ('name = "x"', 'name = "float"', "arguments[0].name: 'float' is a reserved word"),
    ('name = "x"', 'name = "X"', "arguments[0].name: 'X' is not of the form"),
    ('role = "in"', 'role = "input"', "arguments[0].role: 'input' is unknown; use one of in, out"),
    ('dtype = "float32"', 'dtype = "fp32"', "arguments[0].dtype: 'fp32' is unknown"),
    ('shape = ["rows", "cols"]', "shape = []", "arguments[0].shape: must not be empty"),
    ('shape = ["rows", "cols"]', "shape = [3]", "arguments[0].shape[0]: must be text in quotes"),
    ('shape = ["rows", "cols"]', 'shape = ["m"]', "arguments[0].shape[0]: unknown size 'm'"),
    ('["rows", "cols"]', '["1", "1", "1", "1", "1"]', "arguments[0].shape: has 5 dimensions; at most 4"),
    ('shape = ["rows", "cols"]', 'value = "rows"', "arguments[0].shape: missing"),
    ("tolerance = { relative", "#", "arguments[1].tolerance: missing on a float output; write tolerance ="),
    ("nan = false", "nan = 0", "arguments[1].tolerance.nan: must be true or false, not a whole number"),
    ("relative = 1e-6", "relative = -1", "arguments[1].tolerance.relative: must be from 0 to 1, is -1"),
    ("relative = 1e-6", "rtol = 1e-6", "arguments[1].tolerance.rtol: unknown key"),
    ('value = "rows * cols"', 'shape = ["rows"]', "arguments[2].value: missing"),
    (
        'value = "rows * cols"',
        'value = "rows * 9999999999"',
        "make the scalar count 9999999999, beyond int32",
    ),
    ('value = "rows * cols"', 'value = "1 // (rows - rows)"', "arguments[2].value fails: "),
    ('group = "odd"', 'group = "strange"', "cases[1].group: 'strange' is unknown"),
    ('group = "odd"', 'group = "small"', "cases: no hidden case of group odd; add one"),
    ('group = "large"', 'group = "odd"', "cases: no hidden case of group large; add one"),
    ('group = "sample"', 'group = "small"', "cases: no sample case"),
    ('group = "sample"', 'group = "small"', "cases[0].inputs: only sample cases have literal inputs"),
    (
        'name = "odd-one"',
        'name = "example"',
        "cases[1].name: 'example' is already used by cases[0]; rename it",
    ),
    ("rows = 5, cols = 3", "rows = 5, m = 3", "cases[1].sizes: unknown size 'm'; cases[0] has rows, cols"),
    ("rows = 5, cols = 3", "rows = 5", "cases[1].sizes: size 'cols' is missing"),
    ("rows = 5, cols = 3", "rows = 0, cols = 3", "cases[1].sizes.rows: must be from 1 to 2147483647, is 0"),
    ("rows = 100, cols = 300", "rows = 9000, cols = 9000", "need 618 MiB of arrays; at most 256 MiB"),
    ("x = [1, 2.5, -3]", "x = [1, 2.5]", "cases[0].inputs.x: has 2 numbers; the shape (1, 3) needs 3"),
    (
        "x = [1, 2.5, -3]",
        "x = [[1, 2.5, -3]]",
        "cases[0].inputs.x[0]: must be a number, not an array; flatten",
    ),
    ("x = [1, 2.5, -3]", "x = [1, 2, inf]", "cases[0].inputs.x[2]: must be finite"),
    ("x = [1, 2.5, -3]", "x = [1, 2, 1e39]", "cases[0].inputs.x[2]: 1e+39 is not a valid float32"),
    ("x = [1, 2.5, -3]", "z = [1]", "cases[0].inputs: 'z' is not an input; the inputs are x"),
    ("x = [1, 2.5, -3]", "z = [1]", "cases[0].inputs: 'x' is missing; give all inputs or none"),
    ('file = "plain.cu"', 'file = "other.cu"', "solutions[0].file: solutions/other.cu is missing; write it"),
    ('file = "plain.cu"', 'file = "../plain.cu"', "solutions[0].file: '../plain.cu' is not of the form"),
    (
        'file = "plain.cu"',
        'file = "plain.py"',
        "solutions[1].file: 'plain.py' is already used by solutions[0]",
    ),
    ('verdict = "accepted"', 'verdict = "ok"', "solutions[0].verdict: 'ok' is unknown; use one of accepted"),
    (
        'verdict = "accepted"',
        'verdict = "internal_error"',
        "solutions[0].verdict: 'internal_error' is unknown",
    ),
    ('One thread per element."', 'x"\nbaseline = "reference"', "solutions[0].label: missing; write label = "),
    (
        'One thread per element."',
        'x"\nbaseline = "fast"\nlabel = "x"',
        "solutions[0].baseline: 'fast' is unknown",
    ),
    ('One thread per element."', 'x"\nlabel = "Plain"', "solutions[0].label: is for baselines"),
    (
        'verdict = "accepted"',
        'verdict = "rejected"\nbaseline = "vendor"\nlabel = "x"',
        "solutions[0].baseline: a baseline must be accepted everywhere",
    ),
    (
        '["cuda", "triton"]',
        '["triton"]',
        "solutions[0].file: 'plain.cu' is not in a language of this problem",
    ),
]


@pytest.mark.parametrize(("old", "new", "fault"), SPOILED)
def test_each_fault_names_its_key(tmp_path: Path, old: str, new: str, fault: str) -> None:
    faults = faults_of(write_package(tmp_path, problem_toml=edited(old, new)))
    assert any(f"problems/scale/problem.toml: {fault}" in text or fault in text for text in faults), faults


def test_two_baselines_of_a_language_have_different_labels(tmp_path: Path) -> None:
    mark = 'baseline = "reference"\nlabel = "Plain"\nnote = '
    both = DESCRIPTION.replace("note = ", mark)
    assert not faults_of(write_package(tmp_path, problem_toml=both))
    third = both + '\n[[solutions]]\nfile = "other.cu"\nverdict = "accepted"\n' + mark + '"x"\n'
    folder = write_package(tmp_path, problem_toml=third)
    (folder / "solutions" / "other.cu").write_text("// other")
    [fault] = faults_of(folder)
    assert "solutions[2].label: 'Plain' is already used by solutions[0]; rename it" in fault


def test_integer_outputs_have_no_tolerance(tmp_path: Path) -> None:
    spoiled = edited(
        'dtype = "float32"\nshape = ["rows", "cols"]\ntol', 'dtype = "int32"\nshape = ["rows"]\ntol'
    )
    [fault] = faults_of(write_package(tmp_path, problem_toml=spoiled))
    assert (
        fault == "problems/scale/problem.toml: arguments[1].tolerance: int32 is compared exactly; remove it"
    )


def test_empty_shapes_are_refused(tmp_path: Path) -> None:
    spoiled = DESCRIPTION.replace('["rows", "cols"]', '["rows - 1", "cols"]')
    faults = faults_of(write_package(tmp_path, problem_toml=spoiled))
    assert "problems/scale/problem.toml: cases[0].sizes: make x empty: its shape would be (0, 3)" in faults


def test_something_must_be_written(tmp_path: Path) -> None:
    spoiled = edited('role = "out"', 'role = "in"').replace("tolerance = {", "# {")
    faults = faults_of(write_package(tmp_path, problem_toml=spoiled))
    assert any("no argument is an output; give one the role out or inout" in fault for fault in faults)


def test_undeclared_solutions_are_refused(tmp_path: Path) -> None:
    folder = write_package(tmp_path)
    (folder / "solutions" / "extra.cu").write_text("// extra\n")
    [fault] = faults_of(folder)
    assert fault.startswith("problems/scale/solutions/extra.cu: is not in problem.toml; add a [[solutions]]")


@pytest.mark.parametrize("section", ["## Example", "## Constraints", "## What bounds it"])
def test_statements_have_their_sections(tmp_path: Path, section: str) -> None:
    statement = "Task.\n\n## Example\n\n## Constraints\n\n## What bounds it\n".replace(section, "")
    [fault] = faults_of(write_package(tmp_path, statement_md=statement))
    assert fault == f"problems/scale/statement.md: has no section '{section}'; add it"


def test_all_faults_come_at_once(tmp_path: Path) -> None:
    spoiled = (
        DESCRIPTION.replace('title = "Scale"\n', "")
        .replace('role = "in"', 'role = "input"')
        .replace('verdict = "accepted"', 'verdict = "ok"')
    )
    faults = faults_of(write_package(tmp_path, problem_toml=spoiled, statement_md="Task."))
    assert len(faults) == 1 + 1 + 2 + 3


@pytest.mark.parametrize(
    "text", ["= 3", "a = [" * 5000, f"a = {'9' * 5000}", "[[arguments]]\n[[arguments]]", "cases = 3", ""]
)
def test_hostile_descriptions_are_refused(tmp_path: Path, text: str) -> None:
    faults = faults_of(write_package(tmp_path, problem_toml=text))
    assert faults
    assert all(len(fault) < 400 for fault in faults)


VALUES = st.one_of(
    st.none().map(lambda _: "nan"),
    st.integers(-(10**40), 10**40).map(str),
    st.booleans().map(lambda value: str(value).lower()),
    st.text(alphabet="ab n*/+-()'1", max_size=20).map(lambda text: f'"{text}"'),
    st.sampled_from(["[]", "{}", "[[1]]", "1979-05-27", '{ a = "b" }', "[1, true]", "-inf", '""']),
)
LINES = [index for index, line in enumerate(DESCRIPTION.splitlines()) if "=" in line]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(line=st.sampled_from(LINES), value=VALUES)
def test_any_value_in_any_place_is_accepted_or_explained(tmp_path: Path, line: int, value: str) -> None:
    lines = DESCRIPTION.splitlines()
    lines[line] = f"{lines[line].partition('=')[0]}= {value}"
    for fault in faults_of(write_package(tmp_path, problem_toml="\n".join(lines))):
        assert fault.startswith("problems/scale/")
