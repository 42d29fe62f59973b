"""Tests the overall ranking: its points, its users, its visibility, and when it is rebuilt."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from problems.vocabulary import Language
from tests.conftest import new_problem
from tests.unit.web.figures import record, timed_report
from web.accounts.models import User
from web.leaderboards import queries, ranking
from web.leaderboards.models import Place, Ranking
from web.submissions import best, services
from web.submissions.models import Best, Report, Submission
from web.tracks.models import Entry, Track

pytestmark = pytest.mark.django_db


@pytest.fixture
def other(problem):
    return new_problem("other", track_day=2)


@pytest.fixture
def score(problem):
    """Makes judged submissions: `score(owner, 5.0)`."""

    def make(user, score_us, half_us=0.01, *, on=problem, language=Language.CUDA, **stamp):
        submission = services.submit(user, on, language=language, source="x")
        return record(submission, timed_report(score_us, half_us, **stamp))

    return make


def points(viewer=None, **asked):
    ranking.refresh()
    page = queries.ranking_page(viewer or User(), **asked)
    return [(row.username, row.rank, row.points) for row in page.rows]


def test_points_are_the_ratio_to_the_record(owner, teammate, staff, score):
    score(owner, 4.0)
    score(teammate, 5.0)
    score(staff, 40.0)
    assert points() == [("owner", 1, 100.0), ("teammate", 2, 80.0), ("staff", 3, 10.0)]


def test_points_of_all_problems_add_up(owner, teammate, other, score):
    score(owner, 4.0)
    score(teammate, 5.0)
    score(teammate, 300.0, on=other)
    assert points() == [("teammate", 1, 180.0), ("owner", 2, 100.0)]
    [row] = [row for row in queries.ranking_page(User()).rows if row.username == "teammate"]
    assert (row.problems, row.full) == (2, 1)


def test_who_ties_with_the_record_has_all_points(owner, teammate, staff, score):
    score(owner, 4.00, 0.03)
    score(teammate, 4.05, 0.03)
    score(staff, 4.10, 0.03)
    assert points() == [("owner", 1, 100.0), ("teammate", 1, 100.0), ("staff", 3, 97.6)]


def test_the_best_language_counts_against_the_fastest_in_any(owner, teammate, score):
    score(owner, 4.0)
    score(teammate, 10.0)
    score(teammate, 5.0, language=Language.TRITON)
    assert points() == [("owner", 1, 100.0), ("teammate", 2, 80.0)]


def test_each_gpu_model_has_a_ranking_of_its_own(owner, teammate, staff, score):
    score(owner, 4.0)
    score(teammate, 8.0)
    score(teammate, 9.0, gpu="NVIDIA A100")
    assert points() == points(gpu="NVIDIA H200") == [("owner", 1, 100.0), ("teammate", 2, 50.0)]
    assert points(gpu="NVIDIA A100") == [("teammate", 1, 100.0)]
    assert points(gpu="nothing") == points()


def test_only_the_present_version_of_published_problems_counts(owner, problem, other, score):
    score(owner, 4.0)
    score(owner, 4.0, on=other)
    assert points() == [("owner", 1, 200.0)]
    other.published = False
    other.save()
    assert points() == [("owner", 1, 100.0)]
    problem.version = "2"
    problem.save()
    assert points() == []


def test_who_hides_is_left_out_at_once(owner, teammate, score):
    score(owner, 4.0)
    score(teammate, 8.0)
    ranking.refresh()
    User.objects.filter(pk=owner.pk).update(in_rankings=False)
    page = queries.ranking_page(owner)
    assert [row.username for row in page.rows] == ["teammate"]
    assert page.mine is None
    assert points() == [("teammate", 1, 100.0)]


def test_a_track_has_a_ranking_of_its_problems(owner, teammate, problem, other, score):
    track = Track.objects.create(slug="first-steps", title="First steps", summary="Begin here.")
    Entry.objects.create(track=track, problem=other, position=1)
    hidden = Track.objects.create(slug="hidden", title="Hidden", summary="Later.", published=False)
    Entry.objects.create(track=hidden, problem=problem, position=1)
    score(owner, 4.0)
    score(owner, 8.0, on=other)
    score(teammate, 4.0, on=other)
    assert points() == [("owner", 1, 150.0), ("teammate", 2, 100.0)]
    assert points(track="first-steps") == [("teammate", 1, 100.0), ("owner", 2, 50.0)]
    assert points(track="hidden") == points(track="nothing") == points()
    assert Ranking.objects.count() == 2


def test_pages_follow_each_other_and_ones_own_row_is_always_there(owner, score):
    for number in range(4):
        score(User.objects.create_user(f"person-{number}"), 1.0 + number // 2)
    score(owner, 9.0)
    ranking.refresh()
    first = queries.ranking_page(owner, limit=2)
    assert [row.username for row in first.rows] == ["person-0", "person-1"]
    assert (first.mine.username, first.mine.rank, first.continued) == ("owner", 5, False)
    second = queries.ranking_page(owner, after=first.next, limit=3)
    assert [row.username for row in second.rows] == ["person-2", "person-3", "owner"]
    assert (second.next, second.continued) == (None, True)


@pytest.mark.parametrize("nonsense", ["x", "-1", "²", "~", "1" * 40, "1e3", "\0"])
def test_a_cursor_that_makes_no_sense_gives_the_first_page(owner, score, nonsense):
    score(owner, 4.0)
    assert points(after=nonsense) == [("owner", 1, 100.0)]


def test_it_is_made_anew_when_somebody_was_better_and_it_is_time(owner, teammate, score):
    now = timezone.now()
    assert not ranking.refresh_if_due(now)
    score(owner, 4.0)
    assert ranking.refresh_if_due(now)
    score(teammate, 2.0)
    assert not ranking.refresh_if_due(now + timedelta(minutes=1))
    assert queries.ranking_page(User()).rows[0].username == "owner"
    assert ranking.refresh_if_due(now + timedelta(minutes=6))
    assert queries.ranking_page(User()).rows[0].username == "teammate"
    assert not ranking.refresh_if_due(now + timedelta(minutes=20))
    assert ranking.refresh_if_due(now + timedelta(minutes=67))


def test_where_nobody_ranks_it_is_not_tried_all_the_time(owner, score):
    score(owner, 4.0)
    User.objects.update(in_rankings=False)
    assert ranking.refresh_if_due()
    assert not ranking.refresh_if_due()


def test_recount_makes_the_ranking_too(owner, score):
    score(owner, 4.0)
    call_command("recount")
    assert Place.objects.get().points == 100.0


def test_it_takes_three_queries(owner, score, django_assert_num_queries):
    score(owner, 4.0)
    ranking.refresh()
    with django_assert_num_queries(3):
        queries.ranking_page(owner)


TIMES = st.tuples(st.integers(0, 2), st.integers(0, 1), st.sampled_from([*Language]), st.floats(1, 50))


@given(st.lists(TIMES, max_size=20))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_statement_says_what_the_rules_say(owner, teammate, staff, problem, other, times):
    people, problems = [owner, teammate, staff], [problem, other]
    Submission.objects.all().delete()
    for person, where, language, score_us in times:
        submission = Submission.objects.create(
            user=people[person],
            problem=problems[where],
            version="1",
            language=language,
            mode="submit",
            source="x",
        )
        figures = {"score_us": score_us, "score_low_us": 0.95 * score_us, "score_high_us": 1.05 * score_us}
        Report.objects.create(
            submission=submission,
            attempt=1,
            verdict="accepted",
            version="1",
            gpu_model="NVIDIA H200",
            ranked=True,
            body={},
            **figures,
        )
    best.rebuild()
    expected = {}
    for where in {where for _, where, *_ in times}:
        record_us = min(score_us for _, at, _, score_us in times if at == where)
        for person in {person for person, at, *_ in times if at == where}:
            own_us = min(score_us for who, at, _, score_us in times if (who, at) == (person, where))
            earned = 100.0 if 0.95 * own_us <= 1.05 * record_us else 100 * record_us / own_us
            expected[people[person].username] = expected.get(people[person].username, 0) + earned
    found = {name: earned for name, _, earned in points()}
    assert found == pytest.approx(expected, abs=0.051)
    assert Best.objects.filter(current=True).count() == len({time[:3] for time in times})
