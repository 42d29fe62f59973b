"""Tests the rules that a checker names."""

import pytest

from problems.checker_rules import RulesInvalid, parse_rules
from problems.loader import load_problem
from tests.unit.problems.packages import faults_of, write_package


def test_rules_are_read_without_running_the_file() -> None:
    source = 'raise SystemExit\nRULES = {"late": "It is late.", "dear": "It costs too much."}\n'
    assert parse_rules(source) == (("late", "It is late."), ("dear", "It costs too much."))


@pytest.mark.parametrize("source", ["", "x = 1", "# RULES", "RULES = {", "\0RULES", "def check(RULES): ..."])
def test_other_files_have_none(source: str) -> None:
    assert parse_rules(source) == ()


@pytest.mark.parametrize(
    ("rules", "fault"),
    [
        ("dict(late=1)", "literal"),
        ("{}", "1 to 8 rules"),
        ("['late']", "1 to 8 rules"),
        ("{str(n): 'It is late.' for n in range(2)}", "literal"),
        ("{'too late': 'It is late.'}", "must be a word"),
        ("{'late': 'It is late'}", "ends with a full stop"),
        ("{'late': 'It\\nis late.'}", "on one line"),
        ("{'late': 'x' * 3}", "literal"),
        (f"{{'late': '{'x' * 200}.'}}", "more than 200 characters"),
        ("{'late': 'It is late.'}\nRULES = {'late': 'It is late.'}", "one dict"),
    ],
)
def test_anything_else_is_a_fault(rules: str, fault: str) -> None:
    with pytest.raises(RulesInvalid, match=fault):
        parse_rules(f"RULES = {rules}\n")


def test_a_problem_has_the_rules_of_its_checker(tmp_path):
    folder = write_package(tmp_path)
    (folder / "checker.py").write_text("RULES = {'late': 'It is late.'}\n")
    assert load_problem(folder).checker_rules == (("late", "It is late."),)
    (folder / "checker.py").write_text("RULES = None\n")
    assert faults_of(folder) == ("problems/scale/checker.py: RULES must be a dict of 1 to 8 rules",)
