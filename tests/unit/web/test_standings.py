"""Standings: what ranks, against what, and who ties."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from tests.unit.web.figures import record, timed_report
from web.accounts.models import User
from web.leaderboards.queries import standings
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db


@pytest.fixture
def scores(handed_in):
    """Makes judged submissions: `scores(owner, 5.0)`."""

    def make(user: User, score_us: float, half_us: float = 0.05, *, language="cuda", mode="submit", **stamp):
        submission = handed_in(user, language=Language(language), mode=Mode(mode))
        return record(submission, timed_report(score_us, half_us, **stamp))

    return make


def names(rows) -> list[str]:
    return [row.username for row in rows]


def test_the_best_score_of_each_user_ranks(problem, owner, teammate, scores):
    scores(owner, 6.0)
    scores(teammate, 5.0)
    scores(owner, 4.0)
    scores(owner, 7.0)
    shown = standings(problem)
    assert shown.ranked
    assert [(row.username, row.rank, row.score.median_us) for row in shown.rows] == [
        ("owner", 1, 4.0),
        ("teammate", 2, 5.0),
    ]
    assert not any(row.tied for row in shown.rows)
    assert shown.rows[0].roofline_percent == pytest.approx(100 * 4.0625 / 4.0)
    assert (shown.rows[0].driver, shown.rows[0].toolkit) == ("580.159.03", "nvcc 13.0.88")


def test_overlapping_intervals_tie(problem, owner, teammate, staff, scores):
    scores(owner, 5.00, 0.03)
    scores(teammate, 5.05, 0.03)
    scores(staff, 6.0, 0.03)
    shown = standings(problem)
    assert [(row.rank, row.tied) for row in shown.rows] == [(1, True), (1, True), (3, False)]


def test_of_the_same_score_the_earlier_is_first(problem, owner, teammate, scores):
    scores(teammate, 5.0)
    scores(owner, 5.0)
    assert names(standings(problem).rows) == ["teammate", "owner"]


def test_gpus_and_languages_have_boards_of_their_own(problem, owner, teammate, scores):
    scores(owner, 9.0, gpu="NVIDIA A100")
    scores(owner, 5.0)
    scores(teammate, 4.0)
    scores(owner, 6.0, language="triton")
    shown = standings(problem)
    assert [(b.gpu, b.language, b.users) for b in shown.boards] == [
        ("NVIDIA A100", "cuda", 1),
        ("NVIDIA H200", "cuda", 2),
        ("NVIDIA H200", "triton", 1),
    ]
    assert (shown.board.gpu, shown.board.language) == ("NVIDIA H200", "cuda")
    assert names(shown.rows) == ["teammate", "owner"]
    assert names(standings(problem, language=Language.TRITON).rows) == ["owner"]
    a100 = standings(problem, gpu="NVIDIA A100")
    assert [row.score.median_us for row in a100.rows] == [9.0]


def test_a_board_that_nobody_is_on_is_empty_and_not_another_one(problem, owner, scores):
    scores(owner, 5.0)
    for shown in (standings(problem, gpu="NVIDIA B200"), standings(problem, language=Language.TRITON)):
        assert shown.ranked
        assert shown.rows == ()
        assert shown.board.users == 0


def test_versions_of_the_problem_are_not_mixed(problem, owner, teammate, scores):
    scores(owner, 3.0)
    scores(teammate, 5.0)
    problem.version = "2"
    problem.save()
    scores(teammate, 8.0, problem_version="2")
    shown = standings(problem)
    assert [(row.username, row.rank, row.score.median_us) for row in shown.rows] == [("teammate", 1, 8.0)]
    assert [(row.username, row.rank, row.version) for row in shown.older] == [
        ("owner", None, "1"),
        ("teammate", None, "1"),
    ]
    assert [row.score.median_us for row in shown.records] == [8.0]


def test_what_does_not_rank_is_not_there(problem, owner, teammate, staff, handed_in, scores):
    scores(owner, 5.0)
    scores(teammate, 1.0, mode="run")
    User.objects.create_user("gone", is_active=False)
    scores(User.objects.get(username="gone"), 2.0)
    record(handed_in(staff), Report(Verdict.ACCEPTED, environment={"target": "cpu"}))
    assert names(standings(problem).rows) == ["owner"]


def test_a_record_is_surely_better_than_all_before(problem, owner, teammate, scores):
    scores(owner, 9.0)
    scores(teammate, 8.99)
    scores(owner, 7.0)
    scores(teammate, 8.0)
    scores(teammate, 6.0)
    shown = standings(problem)
    assert [(row.username, row.score.median_us) for row in shown.records] == [
        ("teammate", 6.0),
        ("owner", 7.0),
        ("owner", 9.0),
    ]


def test_ones_own_row_is_there_beyond_the_limit(problem, owner, teammate, staff, scores):
    for user, score_us in ((teammate, 1.0), (staff, 2.0), (owner, 3.0)):
        scores(user, score_us)
    assert names(standings(problem, limit=1).rows) == ["teammate"]
    mine = standings(problem, limit=1, username="owner").rows
    assert [(row.username, row.rank) for row in mine] == [("teammate", 1), ("owner", 3)]


def test_without_a_gpu_nothing_ranks(problem, owner, handed_in):
    record(handed_in(owner), Report(Verdict.ACCEPTED))
    shown = standings(problem)
    assert (shown.ranked, shown.board, names(shown.rows)) == (False, None, ["owner"])
    assert "Nothing is ranked" in shown.note


def test_standings_take_few_queries(problem, owner, teammate, scores):
    for score_us in (5.0, 4.0, 3.0):
        scores(owner, score_us)
        scores(teammate, score_us + 0.5)
    with CaptureQueriesContext(connection) as captured:
        standings(problem, username="owner")
    assert len(captured) <= 4
    assert Submission.objects.count() == 6
