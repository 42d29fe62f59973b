"""Tests that the common parts of two texts are found within a bounded number of steps."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web.submissions.differences import MAX_LINES, changed_words, compare
from web.submissions.matching import STEPS, Budget, Matcher

PARTS = st.lists(st.sampled_from(["a", "b", "c", " ", "()"]), max_size=40)


@given(PARTS, PARTS, st.booleans())
def test_within_the_budget_it_is_what_difflib_finds(old, new, popular_are_junk):
    usual = difflib.SequenceMatcher(None, old, new, autojunk=popular_are_junk)
    found = Matcher(old, new, Budget(), popular_are_junk=popular_are_junk)
    assert found.get_opcodes() == usual.get_opcodes()


@given(PARTS, PARTS, st.integers(0, 200))
def test_without_steps_left_it_is_still_a_way_from_one_to_the_other(old, new, steps):
    codes = Matcher(old, new, Budget(steps)).get_opcodes()
    made = [part for tag, i1, i2, j1, j2 in codes for part in (old[i1:i2] if tag == "equal" else new[j1:j2])]
    assert made == new


class Counting(Matcher):
    """Counts what the search of difflib itself does: the places of `b` that it looks at, and the calls."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.steps = 0
        self.b2j = {number: Counted(places, self) for number, places in self.b2j.items()}


class Counted(list[int]):
    """Places that count how often they are looked at."""

    def __init__(self, places, counter):
        super().__init__(places)
        self.counter = counter

    def __iter__(self):
        for place in super().__iter__():
            self.counter.steps += 1
            yield place


@pytest.mark.parametrize("kinds", [1, 2, 7, 90])
def test_no_sequences_take_more_steps_than_the_budget_has(kinds):
    """Two sources of 54 KB took 12 s."""
    old = [str(number % kinds) for number in range(MAX_LINES)]
    new = [str(number * 7 % (kinds + 1)) for number in range(MAX_LINES)]
    matcher = Counting(old, new, Budget())
    matcher.get_opcodes()
    assert matcher.steps <= STEPS


def test_all_lines_of_a_source_share_one_budget():
    budget = Budget()
    old, new = "a b " * 40, "b a a " * 26
    steps = []
    for _ in range(400):
        left = budget.left
        changed_words(old, new, budget)
        steps.append(left - budget.left)
    assert sum(steps) == STEPS
    assert steps[-1] == 0


def test_where_the_budget_ends_lines_count_as_changed():
    old = "\n".join(f"{number % 3};" for number in range(MAX_LINES))
    new = "\n".join(f"{number % 2};" for number in range(MAX_LINES))
    found = compare(old, new, old_language="cuda", new_language="cuda")
    assert len([row for row in found.rows if row.old]) + sum(row.skipped for row in found.rows) == MAX_LINES
