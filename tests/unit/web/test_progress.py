"""Tests that progress and tallies agree with the reports after any verdicts, rejudges and cancellations."""

from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from tests.conftest import new_problem
from tests.unit.web.figures import record
from web.accounts.models import User
from web.submissions import services
from web.submissions.models import Progress, Submission, Tally

pytestmark = pytest.mark.django_db
COLUMNS = ("user__username", "problem__slug", "runs", "judged", "accepted", "solved", "latest")
ACCEPTED, WRONG = Report(Verdict.ACCEPTED), Report(Verdict.WRONG_ANSWER)


def progress_of(user: User) -> tuple[int, int, int, bool]:
    found = Progress.objects.get(user=user)
    return found.runs, found.judged, found.accepted, found.solved is not None


def tally() -> tuple[int, int, int]:
    return Tally.objects.values_list("judged", "accepted", "solvers").get()


def test_nothing_counts_before_it_is_judged(owner, handed_in):
    handed_in(owner)
    assert not Progress.objects.exists()


def test_submissions_and_their_verdicts_are_counted(owner, teammate, handed_in):
    first = record(handed_in(owner), WRONG)
    second = record(handed_in(owner), ACCEPTED)
    record(handed_in(owner), ACCEPTED)
    record(handed_in(teammate), WRONG)
    assert progress_of(owner) == (0, 3, 2, True)
    assert progress_of(teammate) == (0, 1, 0, False)
    assert tally() == (4, 2, 1)
    assert Progress.objects.get(user=owner).solved == second.report.finished > first.report.finished


def test_runs_count_as_runs_alone(owner, handed_in):
    record(handed_in(owner, mode=Mode.RUN), ACCEPTED)
    assert progress_of(owner) == (1, 0, 0, False)
    assert tally() == (0, 0, 0)


@pytest.mark.parametrize("verdict", [Verdict.INTERNAL_ERROR, Verdict.CANCELLED])
@pytest.mark.parametrize("mode", [*Mode])
def test_what_says_nothing_of_the_program_does_not_count(owner, handed_in, verdict, mode):
    record(handed_in(owner, mode=mode), Report(verdict))
    assert not Progress.objects.exists()
    assert tally() == (0, 0, 0)


def test_judging_again_takes_back_what_was_counted(owner, handed_in):
    earlier = record(handed_in(owner), WRONG)
    submission = record(handed_in(owner), ACCEPTED)
    services.rejudge(submission)
    assert progress_of(owner) == (0, 1, 0, False)
    assert tally() == (1, 0, 0)
    assert Progress.objects.get().latest == earlier.report.finished
    record(submission, WRONG)
    assert tally() == (2, 0, 0)


def test_judging_the_only_one_again_leaves_no_trace(owner, handed_in):
    services.rejudge(record(handed_in(owner), ACCEPTED))
    assert not Progress.objects.exists()
    assert tally() == (0, 0, 0)


def test_an_account_that_goes_is_taken_out_of_the_tallies(owner, teammate, handed_in):
    record(handed_in(owner), ACCEPTED)
    record(handed_in(teammate), WRONG)
    record(handed_in(teammate), ACCEPTED)
    services.forget(owner)
    owner.delete()
    assert tally() == (2, 1, 1)
    assert snapshot() == recounted()


def test_recount_makes_wrong_numbers_right(owner, handed_in, capsys):
    record(handed_in(owner), ACCEPTED)
    record(handed_in(owner, mode=Mode.RUN), WRONG)
    new_problem("untouched")
    right = snapshot()
    Progress.objects.update(judged=40, accepted=12, runs=9)
    Tally.objects.all().delete()
    call_command("recount")
    assert snapshot() == right
    assert Tally.objects.count() == 2
    assert "Recounted 1 rows of progress and 2 problems" in capsys.readouterr().out


@pytest.fixture
def other(problem):
    return new_problem("other")


PEOPLE, PROBLEMS = 2, 2
STEPS = st.one_of(
    st.tuples(
        st.just("submit"), st.integers(0, PEOPLE - 1), st.integers(0, PROBLEMS - 1), st.sampled_from([*Mode])
    ),
    st.tuples(st.just("record"), st.sampled_from([*Verdict, Verdict.ACCEPTED, Verdict.ACCEPTED])),
    st.tuples(st.just("fail")),
    st.tuples(st.just("cancel"), st.integers(0, 9)),
    st.tuples(st.just("rejudge"), st.integers(0, 9)),
)


@given(steps=st.lists(STEPS, max_size=24))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_order_of_events_ends_where_a_recount_would(owner, teammate, problem, other, steps):
    people, problems = [owner, teammate], [problem, other]
    with transaction.atomic():
        for word, *details in steps:
            take(word, details, people, problems)
            assert snapshot() == recounted()
        transaction.set_rollback(True)


def take(word: str, details: list[Any], people: list[User], problems: list[Any]) -> None:
    """One thing that may happen. What cannot happen now does not."""
    if word == "submit":
        person, problem, mode = details
        try:
            services.submit(people[person], problems[problem], language=Language.CUDA, source="x", mode=mode)
        except services.LimitReached:
            return
    elif word in {"record", "fail"}:
        claim = services.claim("w")
        if claim and word == "record":
            assert services.record(claim, Report(details[0]))
        elif claim:
            services.return_to_queue(claim, failed=True)
    else:
        made = list(Submission.objects.order_by("pk"))
        if made:
            {"cancel": services.cancel, "rejudge": services.rejudge}[word](made[details[0] % len(made)])


def snapshot() -> tuple[list[Any], list[Any]]:
    """Return all counts. A problem without a tally has a tally of zeros."""
    tallies = Tally.objects.exclude(judged=0, accepted=0, solvers=0).order_by("problem")
    return (
        list(Progress.objects.order_by("user", "problem").values_list(*COLUMNS)),
        list(tallies.values_list("problem", "judged", "accepted", "solvers")),
    )


def recounted() -> tuple[list[Any], list[Any]]:
    """Return the same after a recount."""
    services.recount()
    return snapshot()
