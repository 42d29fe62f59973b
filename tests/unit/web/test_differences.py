"""Tests comparing sources: no text is lost, texts are escaped, and it ends in time."""

import html
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web.colours import highlighted, lines_of, to_html
from web.submissions.differences import (
    CONTEXT_LINES,
    MAX_LINES,
    Difference,
    TooDifferent,
    changed_words,
    compare,
)
from web.submissions.matching import Budget

SOURCES = st.lists(st.sampled_from(["a", "b", "  c = d;", "", "\te", "// <f>", "'''"])).map("\n".join)
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200)


def diff(old: str, new: str) -> Difference:
    return compare(old, new, old_language="cuda", new_language="cuda")


def plain(piece: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", piece))


@given(SOURCES, SOURCES)
def test_each_source_can_be_read_off_again(old, new):
    found = diff(old, new)
    for rows in (found.rows, found.unified):
        for source, sides in ((old, [row.old for row in rows]), (new, [row.new for row in rows])):
            shown = {side.number: plain(side.html) for side in sides if side}
            lines = lines_of(source)
            assert all(lines[number - 1] == text for number, text in shown.items())
            assert len(lines) - len(shown) == sum(row.skipped for row in rows)
            assert list(shown) == sorted(shown)
    assert found.removed == sum(bool(row.old and row.old.sign) for row in found.rows)
    assert found.added == sum(bool(row.new and row.new.sign) for row in found.rows)


@given(SOURCES)
def test_a_source_does_not_differ_from_itself(source):
    found = diff(source, source)
    assert (found.removed, found.added) == (0, 0)


def test_lines_far_from_a_change_are_left_out():
    old = [f"line {number};" for number in range(40)]
    new = [*old[:20], "changed;", *old[21:]]
    found = diff("\n".join(old), "\n".join(new))
    assert [row.skipped for row in found.rows if row.skipped] == [20 - CONTEXT_LINES, 19 - CONTEXT_LINES]
    assert len(found.rows) == 2 + 2 * CONTEXT_LINES + 1
    assert [(row.old is None, row.new is None) for row in found.unified[4:6]] == [
        (False, True),
        (True, False),
    ]


def test_in_a_changed_line_the_words_are_marked():
    found = diff("float x = a[i] + b[i];", "float x = a[i] + b[j];")
    (row,) = found.rows
    assert re.sub(r"</?span[^>]*>", "", row.old.html) == "float x = a[i] + b[<del>i</del>];"
    assert re.sub(r"</?span[^>]*>", "", row.new.html) == "float x = a[i] + b[<ins>j</ins>];"
    assert '<span class="tok-kt">float</span>' in row.new.html


def test_lines_without_much_in_common_are_marked_as_a_whole():
    assert changed_words("return 0;", "__shared__ float tile[32][33];", Budget()) == ((), ())


def test_what_was_written_is_shown_and_not_run():
    found = diff("a", "<script>alert('&amp;')</script>")
    assert "<script>" not in found.rows[0].new.html
    assert plain(found.rows[0].new.html) == "<script>alert('&amp;')</script>"


@given(TEXTS, st.sampled_from(["cuda", "triton"]))
def test_colours_change_no_character(source, language):
    assert ["".join(run.text for run in line) for line in highlighted(source, language)] == lines_of(source)


@given(st.lists(st.integers(0, 12), min_size=2, max_size=2).map(sorted))
def test_a_mark_holds_exactly_its_characters(mark):
    (runs,) = highlighted("int abc = 4;", "cuda")
    first, last = mark
    marked = re.findall(r"<mark>(.*?)</mark>", to_html(runs, [(first, last)]))
    assert "".join(plain(part) for part in marked) == "int abc = 4;"[first:last]


def test_too_much_to_compare_is_refused():
    many = "\n".join(f"x{number}" for number in range(MAX_LINES + 1))
    with pytest.raises(TooDifferent):
        diff(many, many.replace("x", "y"))
    assert diff(f"{many}\nz", many).removed == 1  # long, but hardly different


def test_sources_made_to_be_slow_end_in_time():
    old = "\n".join(f"{number % 90}" for number in range(MAX_LINES))
    new = "\n".join(f"{number * 7 % 91}" for number in range(MAX_LINES))
    started = time.monotonic()
    diff(old, new)
    assert time.monotonic() - started < 5
