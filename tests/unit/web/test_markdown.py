"""Tests that rendered statements are safe.

Authors write them and all users see them, so they may be hostile.
"""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import assert_linear
from web.catalog.markdown import Picture, render
from web.catalog.tables import MOST_ADDED_CELLS
from web.colours import colour


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[click](javascript:alert(1))",
        "[click](data:text/html;base64,PHNjcmlwdD4=)",
        "![x](https://evil.example/pixel)",
        '<a href="javascript:alert(1)">x</a>',
        "$<script>alert(1)</script>$",
        "$$<img src=x onerror=alert(1)>$$",
        "$$ x $$ (<b onclick=alert(1)>)",
        "```html\n<script>alert(1)</script>\n```",
        '```"><script>alert(1)</script>\nx\n```',
        "`<script>`",
        "<style>body{display:none}</style>",
        "[x]: javascript:alert(1)\n\n[x]",
        "<svg/onload=alert(1)>",
        "# <iframe src=//evil.example>",
        "|<script>|\n|-|\n|<script>|",
    ],
)
def test_nothing_in_a_statement_runs(attack):
    html = render(attack)
    assert_inert(html)


MATHML = {
    *("display", "stretchy", "fence", "form", "lspace", "rspace", "width", "accent", "accentunder"),
    *("movablelimits", "mathvariant", "displaystyle", "linethickness", "minsize", "maxsize"),
}
PIECES = [*"<>\"'`$*[]()!#|\n\\ &;:/=ax", "script", "img src=x", "onload", "javascript:"]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
@settings(max_examples=300, deadline=None)
def test_no_text_makes_anything_run(text):
    assert_inert(render(text))


def assert_inert(html: str) -> None:
    tags = re.findall(r"<\s*/?\s*([a-zA-Z0-9]+)([^>]*)>", html)
    for name, attributes in tags:
        assert name not in {"script", "img", "iframe", "svg", "style", "object", "form"}
        for attribute, value in re.findall(r'([a-z-]+)="([^"]*)"', attributes):
            assert attribute in {"class", "href", "title", "rel", "start", *MATHML}
            assert attribute != "href" or re.match(r"https?:|mailto:|[^:]*$", value)


def test_tex_becomes_mathml():
    html = render("Compute $a_i < b$ and\n\n$$\n\\sum_i x_i\n$$\n")
    assert "<msub><mi>a</mi><mi>i</mi></msub><mo>&lt;</mo><mi>b</mi>" in html
    assert '<div class="formula"><math display="block">' in html


def test_a_formula_in_a_block_has_an_element_for_each_part():
    html = render("$$a, \\qquad b = \\begin{cases} 1 & c \\quad d \\\\ 2 & e \\end{cases} \\quad f$$")
    assert html.count('<math display="block">') == 3
    assert html.count('<div class="formula">') == 1
    assert render("Inline $a \\quad b$.").count("<math>") == 1


def test_tex_that_is_not_known_is_shown_as_it_was_written():
    html = render("Compute $\\unknown a_i < b$ and\n\n$$\n\\unknown x\n$$\n")
    assert '<span class="math">\\unknown a_i &lt; b</span>' in html
    assert '<div class="math">\\unknown x</div>' in html


def test_headings_can_be_linked_to():
    html = render("## Example\n\n## Example\n\n### 2 $x$ <b>", anchors="s-")
    assert re.findall('id="([^"]+)"', html) == ["s-example", "s-example-again", "s-2-x-b"]
    assert 'href="#s-example" aria-label="Link to this section"' in html


def test_thousands_of_headings_alike_get_short_names_of_their_own():
    html = render("## Example\n\n" * 3 + "## Example again\n\n" + "## A\n" * 4000, anchors="s-")
    names = re.findall('id="([^"]+)"', html)
    assert names[:4] == ["s-example", "s-example-again", "s-example-again-2", "s-example-again-again"]
    assert len(set(names)) == len(names) == 4004
    assert max(map(len, names)) < 40


KNOWN = (Picture("figures/tree.svg", "/problems/x/figures/tree.svg", 400, 240),)


def test_figures_are_shown_with_their_size():
    html = render("![A tree](figures/tree.svg)", pictures=KNOWN)
    assert 'src="/problems/x/figures/tree.svg"' in html
    assert 'alt="A tree"' in html
    assert 'width="400" height="240"' in html


@pytest.mark.parametrize(
    "source", ["https://evil.example/a.png", "figures/other.svg", "//evil.example/x", "data:image/png,x"]
)
def test_other_images_are_left_out(source):
    html = render(f"![the words]({source})", pictures=KNOWN)
    assert "<img" not in html
    assert "the words" in html or "![" in html


def test_the_words_of_a_figure_are_escaped():
    html = render('![" onerror="alert(1)](figures/tree.svg)', pictures=KNOWN)
    assert re.findall(r"<img ([^>]*)>", html)[0].count("onerror") == html.count("&quot; onerror=&quot;")


def test_code_is_coloured_by_classes():
    html = render("```cuda\n__global__ void add();\n```")
    assert '<span class="tok-kr">__global__</span>' in html
    assert "style=" not in html


def test_headings_begin_below_the_title_of_the_page():
    assert render("# Title") == "<h2>Title</h2>\n"
    assert render("###### Deep") == "<h6>Deep</h6>\n"


def test_tables_and_outward_links():
    assert "<td>1</td>" in render("|a|\n|-|\n|1|")
    assert 'rel="noopener noreferrer"' in render("[x](https://example.org)")


@pytest.mark.parametrize("letter", ["x", "é"])
def test_what_references_repeat_is_bounded(letter):
    address = letter * 1000
    text = f"[a]: https://example.org/{address}\n\n" + "[a] " * 2000 + "[b](https://example.org/)"
    html = render(text)
    assert 2 < html.count("href") < 100
    assert len(html) < 20 * len(text)
    assert render(f"[a]: https://example.org/ 'Title'\n\n{'[a] ' * 50}").count('title="Title"') == 50


def test_the_cells_that_rows_leave_out_are_bounded():
    wide = "|a" * 200 + "|\n" + "|-" * 200 + "|\n"
    assert render(wide + "|1|\n" * 10).count("<td>") == 2000
    for text in (wide + "|\n" * 100, (wide + "|\n" * 4 + "\n") * 100):
        for form in (text, "".join(f"> {line}" for line in text.splitlines(keepends=True))):
            assert render(form).count("<td>") <= MOST_ADDED_CELLS
    assert "<table>" not in render(wide + "|\n" * 100 + "\n|a|\n|-|\n|1|")


def test_a_text_may_have_many_tables():
    table = "|a|b|\n|-|-|\n|1|2|\n"
    assert render((table + "\n") * 300).count("<table>") == 300
    assert render((table + "# c\n\n") * 300).count("<table>") == 300


@pytest.mark.parametrize("language", ["cuda", "triton", "ptx", "klingon"])
def test_highlighted_code_is_escaped(language):
    assert "<script>" not in colour("a <script>alert(1)</script>", language)


@pytest.mark.parametrize(
    "piece",
    [
        "**[",
        "![[",
        "*a _b ",
        "~~a",
        "`a``",
        "> ",
        "- a\n",
        "|a\n|-\n|",
        "|a|b\n|-|-\n|\n",
        "|a|b\n|-|-\n\n",
        "a|\n-|\n# |\n",
        "> a|\n> -|\n> # |\n",
        "$a_",
        "$$\n",
        "\n\n$$]",
        "# a\n$$]\n",
        "> $$]\n> # a\n",
        "- $$]\n# a\n",
        "[a]: b\n",
        "```py\na ",
        ":::spoiler\n",
        "> :::spoiler\n",
        "- :::spoiler\nx\n",
        ":::spoiler\n- ",
    ],
)
def test_the_time_for_a_text_grows_with_its_length(piece):
    assert_linear(render.__wrapped__, piece, length=1500)


def test_a_formula_that_began_far_above_ends_nowhere():
    assert_linear(render.__wrapped__, "> # a\n> $$]\n", length=1500, tail="\n$$")


def test_a_block_of_formulas_ends_at_its_mark_and_contains_no_blank_line():
    assert render("$$\nx\n$$").count("<math") == 1
    assert render("> $$\n> x\n> $$").count("<math") == 1
    assert render("- a\n\n  $$x$$").count("<math") == 1
    assert "<math" not in render("$$\nx\n\n$$")


@pytest.mark.parametrize("tex", ["x" + "'" * 3000, "x" + "^1" * 1500, "x" + "_a" * 1500, "x^" * 1500 + "1"])
def test_many_scripts_are_rendered_or_shown_as_their_source(tex):
    assert "x" in render(f"${tex}$")


def test_a_fence_in_a_language_that_is_not_one_of_ours_is_plain():
    """A fence of 1.5 KB for systemd took 44 s: there were five hundred languages to choose from."""
    assert "<span" not in render("```systemd\n[Unit]\nAfter = a\n```")
    assert "<span" in render("```toml\n[unit]\nafter = 1\n```")


def test_a_spoiler_is_folded_and_ends_at_its_mark():
    html = render(":::spoiler The *trick* <b>\n**tiles**\n:::\nafter")
    assert "<summary>The <em>trick</em> &lt;b&gt;</summary>" in html
    assert html.index("<strong>tiles</strong>") < html.index("</details>") < html.index("after")
    assert "<summary>Spoiler</summary>" in render("text\n:::spoiler\nx")


@pytest.mark.parametrize("text", ["- a\n  :::spoiler\n  b\n\nafter", "> :::spoiler\n> b\n\nafter"])
def test_a_spoiler_ends_with_the_list_or_the_quotation_that_it_is_in(text):
    html = render(text)
    assert html.index("b") < html.index("</details>") < html.index("after")


def test_a_spoiler_contains_no_other_and_runs_nothing():
    assert render(":::spoiler\n:::spoiler\nx\n:::").count("<details") == 1
    html = render(":::spoiler <script>x()</script>\n<details open ontoggle=x()>\n:::")
    assert "<script" not in html
    assert "<details open" not in html


def test_code_is_folded_on_demand():
    text = "```cuda\nint x;\n```\n\n    int y;\n\nand `z`"
    assert "<details" not in render(text)
    assert render(text, fold_code=True).count("<details><summary>Code</summary>\n<pre") == 2
