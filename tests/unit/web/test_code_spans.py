"""Tests findings with code between backticks."""

import pytest

from web.templatetags.warpcourt import code_spans


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("no `other` <b>", "no <code>other</code> &lt;b&gt;"),
        ("`a<b>` and `c`", "<code>a&lt;b&gt;</code> and <code>c</code>"),
        ("a single ` stays", "a single ` stays"),
        ("", ""),
    ],
)
def test_code_is_marked_and_nothing_else_is_markup(text: str, html: str) -> None:
    assert code_spans(text) == html
