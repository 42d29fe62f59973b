"""Tests that TOML which would take minutes to parse is refused before parsing."""

import pytest

from problems.faults import Faults
from problems.parse import parse_toml
from problems.toml_bounds import MAX_DOTS_OF_LINE, toml_excess

KIB = 1024
HOSTILE = {
    "a key of thousands of parts": "a." * 60 * KIB + "a = 1",
    "a key of quoted parts": '",".' * 30 * KIB + "a = 1",
    "a key of parts apart": "1 . " * 30 * KIB + "1 = 1",
    "a key of numbers": "1.1." * 30 * KIB + "1 = 1",
    "a deep table with many keys": "[" + "a." * 30 * KIB + "a]\n" + "b = 1\n" * 3000,
    "a long array": "a = [" + "1," * 60 * KIB + "]",
    "empty lines": "\n" * 120 * KIB,
    "many tables": "[[a]]\n" * 20 * KIB,
    "too long": "# " * 100 * KIB,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_takes_a_parser_minutes_is_refused_at_once(name: str) -> None:
    faults = Faults("mine")
    assert parse_toml(HOSTILE[name], faults) == {}
    assert faults.count == 1
    assert faults.texts[0].startswith("problems/mine/problem.toml: has more than ")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "inputs = { a = [" + ", ".join(f"{n}.25" for n in range(500)) + "] }",
        "a = [1.5, -2.5e-3, +0.5]  # with words. And dots.",
        "# " + "." * 500,
        'summary = "One. Two. Three..."',
        "a.b.c = 1",
    ],
)
def test_what_people_write_is_parsed(text: str) -> None:
    assert toml_excess(text) == ""
    faults = Faults("mine")
    parse_toml(text, faults)
    assert not faults.count


def test_the_line_that_is_meant_is_named() -> None:
    assert "in line 3" in toml_excess("a = 1\n\n" + "b." * (MAX_DOTS_OF_LINE + 1) + "c = 1")
