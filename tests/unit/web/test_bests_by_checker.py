"""Tests that the boards of scores agree with the reports after any sequence of events."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from tests.conftest import new_problem
from tests.unit.web.figures import record
from web.accounts.models import Audience, User
from web.catalog.models import Problem
from web.leaderboards import queries
from web.profiles.services import change_privacy
from web.rejudges import rejudging
from web.rejudges.queue import queue
from web.staff.roles import change_roles
from web.submissions import best, services
from web.submissions.models import BestByChecker, Submission
from web.submissions.models import Report as StoredReport

pytestmark = pytest.mark.django_db
RULE = {"name": "Regret", "better": "lower", "unit": "%", "ranks": True}
COLUMNS = (
    *("user", "problem", "version", "gpu_model", "language", "submission", "checker_score", "driver"),
    *("toolkit", "handed_in", "lowest", "highest", "latest"),
)
ANYBODY = AnonymousUser()


@pytest.fixture
def ranked(problem: Problem) -> Problem:
    """The problem, ranked by a score of which less is better."""
    Problem.objects.filter(pk=problem.pk).update(score=RULE)
    problem.score = RULE
    return problem


@pytest.fixture
def scores(ranked, handed_in):
    """Makes judged submissions: `scores(owner, 1.5)`."""

    def make(user: User, value: float, *, mode: Mode = Mode.SUBMIT, **stamp: str) -> Submission:
        return record(handed_in(user, mode=mode), scored(value, verdict=Verdict.ACCEPTED, **stamp))

    return make


def scored(value: float | None, *, verdict: Verdict = Verdict.ACCEPTED, **stamp: str) -> Report:
    environment = {"problem_version": "1", "driver": "580", "nvcc": "13.0.88", **stamp}
    return Report(verdict, environment=environment, checker_score=value)


def snapshot() -> list[tuple[Any, ...]]:
    return sorted(BestByChecker.objects.values_list(*COLUMNS))


def rebuilt() -> list[tuple[Any, ...]]:
    best.rebuild()
    return snapshot()


def rows(user: User) -> list[tuple[float, bool, bool, bool]]:
    """Return score, lowest, highest and latest of a user's rows."""
    mine = BestByChecker.objects.filter(user=user).order_by("handed_in", "submission_id")
    return list(mine.values_list("checker_score", "lowest", "highest", "latest"))


def places(problem: Problem, **more: Any) -> list[tuple[str, int | None, bool, float | None]]:
    found = queries.standings(problem, ANYBODY, **more)
    return [(row.username, row.rank, row.tied, row.checker_score) for row in found.rows if found.ranked]


def test_the_extremes_and_the_latest_score_are_kept(owner, scores):
    for value in (6.0, 8.0, 4.0, 8.0, 4.0, 5.0):
        scores(owner, value)
    assert rows(owner) == [(8.0, False, True, False), (4.0, True, False, False), (5.0, False, False, True)]
    first = Submission.objects.filter(report__checker_score=8.0).order_by("pk")[0]
    assert BestByChecker.objects.get(highest=True).submission == first, "of equal scores, the earlier one"
    assert snapshot() == rebuilt()


def test_a_page_does_not_read_more_if_users_submit_more(ranked, owner, teammate, scores):
    def read() -> tuple[int, list[str]]:
        with CaptureQueriesContext(connection) as asked:
            queries.standings(ranked, owner)
        return BestByChecker.objects.count(), [query["sql"] for query in asked]

    for user in (owner, teammate):
        for value in (2.0, 3.0, 1.0, 2.0):
            scores(user, value)
    few, before = read()
    for value in (2.0, 1.5, 2.5, 0.5, 4.0, 2.0):
        scores(owner, value)
    more, after = read()
    assert (few, more) == (6, 6)
    assert len(before) == len(after) <= 3
    assert not [sql for sql in after if f'FROM "{StoredReport._meta.db_table}"' in sql]
    for sql in after:
        assert f'FROM "{BestByChecker._meta.db_table}"' in sql


def test_only_accepted_submissions_are_kept(owner, handed_in, scores):
    scores(owner, 1.0, mode=Mode.RUN)
    record(handed_in(owner), scored(None))
    record(handed_in(owner), scored(1.0, verdict=Verdict.WRONG_ANSWER))
    assert snapshot() == rebuilt() == []


def test_judging_the_best_again_gives_the_place_back(ranked, owner, scores):
    scores(owner, 3.0)
    gone = scores(owner, 1.0)
    assert places(ranked) == [("owner", 1, False, 1.0)]
    services.rejudge(gone)
    assert places(ranked) == [("owner", 1, False, 3.0)]
    record(gone, scored(5.0))
    assert rows(owner) == [(3.0, True, False, False), (5.0, False, True, True)]
    record_again(gone, scored(None, verdict=Verdict.WRONG_ANSWER))
    assert rows(owner) == [(3.0, True, True, True)]
    assert snapshot() == rebuilt()


def record_again(submission: Submission, report: Report) -> None:
    services.rejudge(submission)
    record(submission, report)


def test_a_rejudge_changes_the_board_when_staff_apply_it(ranked, owner, staff, scores):
    submission = scores(owner, 3.0)
    rejudge = rejudging.start(staff, Submission.objects.filter(pk=submission.pk), reason="test", chosen={})
    run = queue.claim("w")
    assert run is not None
    assert queue.record(run, scored(2.0))
    assert places(ranked) == [("owner", 1, False, 3.0)]
    rejudge.refresh_from_db()
    assert rejudging.apply(rejudge, staff)
    assert places(ranked) == [("owner", 1, False, 2.0)]
    assert snapshot() == rebuilt()


def test_who_hides_or_is_banned_leaves_the_board_and_comes_back(ranked, owner, teammate, staff, scores):
    scores(owner, 1.0)
    scores(teammate, 2.0)
    kept = snapshot()
    for shown, expected in ((False, ["teammate"]), (True, ["owner", "teammate"])):
        change_privacy(owner, audience=Audience.EVERYBODY, shows_activity=True, in_rankings=shown)
        assert [name for name, *_ in places(ranked)] == expected
        assert queries.standings(ranked, ANYBODY).board.users == len(expected)
    for active, expected in ((False, ["teammate"]), (True, ["owner", "teammate"])):
        wanted = {"is_instructor": False, "is_staff": False, "is_active": active}
        change_roles(staff, owner, wanted, reason="test")
        owner.refresh_from_db()
        assert [name for name, *_ in places(ranked)] == expected
    assert snapshot() == kept == rebuilt()


def test_who_leaves_is_gone(ranked, owner, teammate, scores):
    scores(owner, 1.0)
    scores(teammate, 1.0)
    assert [(rank, tied) for _, rank, tied, _ in places(ranked)] == [(1, True), (1, True)]
    services.forget(owner)
    assert not rows(owner)
    owner.delete()
    assert places(ranked) == [("teammate", 1, False, 1.0)]
    assert snapshot() == rebuilt()


def test_each_version_has_its_board(ranked, owner, teammate, scores):
    scores(owner, 1.0)
    ranked.version = "2"
    ranked.save()
    scores(owner, 4.0, problem_version="2")
    scores(teammate, 3.0, problem_version="2")
    assert [row[-1] for row in places(ranked)] == [3.0, 4.0]
    assert [row[-1] for row in places(ranked, version="1")] == [1.0]
    assert snapshot() == rebuilt()


def test_a_new_direction_needs_no_new_rows(ranked, owner, teammate, scores):
    for user, values in ((owner, (1.0, 9.0)), (teammate, (2.0, 8.0, 5.0))):
        for value in values:
            scores(user, value)
    kept = snapshot()
    assert places(ranked) == [("owner", 1, False, 1.0), ("teammate", 2, False, 2.0)]
    ranked.score = {**RULE, "better": "higher"}
    ranked.save()
    assert places(ranked) == [("owner", 1, False, 9.0), ("teammate", 2, False, 8.0)]
    assert snapshot() == kept


def test_a_contest_does_not_change_the_board(ranked, owner, contest, scores):
    scores(owner, 1.0)
    assert places(ranked) == [("owner", 1, False, 1.0)]
    assert snapshot() == rebuilt()


class TestFill:
    """What the version before recorded, rejudged or deleted."""

    def test_it_adds_what_is_missing_in_batches(self, owner, teammate, scores, monkeypatch) -> None:
        for user in (owner, teammate):
            for value in (2.0, 1.0, 3.0):
                scores(user, value)
        right = snapshot()
        BestByChecker.objects.all().delete()
        monkeypatch.setattr(best, "_FILLED_AT_ONCE", 1)
        assert best.fill() == 2
        assert snapshot() == right
        assert best.fill() == 0

    @pytest.mark.parametrize("mark", ["lowest", "highest", "latest"])
    def test_a_better_or_later_score_is_missing(self, owner, scores, mark) -> None:
        for value in (2.0, 1.0, 3.0, 2.0):
            scores(owner, value)
        right = snapshot()
        BestByChecker.objects.filter(**{mark: True}).delete()
        assert (best.fill(), snapshot()) == (1, right)

    def test_a_report_is_gone_or_another_one(self, owner, teammate, scores) -> None:
        gone, other = scores(owner, 1.0), scores(teammate, 1.0)
        StoredReport.objects.filter(submission=gone).delete()
        StoredReport.objects.filter(submission=other).update(checker_score=2.0)
        assert best.fill() == 2
        assert rows(owner) == []
        assert rows(teammate) == [(2.0, True, True, True)]
        assert snapshot() == rebuilt()

    def test_no_board_shows_what_a_deleted_account_left(self, ranked, owner, teammate, scores) -> None:
        scores(owner, 1.0)
        scores(teammate, 2.0)
        left = BestByChecker.objects.get(user=owner)
        services.forget(owner)
        owner.delete()
        left.save(force_insert=True)
        assert places(ranked) == [("teammate", 1, False, 2.0)]
        assert [board.users for board in queries.standings(ranked, ANYBODY).boards] == [1]
        assert best.fill() == 1
        assert BestByChecker.objects.count() == 1

    def test_migrate_and_recount_do_it(self, owner, scores) -> None:
        scores(owner, 1.0)
        right = snapshot()
        for command in ("migrate", "recount"):
            BestByChecker.objects.all().delete()
            call_command(command, verbosity=0)
            assert snapshot() == right


@pytest.fixture
def other(problem: Problem) -> Problem:
    return new_problem("other", score=RULE)


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
        *(st.just("score"), st.sampled_from([None, 1.0, 2.0, 3.0, 4.0])),
        *(st.sampled_from(["1", "2"]), st.sampled_from(["", "NVIDIA H200"])),
    ),
    st.tuples(st.just("rejudge"), st.integers(0, 9)),
    st.tuples(st.just("hide"), st.integers(0, PEOPLE - 1), st.booleans()),
)


@given(steps=st.lists(STEPS, max_size=30))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_order_of_events_ends_with_the_boards_of_the_reports(owner, teammate, ranked, other, steps):
    people, problems = [owner, teammate], [ranked, other]
    with transaction.atomic():
        for word, *details in steps:
            take(word, details, people, problems)
        kept = snapshot()
        assert best.fill() == 0
        assert kept == snapshot() == rebuilt()
        for problem in problems:
            for better in ("lower", "higher"):
                problem.score = {**RULE, "better": better}
                check(problem)
        transaction.set_rollback(True)


def take(word: str, details: list[Any], people: list[User], problems: list[Problem]) -> None:
    """One thing that may happen. What cannot happen now does not."""
    if word == "submit":
        person, problem, mode, language = details
        try:
            services.submit(people[person], problems[problem], language=language, source="x", mode=mode)
        except services.LimitReached:
            return
    elif word == "score":
        value, version, gpu = details
        if claim := services.claim("w"):
            services.record(claim, scored(value, problem_version=version, **({"gpu": gpu} if gpu else {})))
    elif word == "hide":
        person, shown = details
        User.objects.filter(pk=people[person].pk).update(in_rankings=shown)
        best.review(people[person])
    else:
        made = list(Submission.objects.order_by("pk"))
        if made:
            services.rejudge(made[details[0] % len(made)])


def check(problem: Problem) -> None:
    """Compare the boards of `problem` with those that plain Python finds in the reports."""
    expected = dict(from_reports(problem))
    if not expected:
        assert not queries.standings(problem, ANYBODY).ranked
        return
    for (gpu, language, version), (scores, latest) in expected.items():
        found = queries.standings(problem, ANYBODY, gpu=gpu, language=Language(language), version=version)
        assert [(row.username, row.checker_score) for row in found.rows] == scores
        ranks = [1 + sum(other != mine for _, other in scores[:at]) for at, (_, mine) in enumerate(scores)]
        assert [row.rank for row in found.rows] == ranks
        board = next(
            each
            for each in found.boards
            if (each.gpu, each.language, each.version) == (gpu, language, version)
        )
        assert (board.users, board.latest) == (len(scores), latest)
    assert len(found.boards) == len(expected)


def from_reports(
    problem: Problem,
) -> Iterator[tuple[tuple[str, str, str], tuple[list[tuple[str, float]], datetime]]]:
    """Yield each board with its users and scores, best first, and the time of its newest score."""
    sign = -1 if problem.score["better"] == "higher" else 1
    boards: dict[tuple[str, str, str], list[StoredReport]] = defaultdict(list)
    accepted = StoredReport.objects.filter(
        submission__problem=problem,
        submission__mode="submit",
        verdict="accepted",
        checker_score__isnull=False,
    )
    for report in accepted.select_related("submission__user"):
        if report.submission.user.in_rankings:
            key = report.gpu_model or "CPU", report.submission.language, report.version
            boards[key].append(report)
    for key, reports in boards.items():
        reports.sort(key=lambda row: (sign * row.checker_score, row.submission.created, row.submission_id))
        users: dict[str, float] = {}
        for report in reports:
            users.setdefault(report.submission.user.username, report.checker_score)
        yield key, (list(users.items()), max(report.submission.created for report in reports))
