"""Boards of problems that rank by the score of their checker."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.urls import reverse

from judge.report import CaseReport, Report
from problems.loader import load_problem, problems_root
from problems.vocabulary import Group, Language, Mode, Verdict
from tests.unit.web.figures import record, timed_report
from web.catalog.models import Problem
from web.leaderboards import queries
from web.leaderboards.queries.scored import CPU, SCORED
from web.packages.catalogue import enter

pytestmark = pytest.mark.django_db
BOARD = "/problems/vector-add/leaderboard"
RULE = {"name": "Regret", "better": "lower", "unit": "%", "ranks": True}


@pytest.fixture
def ranked(problem: Problem) -> Problem:
    """The problem, ranked by a score of which less is better."""
    problem.score = RULE
    problem.save(update_fields=["score"])
    return problem


@pytest.fixture
def scores(ranked, handed_in):
    """Makes judged submissions: `scores(owner, 1.5)`."""

    def make(user, value, *, verdict=Verdict.ACCEPTED, mode=Mode.SUBMIT, language=Language.CUDA, gpu=""):
        cases = (
            CaseReport("sample", Group.SAMPLE, True, verdict, sizes={"n": 4}, checker_score=7.25),
            CaseReport("secret-7919", Group.ODD, False, verdict, sizes={"n": 7919}, checker_score=8.125),
        )
        environment = {"problem_version": ranked.version, **({"gpu": gpu} if gpu else {})}
        report = Report(verdict, cases=cases, environment=environment, checker_score=value)
        return record(handed_in(user, language=language, mode=mode), report)

    return make


def standings(problem, viewer=None, **more):
    return queries.standings(problem, viewer or AnonymousUser(), **more)


def places(found):
    return [(row.username, row.rank, row.tied, row.checker_score) for row in found.rows]


def test_the_best_score_of_each_user_ranks(ranked, owner, teammate, staff, scores):
    scores(owner, 3.0)
    scores(teammate, 2.0)
    scores(owner, 1.5)
    scores(staff, 2.0)
    found = standings(ranked)
    assert places(found) == [
        ("owner", 1, False, 1.5),
        ("teammate", 2, True, 2.0),
        ("staff", 2, True, 2.0),
    ]
    assert (found.ranked, found.note, found.total) == (True, SCORED, 3)
    assert (found.board.gpu, found.board.users) == (CPU, 3)
    assert all(row.score is None for row in found.rows)


def test_more_is_better_if_the_problem_says_so(ranked, owner, teammate, scores):
    ranked.score = {**RULE, "better": "higher"}
    scores(owner, 3.0)
    scores(teammate, 4.0)
    assert [row.username for row in standings(ranked).rows] == ["teammate", "owner"]


def test_only_accepted_submissions_rank(ranked, owner, scores):
    scores(owner, 3.0, mode=Mode.RUN)
    scores(owner, None)
    scores(owner, None, verdict=Verdict.WRONG_ANSWER)
    found = standings(ranked)
    assert (found.ranked, found.rows[0].username) == (False, "owner")
    assert found.note.startswith("No submission has a score yet.")


def test_targets_and_languages_have_boards_of_their_own(ranked, owner, teammate, scores):
    scores(owner, 3.0)
    scores(teammate, 2.0)
    scores(owner, 1.0, gpu="NVIDIA H200")
    scores(owner, 0.5, language=Language.TRITON)
    boards = [(board.gpu, board.language, board.users) for board in standings(ranked).boards]
    assert boards == [(CPU, "cuda", 2), (CPU, "triton", 1), ("NVIDIA H200", "cuda", 1)]
    assert [row.checker_score for row in standings(ranked, gpu="NVIDIA H200").rows] == [1.0]
    assert [row.checker_score for row in standings(ranked, gpu=CPU).rows] == [2.0, 3.0]
    assert [row.checker_score for row in standings(ranked, language=Language.TRITON).rows] == [0.5]


def test_people_who_do_not_rank_are_left_out(ranked, owner, teammate, scores):
    scores(owner, 3.0)
    scores(teammate, 2.0)
    teammate.in_rankings = False
    teammate.save()
    assert [row.username for row in standings(ranked).rows] == ["owner"]


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_pages_continue_where_the_last_one_ended(ranked, owner, teammate, staff, scores, better):
    ranked.score = {**RULE, "better": better}
    for user, value in ((owner, 1.0), (teammate, 1.0), (staff, 2.0)):
        scores(user, value)
    seen, after = [], ""
    while after is not None:
        found = standings(ranked, owner, after=after, limit=1)
        seen += [row.username for row in found.rows]
        assert found.mine.username == "owner"
        after = found.next
    assert seen == (["owner", "teammate", "staff"] if better == "lower" else ["staff", "owner", "teammate"])


def test_it_takes_a_few_queries_whatever_the_size(
    ranked, owner, teammate, staff, scores, django_assert_max_num_queries
):
    for user in (owner, teammate, staff):
        scores(user, 1.0)
    with django_assert_max_num_queries(3):
        standings(ranked, owner)


def test_boards_of_times_stay_as_they_are(problem, owner, handed_in):
    problem.score = {**RULE, "ranks": False}
    problem.save(update_fields=["score"])
    record(handed_in(owner), replace(timed_report(5.0), checker_score=1.0))
    found = standings(problem)
    assert [row.score.median_us for row in found.rows] == [5.0]
    assert found.rows[0].checker_score is None


def test_the_page(ranked, owner, scores, client: Client):
    scores(owner, 1.25)
    page = client.get(BOARD).content.decode()
    assert '<th scope="col" class="number">Regret</th>' in page
    assert "1.25 %" in page
    assert "Lower is better." in page
    assert ">CPU</a>" in page


def test_the_api_returns_it(ranked, owner, scores, client: Client):
    submission = scores(owner, 1.25)
    body = client.get("/api/v1/leaderboards/vector-add").json()
    assert [(row["checker_score"], row["score"]) for row in body["rows"]] == [(1.25, None)]
    assert client.get("/api/v1/problems/vector-add").json()["score"] == RULE
    client.force_login(owner)
    page = client.get(reverse("submission", args=[submission.public_id])).content.decode()
    assert "Regret" in page
    assert "1.25 %" in page
    assert "7.25 %" in page
    assert "8.125" not in page, "the score of a hidden case"


def test_a_score_does_not_rank_where_requirements_decide():
    package = load_problem(problems_root() / "write-the-tuner")
    assert not enter(package).ranks_by_score
    assert enter(replace(package, slug="free", requirements=())).ranks_by_score
