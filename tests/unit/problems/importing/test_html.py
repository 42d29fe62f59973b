"""Tests that HTML becomes equivalent Markdown without any active content."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems.importing.html import to_markdown
from problems.importing.svg import cleaned
from web.catalog.markdown import render


def markdown(html: str) -> str:
    return to_markdown(html, lambda *_: True).text.strip()


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h2>Title</h2><p>One <b>two</b> <i>three</i>.</p>", "## Title\n\nOne **two** *three*."),
        ("<h1>Name</h1><p>Text</p>", "Text"),
        ("<p>a_b * c &lt; d $5</p>", r"a\_b \* c \< d \$5"),
        (r"<p>\( a_1 < b \) and \[ x^2 \]</p>", "$a_1 < b$ and\n\n$$x^2$$"),
        ("<p>$$ y = \\alpha x $$</p>", "$$y = \\alpha x$$"),
        ("<code>x_[i]`</code>", "`` x_[i]` ``"),
        ("<pre>a  b\n <b>c</b></pre>", "```text\na  b\n c\n```"),
        ("<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>", "- a\n- b\n  - c"),
        ("<ol><li>a</li><li>b</li></ol>", "1. a\n2. b"),
        (
            "<ul>\n  <li>a</li>\n\n  <li>b\n <ul>\n <li>c</li>\n <li>d</li>\n </ul></li>\n</ul>",
            "- a\n- b\n  - c\n  - d",
        ),
        ("<table><tr><th>A|B</th></tr><tr><td>1<br>2</td></tr></table>", "| A\\|B |\n|---|\n| 1 2 |"),
        ("x<sub>i</sub>", "x${}_{i}$"),
        ('<a href="https://example.org/a">site</a>', "[site](https://example.org/a)"),
        ('<a href="javascript:alert(1)">site</a>', "site"),
        ("<p>1. not a list</p>", "1\\. not a list"),
        ("<blink>seen</blink>", "seen"),
        ("before<script>evil()</script>after", "beforeafter"),
        ("<style>p{}</style><iframe src=x>no</iframe>kept", "kept"),
        ("<b>a<strong>b</strong></b>", "**ab**"),
        ("<table><td>a<table><tr><td>b</td><td>c</td></tr></table></td></table>", "| ab c |\n|---|"),
        ("<unclosed><b>bold", "**bold**"),
        ("</b></li></table>text", "text"),
    ],
)
def test_elements(html: str, expected: str) -> None:
    assert markdown(html) == expected


def test_what_is_lost_is_said() -> None:
    found = to_markdown(
        '<script>x</script><img src="https://example.org/x.png" alt="A"><odd>y</odd>', lambda *_: True
    )
    assert found.warnings == (
        "<script> was omitted",
        "an image was omitted; add it as a figure",
        "<odd> is not known; its text was kept",
    )
    assert found.text == "Ay\n"


def test_a_text_that_is_nested_too_deeply_ends_early() -> None:
    found = to_markdown("<p>seen</p>" + "<div>" * 300 + "lost", lambda *_: True)
    assert found.text == "seen\n"
    assert found.warnings == ("elements are nested too deeply; the rest was omitted",)


def test_drawings_are_figures_in_order() -> None:
    kept = []

    def keep(drawing: str, number: int) -> bool:
        kept.append(number)
        return "2" not in drawing

    found = to_markdown("<svg>1</svg><p>x</p><svg>2</svg><svg>3</svg>", keep)
    assert kept == [1, 2, 2]
    assert len(found.drawings) == 2
    assert "(figures/figure-2.svg)" in found.text
    assert "a drawing was omitted: it is not a valid figure" in found.warnings


@given(st.text(max_size=300))
def test_text_means_itself(text: str) -> None:
    told = markdown("<p>" + text.replace("&", "&amp;").replace("<", "&lt;") + "</p>")
    shown = render(told)
    assert "<script" not in shown
    assert "<img" not in shown


@given(
    st.lists(
        st.sampled_from(["<b>", "</b>", "<table>", "<td>", "</li>", "<pre>", "`", "\\(", "$$", "<svg>", "x"])
    )
)
def test_any_nesting_ends(parts: list[str]) -> None:
    assert "<script" not in render(markdown("".join(parts)))


def test_a_drawing_keeps_what_draws_and_its_ground() -> None:
    drawing = (
        '<svg width="20" height="10" style="background: #222" onload="x()"><script>x()</script>'
        '<rect x="1" style="fill:#fff;behavior:url(x)"/><use href="#a"/><text '
        'fill="url(https://x)">a&nbsp;b</text></svg>'
    )
    content = cleaned(drawing).decode()
    assert 'viewBox="0 0 20 10"' in content
    assert '<rect x="0" y="0" width="20" height="10" fill="#222" />' in content
    assert 'fill="#fff"' in content
    for word in ("script", "onload", "behavior", "use", "https://x"):
        assert word not in content


@pytest.mark.parametrize(
    "drawing",
    [
        "<svg><rect></svg>",
        '<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>',
        "<svg width='20'></svg>",
        "<svg viewBox='0 0 99999 1'/>",
    ],
)
def test_what_is_no_figure_is_none(drawing: str) -> None:
    assert cleaned(drawing) is None
