"""Tests the check for accessible texts: texts that all readers can read, and texts that some cannot."""

from dataclasses import replace

import pytest

from judge.proof.accessibility import check_accessible
from problems.vocabulary import Severity
from tests.unit.judge.environment import SCALING, STATEMENT


def found(more: str) -> list[tuple[str, str]]:
    problem = replace(SCALING, statement=STATEMENT + more)
    return [(finding.severity.value, finding.text) for finding in check_accessible(problem)]


def test_a_plain_statement_has_no_findings() -> None:
    assert found("\n### More\n\n![A tree that adds up pairs of numbers](figures/tree.svg)\n\n## Next\n") == []


@pytest.mark.parametrize(
    ("text", "severity", "said"),
    [
        ("# Scaling", "error", "is a level-1 heading, which is reserved for the title"),
        ("#### Deep", "error", "jumps from heading level 2 to level 4"),
        ("###", "error", "is an empty heading"),
        ("![](figures/tree.svg)", "error", "shows figures/tree.svg without alternative text"),
        ("![tree.svg](figures/tree.svg)", "error", "describes figures/tree.svg as 'tree.svg'"),
        ("![Diagram](figures/tree.svg)", "error", "describes figures/tree.svg as 'Diagram'"),
        ("![A tree](figures/tree.svg)", "warning", "describes figures/tree.svg with 6 characters"),
        ("See [here](https://example.org).", "warning", "has a link called 'here'"),
        ("| a |   |\n|---|---|\n| 1 | 2 |", "warning", "is a table header with an empty cell"),
    ],
)
def test_what_keeps_readers_out_is_found(text: str, severity: str, said: str) -> None:
    [(how, what)] = found(f"\n{text}\n")
    assert (how, what[: len(said)]) == (severity, said)


def test_findings_name_file_and_line() -> None:
    problem = replace(SCALING, editorial="Some text.\n\n# Title\n")
    [finding] = check_accessible(problem)
    assert (finding.place, finding.severity) == ("editorial.md: line 3", Severity.ERROR)
    assert finding.fix == "write ## before it"


def test_code_is_no_prose() -> None:
    assert found("\n```python\n# a comment\n![](x)\n```\n\n~~~\n# more\n~~~\n") == []
