"""Tests formulas: supported ones become MathML, others are refused, and no text becomes active markup."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from web.catalog.tex import to_mathml


def inner(tex: str) -> str:
    """The MathML of `tex` without the element around it."""
    return re.sub(r"^<math[^>]*>|</math>$", "", to_mathml(tex, block=False))


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        ("x", "<mi>x</mi>"),
        ("12.5", "<mn>12.5</mn>"),
        ("x_i^2", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        ("x^2_i", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        ("x'", "<msup><mi>x</mi><mo>\N{PRIME}</mo></msup>"),
        (r"\tfrac14", '<mstyle displaystyle="false"><mfrac><mn>1</mn><mn>4</mn></mfrac></mstyle>'),
        (r"\sqrt{x}", "<msqrt><mi>x</mi></msqrt>"),
        (r"\sqrt[3]{x}", "<mroot><mi>x</mi><mn>3</mn></mroot>"),
        (r"\text{if } ", "<mtext>if\N{NO-BREAK SPACE}</mtext>"),
        (r"\mu", "<mi>μ</mi>"),
        (r"\infty", '<mi mathvariant="normal">∞</mi>'),
        (r"a \le b", "<mrow><mi>a</mi><mo>≤</mo><mi>b</mi></mrow>"),
        ("", "<mrow></mrow>"),
        (r"\mathbb E", '<mi mathvariant="normal">\N{MATHEMATICAL DOUBLE-STRUCK CAPITAL E}</mi>'),
        (r"\mathbb{R}", '<mi mathvariant="normal">\N{DOUBLE-STRUCK CAPITAL R}</mi>'),
        (r"\mathcal{L}", '<mi mathvariant="normal">\N{SCRIPT CAPITAL L}</mi>'),
        (r"\mathbf W", '<mi mathvariant="normal" class="bold">W</mi>'),
        (r"\boldsymbol{\mu}", '<mrow class="bold"><mi>μ</mi></mrow>'),
        (r"\textbf{a b}", '<mtext class="bold">a\N{NO-BREAK SPACE}b</mtext>'),
        (r"\stackrel{a}{=}", "<mover><mo>=</mo><mi>a</mi></mover>"),
        (r"\underset{i}{x}", "<munder><mi>x</mi><mi>i</mi></munder>"),
        (r"\xrightarrow{f}", '<mover><mo stretchy="true">→</mo><mi>f</mi></mover>'),
        (r"\displaystyle x", '<mstyle displaystyle="true"><mi>x</mi></mstyle>'),
    ],
)
def test_what_is_known(tex, expected):
    assert inner(tex) == expected


def test_limits_go_above_and_below():
    assert inner(r"\sum_{i=0}^n").startswith("<munderover><mo>∑</mo>")
    assert inner(r"\max_i x").startswith("<mrow><munder>")
    assert inner(r"\int_0^1").startswith("<msubsup>")
    assert inner(r"\int\limits_0^1").startswith("<munderover>")
    assert inner(r"\operatorname*{argmax}_k x").startswith("<mrow><munder>")
    assert inner(r"\mathop{x}_k").startswith("<munder>")


def test_tables_have_rows_cells_and_fences():
    tree = ET.fromstring(to_mathml(r"\begin{cases} a & b \\ c & d \\ \end{cases}", block=True))
    assert [len(row) for row in tree.iter("mtr")] == [2, 2]
    assert tree.find(".//mo").text == "{"


def test_arrays_and_stacked_lines_are_tables():
    for tex in (r"\begin{array}{c|c} a & b \\ c & d \end{array}", r"\sum_{\substack{a \\ b}} x"):
        assert len(list(ET.fromstring(to_mathml(tex, block=True)).iter("mtr"))) == 2


@pytest.mark.parametrize(
    "tex",
    [
        r"\unknown",
        r"\mathbb{x+}",
        r"\mathcal \alpha",
        r"\substack{a",
        r"\limits",
        r"\displaystyle" * 100,
        "{",
        "}",
        r"\left(",
        r"\begin{cases}",
        r"\end{cases}",
        r"\frac{1}",
        r"\text{$x$}",
        "x &",
        "☃",
        "a" * 5000,
    ],
)
def test_what_is_not_known_is_refused(tex):
    assert to_mathml(tex, block=False) is None


def test_deep_nesting_is_refused():
    assert to_mathml("{" * 2000 + "}" * 2000, block=False) is None


PIECES = [
    *"ab1{}^_&'|()[].<>\"",
    r"\frac",
    r"\sqrt",
    r"\left",
    r"\right",
    r"\text",
    r"\sum",
    r"\begin{cases}",
    r"\end{cases}",
    r"\\",
    r"\big",
    r"\limits",
    r"\displaystyle",
    r"\substack",
    r"\mathbf",
    r"\mathbb",
    r"\overset",
    "<script>",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
@settings(max_examples=500, deadline=None)
def test_any_text_is_well_formed_or_refused(tex):
    mathml = to_mathml(tex, block=False)
    if mathml is not None:
        tags = {element.tag for element in ET.fromstring(mathml).iter()}
        assert all(tag == "math" or re.fullmatch("m[a-z]+", tag) for tag in tags)
