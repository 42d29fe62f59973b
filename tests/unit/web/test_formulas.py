"""Tests that every formula of the problems and of the test sets for importers is rendered."""

import re
from pathlib import Path

import pytest

from problems.importing.html import to_markdown
from web.catalog.markdown import render
from web.config import ROOT

SETS = ROOT / "tests" / "sets"
STATEMENTS = sorted(
    [
        *(ROOT / "problems").glob("**/*.md"),
        *SETS.glob("*/**/*.md"),
        *SETS.glob("**/*.html"),
        *SETS.glob("**/*.yml"),
    ]
)


def shown(path: Path) -> str:
    text = path.read_text()
    return render(to_markdown(text, lambda *_: True).text if path.suffix == ".html" else text)


@pytest.mark.parametrize("path", STATEMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_formula_is_rendered(path: Path) -> None:
    assert re.findall(r'<(?:span|div) class="math">.*', shown(path)) == []


def test_there_are_formulas() -> None:
    assert sum(shown(path).count("<math") for path in STATEMENTS) > 200
