"""Texts of others' sets, made to keep the worker busy that reads them outside of any sandbox."""

import pytest

from problems.importing.html import _MATH, _SVG
from problems.importing.statement import sections_of, summary_of
from problems.importing.svg import cleaned
from tests.growth import assert_linear

DRAWING = "<svg xmlns='http://www.w3.org/2000/svg'>"


@pytest.mark.parametrize("piece", ["![", "[", "[a](", "![a](", "$$", "```", "\n", "`", "\\a"])
def test_summaries(piece: str) -> None:
    assert_linear(summary_of, piece, length=4000)


@pytest.mark.parametrize("piece", ["#", "# ", " #", " ", "## a\n"])
def test_sections(piece: str) -> None:
    """A heading of 12,000 signs took longer than could be waited for."""
    assert_linear(sections_of, piece, length=2000, head="## ", tail="x")


@pytest.mark.parametrize("piece", ["<!--", "<!-- -", "-->", "<!", "&a"])
def test_drawings(piece: str) -> None:
    assert_linear(cleaned, piece, length=4000, head=DRAWING)


@pytest.mark.parametrize("piece", ["<svg", "<svg>", "</svg ", "\\(", "\\[", "\\", "$$", "\\(\\[", "\\)"])
def test_drawings_and_formulas_within_texts(piece: str) -> None:
    assert_linear(lambda text: (_SVG.findall(text), _MATH.split(text)), piece, length=4000)


@pytest.mark.parametrize(
    ("line", "title"),
    [("## Example", "Example"), ("##  Example ## ", "Example"), ("## C#", "C"), ("## #", "#")],
)
def test_titles_of_sections(line: str, title: str) -> None:
    assert [section.title for section in sections_of(line)] == ["", title]


def test_drawings_and_formulas_are_found_as_before() -> None:
    assert _SVG.findall("a<svg x><g/></SVG >b<svg></svg>") == ["<svg x><g/></SVG >", "<svg></svg>"]
    assert _MATH.split(r"a \(x\) b \[\frac{1}{2}\] $$y$$") == [
        *("a ", r"\(x\)", " b ", r"\[\frac{1}{2}\]", " ", "$$y$$", ""),
    ]
