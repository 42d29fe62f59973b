"""Tests texts with placeholders for numbers from the package."""

from pathlib import Path

import pytest

from problems.faults import MOST_FAULTS, Faults, PackageInvalid
from problems.loader import load_problem
from problems.parse import Description, parse_description
from problems.placeholders import placeholders, resolve
from tests.unit.problems.packages import STATEMENT, edited, write_package


@pytest.fixture(scope="module")
def description() -> Description:
    return parse_description(edited("[limits]", "[limits]\nsizes = { cols = 300 }"), Faults("scale"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cases.example.cols", "3"),
        ("cases.example.inputs.x", "1, 2.5, -3"),
        ("sizes.rows.least", "1"),
        ("sizes.cols.most", "300"),
        ("arguments.x.dtype", "float32"),
        ("arguments.x.shape", "rows, cols"),
        ("arguments.y.tolerance.relative", "10⁻⁶"),
        ("limits.memory_mib", "1024"),
        ("limits.case_s", "5"),
        ("limits.sizes.cols", "300"),
        ("formulas.bytes", "8 * rows * cols"),
    ],
)
def test_names_stand_for_what_the_package_says(description: Description, name: str, value: str) -> None:
    faults = Faults("scale")
    assert resolve(f"a {{{{ {name} }}}} b {{{{{name}}}}}", description, "s", faults) == f"a {value} b {value}"
    assert faults.texts == []


@pytest.mark.parametrize("name", ["cases.odd-one.rows", "sizes.rows.hidden", "seeds.example", "title.x"])
def test_nothing_hidden_and_nothing_unknown_can_be_named(description: Description, name: str) -> None:
    faults = Faults("scale")
    text = f"{{{{ {name} }}}}"
    assert resolve(text, description, "statement.md", faults) == text
    [fault] = faults.texts
    assert f"statement.md: {text} means nothing; " in fault


def test_tex_and_code_keep_their_braces(description: Description) -> None:
    text = "$x^{{a}}_{{b_1}}$ and `{{ value }}` and {{n}}"
    assert resolve(text, description, "s", Faults("scale")) == text


def test_hidden_sizes_are_no_placeholders(description: Description) -> None:
    assert not any("odd-one" in name or "large-one" in name for name in placeholders(description))


def test_the_loader_resolves_them(tmp_path: Path) -> None:
    statement = STATEMENT + "\nUp to {{ sizes.cols.most }} columns.\n"
    folder = write_package(tmp_path, statement_md=statement)
    assert "Up to 300 columns." in load_problem(folder).statement
    (folder / "editorial.md").write_text("In {{ limits.case_s }} s, {{ cases.nowhere.n }}.")
    with pytest.raises(PackageInvalid, match=r"editorial.md: \{\{ cases.nowhere.n \}\} means nothing"):
        load_problem(folder)


def test_a_text_that_its_values_make_too_long_is_a_fault_and_stays_short(description: Description) -> None:
    faults = Faults("scale")
    text = "{{ formulas.bytes }}" * 40_000
    assert resolve(text, description, "statement.md", faults) == text
    [fault] = faults.texts
    assert "statement.md: exceeds 256 KiB with the values of its placeholders" in fault


def test_each_unknown_name_is_told_once_and_not_all_of_them(description: Description) -> None:
    faults = Faults("scale")
    unknown = " ".join(f"{{{{ cases.unknown.n{number} }}}}" for number in range(1000))
    assert resolve(unknown * 2, description, "statement.md", faults) == unknown * 2
    assert len(faults.texts) == MOST_FAULTS
