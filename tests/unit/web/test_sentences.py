"""Tests sentences from texts that begin with a small letter."""

import pytest

from web.site.sentences import sentence


@pytest.mark.parametrize(
    "text",
    [
        "a * b is rounded",
        "a is rounded",
        "n / chunks rounds down",
        "solve returns early",
        "float16 is too short",
        "cudaMalloc returns an address",
        "exp(x) is infinite",
        "tl.dot adds",
        "problem.toml: no title",
        "",
    ],
)
def test_code_and_names_keep_their_small_letter(text: str) -> None:
    assert sentence(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a conversion drops it", "A conversion drops it"),
        ("odd-even sorting", "Odd-even sorting"),
        ("load, add", "Load, add"),
    ],
)
def test_words_get_a_capital_letter(text: str, shown: str) -> None:
    assert sentence(text) == shown
