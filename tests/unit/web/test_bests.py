"""Tests that bests and records agree with the reports after any sequence of verdicts and rejudges."""

from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from tests.conftest import new_problem
from tests.unit.web.figures import record, timed_report
from web.accounts.models import User
from web.leaderboards import queries
from web.submissions import best, services
from web.submissions.models import Best, Submission, Tally

pytestmark = pytest.mark.django_db
COLUMNS = (
    *("user", "problem", "version", "gpu_model", "language", "submission", "score_us", "score_low_us"),
    *("score_high_us", "roofline_percent", "driver", "toolkit", "handed_in", "current", "record"),
)


@pytest.fixture
def scores(handed_in):
    """Makes judged submissions: `scores(owner, 5.0)`."""

    def make(user: User, score_us: float, half_us: float = 0.05, *, language="cuda", mode="submit", **stamp):
        submission = handed_in(user, language=Language(language), mode=Mode(mode))
        return record(submission, timed_report(score_us, half_us, **stamp))

    return make


def snapshot() -> list[tuple[Any, ...]]:
    return sorted(Best.objects.values_list(*COLUMNS))


def rebuilt() -> list[tuple[Any, ...]]:
    best.rebuild()
    return snapshot()


def bests(user: User) -> list[tuple[float, bool, bool]]:
    rows = Best.objects.filter(user=user).order_by("handed_in")
    return list(rows.values_list("score_us", "current", "record"))


def test_the_best_of_a_person_stands(owner, scores):
    for score_us in (6.0, 7.0, 4.0, 5.0):
        scores(owner, score_us)
    assert bests(owner) == [(6.0, False, True), (4.0, True, True)]
    assert snapshot() == rebuilt()


def test_an_interval_that_reaches_lower_is_kept_for_the_records(owner, teammate, scores):
    scores(owner, 6.0, 0.1)
    scores(owner, 6.5, 2.0)
    assert bests(owner) == [(6.0, True, True), (6.5, False, False)]
    scores(teammate, 5.0, 0.1)
    assert bests(teammate) == [(5.0, True, False)]
    assert snapshot() == rebuilt()


def test_judging_the_best_again_gives_the_place_back(owner, teammate, scores):
    scores(owner, 6.0)
    gone = scores(owner, 4.0)
    scores(teammate, 5.0)
    assert bests(teammate) == [(5.0, True, False)]
    services.rejudge(gone)
    assert bests(owner) == [(6.0, True, True)]
    assert bests(teammate) == [(5.0, True, True)]
    record(gone, timed_report(7.0))
    assert bests(owner) == [(6.0, True, True)]
    assert snapshot() == rebuilt()


def test_what_does_not_rank_is_no_best(owner, handed_in, scores):
    scores(owner, 1.0, mode="run")
    record(handed_in(owner), Report(Verdict.ACCEPTED, environment={"target": "cpu"}))
    record(handed_in(owner), Report(Verdict.WRONG_ANSWER))
    assert snapshot() == rebuilt() == []


def test_who_hides_makes_room_for_the_records_of_others(owner, teammate, scores):
    scores(owner, 5.0)
    scores(teammate, 6.0)
    User.objects.filter(pk=owner.pk).update(in_rankings=False)
    best.review(owner)
    assert bests(owner) == [(5.0, True, False)]
    assert bests(teammate) == [(6.0, True, True)]
    assert [row.username for row in queries.recent_records()] == ["teammate"]
    assert snapshot() == rebuilt()


def test_who_leaves_makes_room_for_the_records_of_others(owner, teammate, scores):
    scores(owner, 5.0)
    scores(teammate, 6.0)
    services.forget(owner)
    owner.delete()
    assert bests(teammate) == [(6.0, True, True)]
    assert snapshot() == rebuilt()


def test_recount_makes_wrong_bests_right(owner, scores):
    scores(owner, 5.0)
    right = snapshot()
    Best.objects.update(score_us=4.96, current=False, record=False)
    services.recount()
    assert snapshot() == right


def test_recent_records_are_those_of_published_problems(owner, teammate, problem, scores, client):
    scores(owner, 9.0)
    scores(teammate, 7.0)
    scores(owner, 8.0)
    shown = queries.recent_records(5)
    assert [(row.username, row.score.median_us, row.stands) for row in shown] == [
        ("teammate", 7.0, True),
        ("owner", 9.0, False),
    ]
    assert (shown[0].slug, shown[0].gpu, shown[0].language) == ("vector-add", "NVIDIA H200", "cuda")
    assert len(queries.recent_records(1)) == 1
    problem.published = False
    problem.save()
    assert queries.recent_records(5) == []


def test_records_on_an_earlier_version_are_not_recent(owner, problem, scores):
    scores(owner, 9.0)
    problem.version = "2"
    problem.save()
    assert queries.recent_records(5) == []


def test_records_of_a_person_are_for_those_who_may_see_the_profile(
    owner, teammate, staff, stranger, scores, django_assert_num_queries
):
    scores(owner, 9.0)
    scores(teammate, 8.0)
    with django_assert_num_queries(1):
        shown = queries.records_of(owner, stranger)
    assert [(row.score.median_us, row.stands) for row in shown] == [(9.0, False)]
    owner.profile_audience = "nobody"
    owner.save()
    assert queries.records_of(owner, teammate) == []
    assert queries.records_of(owner, staff) == queries.records_of(owner, owner) == shown


@pytest.fixture
def other(problem):
    return new_problem("other")


PEOPLE, PROBLEMS = 2, 2
STEPS = st.one_of(
    st.tuples(
        *(st.just("submit"), st.integers(0, PEOPLE - 1), st.integers(0, PROBLEMS - 1)),
        *(
            st.sampled_from([Mode.SUBMIT, Mode.SUBMIT, Mode.SUBMIT, Mode.RUN]),
            st.sampled_from([Language.CUDA, Language.TRITON]),
        ),
    ),
    st.tuples(
        *(st.just("time"), st.integers(4, 9), st.sampled_from([0.1, 0.9, 2.5])),
        *(st.sampled_from(["1", "2"]), st.sampled_from(["NVIDIA H200", "NVIDIA B200"])),
    ),
    st.tuples(st.just("record"), st.sampled_from([Verdict.ACCEPTED, Verdict.WRONG_ANSWER])),
    st.tuples(st.just("rejudge"), st.integers(0, 9)),
    st.tuples(st.just("hide"), st.integers(0, PEOPLE - 1), st.booleans()),
)


@given(steps=st.lists(STEPS, max_size=30))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_order_of_events_ends_where_a_rebuild_would(owner, teammate, problem, other, steps):
    people, problems = [owner, teammate], [problem, other]
    with transaction.atomic():
        for word, *details in steps:
            take(word, details, people, problems)
            kept = snapshot()
            assert kept == rebuilt()
        assert not Tally.objects.exclude(problem__in=problems).exists()
        transaction.set_rollback(True)


def take(word: str, details: list[Any], people: list[User], problems: list[Any]) -> None:
    """One thing that may happen. What cannot happen now does not."""
    if word == "submit":
        person, problem, mode, language = details
        try:
            services.submit(people[person], problems[problem], language=language, source="x", mode=mode)
        except services.LimitReached:
            return
    elif word in {"time", "record"}:
        claim = services.claim("w")
        if claim and word == "time":
            score_us, half_us, version, gpu = details
            services.record(claim, timed_report(score_us, half_us, problem_version=version, gpu=gpu))
        elif claim:
            services.record(claim, Report(details[0]))
    elif word == "hide":
        person, shown = details
        User.objects.filter(pk=people[person].pk).update(in_rankings=shown)
        best.review(people[person])
    else:
        made = list(Submission.objects.order_by("pk"))
        if made:
            services.rejudge(made[details[0] % len(made)])
