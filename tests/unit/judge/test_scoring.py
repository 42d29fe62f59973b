"""Scores and ranks."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.report import CaseReport, Score, Timing
from judge.scoring import checker_score, rank, score
from problems.schema import ScoreRule
from problems.vocabulary import Better, Group, Verdict
from tests.unit.judge.packages import DOUBLING

TIMES = st.floats(1e-2, 1e7)


@st.composite
def timings(draw: st.DrawFn) -> Timing:
    median = draw(TIMES)
    low, high = median * draw(st.floats(0.9, 1.0)), median * draw(st.floats(1.0, 1.1))
    return Timing(median, low, high, repetitions=10)


@st.composite
def scores(draw: st.DrawFn) -> Score:
    median = draw(st.floats(1.0, 2.0))
    return Score(median, median * draw(st.floats(0.9, 1.0)), median * draw(st.floats(1.0, 1.1)))


def exactly(us: float, share: float = 0.0) -> Timing:
    return Timing(us, us * (1 - share), us * (1 + share), repetitions=9)


def test_the_score_is_the_geometric_mean() -> None:
    assert score([exactly(10), exactly(1000)]).median_us == pytest.approx(100)


def test_one_case_keeps_its_interval() -> None:
    found = score([exactly(50, 0.01)])
    assert found.low_us == pytest.approx(49.5)
    assert found.high_us == pytest.approx(50.5)


def test_several_cases_narrow_the_interval() -> None:
    found = score([exactly(50, 0.01)] * 4)
    assert found.high_us / found.median_us - 1 == pytest.approx(0.005, rel=0.02)


@given(st.lists(timings(), min_size=1, max_size=6))
def test_the_score_lies_among_its_cases_and_within_its_interval(found: list[Timing]) -> None:
    made = score(found)
    assert made.low_us * (1 - 1e-12) <= made.median_us <= made.high_us * (1 + 1e-12)
    fastest, slowest = min(t.median_us for t in found), max(t.median_us for t in found)
    assert fastest * (1 - 1e-9) <= made.median_us <= slowest * (1 + 1e-9)


@given(st.lists(timings(), min_size=2, max_size=5), st.floats(0.1, 0.9))
def test_a_faster_case_makes_a_better_score(found: list[Timing], share: float) -> None:
    first = found[0]
    faster = Timing(
        first.median_us * share,
        first.low_us * share,
        first.high_us * share,
        repetitions=1,
    )
    assert score([faster, *found[1:]]).median_us < score(found).median_us


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_impossible_times_have_no_score(bad: float) -> None:
    with pytest.raises(ValueError, match="cannot score this timing"):
        score([exactly(10), exactly(bad)])


def test_an_interval_that_misses_its_median_has_no_score() -> None:
    with pytest.raises(ValueError, match="cannot score this timing"):
        score([Timing(10, 11, 12, repetitions=1)])


def test_no_case_has_no_score() -> None:
    with pytest.raises(ValueError, match="at least one"):
        score([])


SCORED = replace(DOUBLING, score=ScoreRule("Regret", Better.LOWER, 0, 9))


def case(name: str, value: float | None, *, public: bool = False, timed: bool = False) -> CaseReport:
    group = Group.SAMPLE if public else Group.ODD
    timing = exactly(1.0) if timed else None
    return CaseReport(name, group, public, Verdict.ACCEPTED, checker_score=value, timing=timing)


def test_the_score_of_a_checker_is_the_mean_of_the_hidden_cases() -> None:
    cases = [case("example", 9, public=True), case("a", 1.0), case("b", 2.0), case("t", 8.0, timed=True)]
    assert checker_score(SCORED, cases) == 1.5
    named = replace(SCORED, score=ScoreRule("Regret", Better.LOWER, 0, 9, cases=("b",)))
    assert checker_score(named, cases) == 2.0
    assert checker_score(DOUBLING, cases) is None


def test_the_score_of_a_run_is_that_of_its_public_cases() -> None:
    assert checker_score(SCORED, [case("example", 2, public=True), case("more", 4, public=True)]) == 3


def test_the_score_of_a_checker_has_four_digits() -> None:
    assert checker_score(SCORED, [case("a", 1 / 3)]) == 0.3333
    assert checker_score(SCORED, [case("a", None)]) is None


def test_overlapping_intervals_tie_and_leave_a_gap() -> None:
    table = [Score(30, 29, 31), Score(10, 9, 11), Score(10.5, 10, 12), Score(20, 19, 21)]
    assert rank(table) == [4, 1, 1, 3]


def test_a_chain_of_overlaps_does_not_tie_its_ends() -> None:
    assert rank([Score(10, 9, 11), Score(11.5, 10.5, 12.5), Score(13, 12, 14)]) == [1, 1, 3]


@given(st.lists(scores(), max_size=12))
def test_ranks_are_competition_ranks(table: list[Score]) -> None:
    ranks = rank(table)
    for mine, own in zip(ranks, table, strict=True):
        assert sum(other < mine for other in ranks) == mine - 1
        for other, theirs in zip(ranks, table, strict=True):
            if own.median_us < theirs.median_us:
                assert mine <= other
    if table:
        assert min(ranks) == 1
