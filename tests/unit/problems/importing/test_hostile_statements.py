"""Tests hostile texts of sets, which the worker reads without a sandbox, in bounded time."""

import subprocess
import sys
from pathlib import Path

import pytest

from problems.importing.html import _MATH, _SVG, to_markdown
from problems.importing.statement import sections_of, summary_of
from problems.importing.svg import cleaned
from tests.growth import assert_linear

ROOT = Path(__file__).resolve().parents[4]
DRAWING = "<svg xmlns='http://www.w3.org/2000/svg'>"


# What parsers of HTML are slow with: constructs that are not closed, deep nesting, and formatting that a
# parser has to open again in each paragraph.
HTML = [
    *(
        "<",
        "</",
        "<a ",
        "<a x='",
        "<!",
        "<!--",
        "<!-- -",
        "<?",
        "<![CDATA[",
        "<script>",
        "<svg",
        "&amp",
        "&#",
    ),
    *("<b>", "<div>", "<b><p>", "<b><i></b>", "<b>x", "<h1>a</h1>", "<li>a", "<ul><li>a", "<blockquote>a\n"),
    *(
        "<table>",
        "<table><td>a",
        "<tr><td>a|",
        "<pre>a",
        "<code>`",
        "<sub>a",
        "<a href=https://x.y>a",
        "\\(<b>",
    ),
]


@pytest.mark.parametrize("piece", HTML)
def test_html(piece: str) -> None:
    """Python 3.11's own parser took 76 s for 32 KiB of `<a `."""
    assert_linear(lambda text: to_markdown(text, lambda *_: True), piece, length=16_000)


def test_html_takes_little_memory() -> None:
    """Each text is as long as one may be; parsers that follow the standard open up to 10^9 elements."""
    program = (
        "import resource, sys; from problems.importing.html import to_markdown\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (512 << 20, 512 << 20))\n"
        f"for piece in {HTML!r}: to_markdown((piece * (512 << 10))[: 512 << 10], lambda *_: True)\n"
        "formats = ''.join(f'<b title={n}>' for n in range(16_000))\n"
        "to_markdown(formats + '<p>x' * 64_000, lambda *_: True)\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=120)


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
