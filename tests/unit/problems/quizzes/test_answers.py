"""Numbers as learners type them."""

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems.quiz_answers import AnswerUnreadable, read_number


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        *(("1500", 1500), ("1e3", 1000), ("1.5E+3", 1500), ("1_000", 1000), ("1,000", 1000), ("1 000", 1000)),
        *(("1,234,567.5", 1234567.5), ("1\u202f234\u202f567", 1234567), ("12\u00a0000", 12000)),
        *(("-3", -3), ("\u22123", -3), ("+4", 4), (" 5 ", 5), (".5", 0.5), ("5.", 5), ("0.005", 0.005)),
        *(("1500 GB/s", 1500), ("1,500GB/s", 1500), ("007", 7)),
    ],
)
def test_known_spellings(text: str, wanted: float) -> None:
    assert read_number(text, "GB/s") == wanted


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("1,5", "Write a decimal point, such as 1.5."),
        ("1,00", "Write a decimal point"),
        ("1,000,00", "Write a decimal point"),
        ("1_000,000", "Write a decimal point"),
        ("", "Write a number."),
        ("  ", "Write a number."),
        ("GB/s", "Write a number."),
        ("many", "Write a number in GB/s, such as 1500, 1,500, 1_500 or 1.5e3."),
        ("1500 MB/s", "Write a number in GB/s"),
        ("nan", "Write a number"),
        ("inf", "Write a number"),
        ("1e", "Write a number"),
        ("0x10", "Write a number"),
        ("1/3", "Write a number"),
        ("--1", "Write a number"),
        ("-", "Write a number"),
        ("\u0661", "Write a number"),
        ("1e400", "Write a number"),
        ("9e305", "This number is too large."),
        ("1" * 41, "Write at most 40 characters."),
    ],
)
def test_other_spellings_get_advice(text: str, advice: str) -> None:
    if text == "1e400":
        advice = "This number is too large."
    with pytest.raises(AnswerUnreadable, match=re.escape(advice)):
        read_number(text, "GB/s")


@given(st.floats(-1e15, 1e15))
def test_every_number_of_python_is_read(number: float) -> None:
    assert read_number(f"{number!r}") == number


@given(st.text(max_size=60))
def test_any_text_is_a_number_or_gets_advice(text: str) -> None:
    with contextlib.suppress(AnswerUnreadable):
        read_number(text, "%")
