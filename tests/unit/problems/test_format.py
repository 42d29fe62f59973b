"""Tests that the loader, the JSON schema for editors and docs/problem-format.md agree."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from problems import vocabulary
from problems.faults import PackageInvalid
from problems.libraries import Library
from problems.loader import load_problem, problems_root
from problems.parse import MAX_CASES, MAX_SOURCE_KIB
from problems.rules import SECTIONS
from problems.schema import Problem, ProblemLimits
from problems.vocabulary import Count
from tests.unit.problems.packages import DESCRIPTION, faults_of, load_edited, write_package

DOCS = (Path(__file__).parents[3] / "docs" / "problem-format.md").read_text()
SCHEMA: dict[str, Any] = json.loads((problems_root() / "problem.schema.json").read_text())
VALIDATOR = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)  # `validate` would check the schema each time
DEFINITIONS = SCHEMA["$defs"]
# Where the loader reads keys, and the schema's object that describes them.
TABLES = {
    "": SCHEMA,
    "limits": SCHEMA["properties"]["limits"],
    "formulas": SCHEMA["properties"]["formulas"],
    "arguments[1]": DEFINITIONS["argument"],
    "arguments[1].tolerance": DEFINITIONS["argument"]["properties"]["tolerance"],
    "arguments[0].values": DEFINITIONS["argument"]["properties"]["values"],
    "cases[0]": DEFINITIONS["case"],
    "solutions[0]": DEFINITIONS["solution"],
    "mutants_ignored[0]": DEFINITIONS["ignored_mutant"],
    "fix": SCHEMA["properties"]["fix"],
    "test": SCHEMA["properties"]["test"],
}


def spoiled_everywhere() -> str:
    """The description with an unknown key in every table."""
    text = DESCRIPTION.replace("nan = false", "nan = false, strange = 1")
    text = text.replace('role = "in"', 'role = "in"\nvalues = { least = "-100", strange = 1 }')
    text += '\n[fix]\ngiven = ["plain.cu"]\nchanges = 2\nprotected = ["// plain"]\n'
    text += '\n[test]\nfaulty = ["odd-one"]\nleast_killed = 1\n'
    text = "strange = 1\n" + re.sub(r"(?m)^(\[+[a-z_]+\]+)$", r"\1\nstrange = 1", text)
    return text.replace('role = "out"', 'role = "out"\nvalue = "1"')


def keys_of_the_loader(tmp_path: Path) -> Iterator[tuple[str, set[str]]]:
    for fault in faults_of(write_package(tmp_path, problem_toml=spoiled_everywhere())):
        if match := re.search(r"problem.toml: (.*?)\.?strange: unknown key; known keys here are (.*)", fault):
            yield match[1], set(match[2].split(", "))


def test_schema_and_loader_know_the_same_keys(tmp_path: Path) -> None:
    known = dict(keys_of_the_loader(tmp_path))
    assert TABLES.keys() <= known.keys()
    for place, schema in TABLES.items():
        # An array has no value and a scalar no shape: the loader knows but one of the two.
        assert set(schema["properties"]) - known[place] <= {"value"}
        assert known[place] <= set(schema["properties"])


def test_every_key_is_documented() -> None:
    for schema in TABLES.values():
        for key in schema["properties"]:
            assert f"`{key}`" in DOCS or f"[{key}]" in DOCS or f"`{key} =" in DOCS, key


@pytest.mark.parametrize(
    "words",
    [
        vocabulary.Role,
        vocabulary.Dtype,
        vocabulary.Group,
        vocabulary.Language,
        vocabulary.Difficulty,
        vocabulary.ValueOrder,
    ],
)
def test_every_word_is_documented(words: type[vocabulary.Role]) -> None:
    for word in words:
        assert f"`{word.value}`" in DOCS, word


def test_the_formulas_that_can_be_beaten_are_named(tmp_path: Path) -> None:
    def beatable(value: str) -> Problem:
        return load_edited(tmp_path, '"rows * cols"\n', f'"rows * cols"\nbeatable = {value}\n')

    assert load_problem(write_package(tmp_path)).beatable == ()
    assert beatable('["operations", "bytes"]').beatable == (Count.OPERATIONS, Count.BYTES)
    assert SCHEMA["properties"]["formulas"]["properties"]["beatable"]["items"]["enum"] == [*Count]
    with pytest.raises(PackageInvalid, match="'time' is unknown; use one of bytes, operations"):
        beatable('["time"]')


def test_sections_are_documented() -> None:
    for section in SECTIONS:
        assert f"`{section}`" in DOCS


def test_the_schema_lists_the_vocabulary() -> None:
    argument = DEFINITIONS["argument"]["properties"]
    assert argument["role"]["enum"] == [word.value for word in vocabulary.Role]
    assert argument["dtype"]["enum"] == [word.value for word in vocabulary.Dtype]
    assert DEFINITIONS["case"]["properties"]["group"]["enum"] == [word.value for word in vocabulary.Group]
    assert SCHEMA["properties"]["difficulty"]["enum"] == [word.value for word in vocabulary.Difficulty]
    assert argument["values"]["properties"]["order"]["enum"] == [*vocabulary.ValueOrder]
    verdicts = DEFINITIONS["verdict"]["enum"]
    assert set(vocabulary.Verdict) - set(verdicts) == {"internal_error", "cancelled"}


def test_defaults_and_bounds_agree() -> None:
    limits = SCHEMA["properties"]["limits"]["properties"]
    assert set(limits) == set(ProblemLimits.__slots__)
    assert limits["libraries"]["items"]["enum"] == [*Library]
    for name in set(limits) - {"gpus", "libraries", "device_launches", "sizes"}:
        assert limits[name]["default"] == getattr(ProblemLimits(), name)
        row = re.search(rf"\| `{name}` \| (\d+) \| (\d+) \|", DOCS)
        assert row, name
        assert (int(row[1]), int(row[2])) == (limits[name]["default"], limits[name]["maximum"])
    assert limits["source_kib"]["maximum"] == MAX_SOURCE_KIB
    assert SCHEMA["properties"]["cases"]["maxItems"] == MAX_CASES


@pytest.mark.parametrize("path", sorted(problems_root().glob("*/problem.toml")), ids=lambda p: p.parent.name)
def test_shipped_descriptions_fit_the_schema(path: Path) -> None:
    VALIDATOR.validate(tomllib.loads(path.read_text()))


def test_the_schema_is_one() -> None:
    VALIDATOR.check_schema(SCHEMA)


def test_the_example_of_the_docs_is_a_reference(tmp_path: Path) -> None:
    code = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)[0]
    folder = write_package(tmp_path, reference_py=code)
    assert load_problem(folder).reference == code


def test_outputs_may_start_at_zero(tmp_path: Path) -> None:
    read = load_edited(tmp_path, 'role = "out"\n', 'role = "out"\nzeroed = true\n')
    assert [argument.zeroed for argument in read.arguments] == [False, True, False]
    plain = load_problem(write_package(tmp_path / "plain"))
    same = load_edited(tmp_path / "same", 'role = "out"\n', 'role = "out"\nzeroed = false\n')
    assert plain.version == same.version != read.version
    with pytest.raises(PackageInvalid, match="an argument of role in does not start empty"):
        load_edited(tmp_path / "in", 'role = "in"\n', 'role = "in"\nzeroed = true\n')


def with_values(tmp_path: Path, values: str, place: str = 'role = "in"\n', **more: str) -> Problem:
    text = DESCRIPTION.replace(place, f"{place}values = {values}\n")
    for old, new in more.items():
        text = text.replace(f'{old} = "float32"', f'{old} = "{new}"')
    return load_problem(write_package(tmp_path, problem_toml=text))


def test_an_input_may_promise_what_it_holds(tmp_path: Path) -> None:
    plain = load_problem(write_package(tmp_path / "plain"))
    promised = with_values(tmp_path, '{ least = "-rows - 2.5", most = "10", custom = false }')
    rule = promised.arguments[0].values
    assert rule is not None
    assert (rule.least and rule.least.text, rule.order, rule.custom) == ("-rows - 2.5", None, False)
    assert plain.arguments[0].values is None
    assert plain.version == promised.version, "what a program may rely on changes no verdict"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ("1", "arguments[0].values: must be a table"),
        ('{ least = "unknown" }', "arguments[0].values.least: unknown size 'unknown'"),
        ('{ least = "2", most = "1" }', "make values.least of x 2, above values.most, 1"),
        ('{ least = "n +" }', "arguments[0].values.least: 'n +' is not an expression"),
        ('{ order = "sorted" }', "'sorted' is unknown; use one of ascending, increasing, permutation"),
        ('{ order = "permutation" }', "float32 holds no indices"),
        ('{ least = "-1" }', "cases[0].inputs.x[2]: -3 must be -1 or more"),
        ('{ order = "ascending" }', "cases[0].inputs.x[2]: -3 must not be below the value before it, 2.5"),
    ],
)
def test_a_wrong_promise_is_refused(tmp_path: Path, values: str, words: str) -> None:
    with pytest.raises(PackageInvalid) as invalid:
        with_values(tmp_path, values)
    assert words in str(invalid.value)


def test_an_output_promises_nothing(tmp_path: Path) -> None:
    with pytest.raises(PackageInvalid, match="role out is only written; remove it"):
        with_values(tmp_path, '{ least = "0" }', 'role = "out"\n')


DRAWN = '{ least = "0.5", most = "rows / 2 + 2" }'


def with_drawn(
    tmp_path: Path, values: str = DRAWN, stated: str = ", count = [1]", dtype: str = "float32"
) -> Problem:
    text = DESCRIPTION.replace(
        'dtype = "int32"\nvalue = "rows * cols"', f'dtype = "{dtype}"\nvalues = {values}'
    )
    text = text.replace("x = [1, 2.5, -3]", f"x = [1, 2.5, -3]{stated}")
    VALIDATOR.validate(tomllib.loads(text))
    return load_problem(write_package(tmp_path, problem_toml=text))


def test_a_scalar_may_be_drawn_for_each_case(tmp_path: Path) -> None:
    read = with_drawn(tmp_path / "a")
    assert [argument.drawn for argument in read.arguments] == [False, False, True]
    assert (read.cases[0].scalars, set(read.cases[0].inputs)) == ({"count": 1}, {"x"})
    plain = load_problem(write_package(tmp_path / "plain"))
    other = with_drawn(tmp_path / "b", stated=", count = [2]")
    wider = with_drawn(tmp_path / "c", '{ least = "0.25", most = "2" }')
    assert len({problem.version for problem in (read, plain, other, wider)}) == 4


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"stated": ""}, "cases[0].inputs: 'count' is missing; give all inputs or none"),
        ({"stated": ", count = [1, 2]"}, "cases[0].inputs.count: has 2 numbers; a scalar is an array of one"),
        ({"stated": ", count = [9]"}, "cases[0].inputs.count[0]: 9 must be from 0.5 to 2.5"),
        ({"values": '{ least = "3", most = "1" }'}, "make values.least of count 3, above values.most, 1"),
        (
            {"values": '{ least = "0", most = "300" }', "dtype": "int8"},
            "make the scalar count 300, beyond int8",
        ),
    ],
)
def test_a_wrong_range_of_a_scalar_is_refused(tmp_path: Path, changes: dict[str, str], words: str) -> None:
    with pytest.raises(PackageInvalid) as invalid:
        with_drawn(tmp_path, **changes)
    assert words in str(invalid.value)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ('value = "1"\nvalues = { least = "0", most = "1" }', "remove one of them"),
        ('values = { least = "0" }', "a scalar that is drawn needs least and most"),
        ('values = { least = "0", most = "1", order = "ascending" }', "is for arrays; remove it"),
    ],
)
def test_a_scalar_has_a_value_or_a_range(tmp_path: Path, values: str, words: str) -> None:
    with pytest.raises(PackageInvalid, match=words):
        load_edited(tmp_path, 'value = "rows * cols"', values)
