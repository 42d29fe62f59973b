"""Tests what users who wait for a verdict are told."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from tests.unit.web.figures import timed_report
from web.accounts.models import User
from web.fleet.models import Node, Worker
from web.submissions import queue_position, services
from web.submissions.models import Event, EventKind, Job, Submission
from web.submissions.models import Report as StoredReport
from web.submissions.queue_position import (
    QueuePosition,
    jobs_before,
    ordinal,
    queue_positions,
    roughly,
    typical_seconds,
)
from web.submissions.queues import served_by

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_limits(settings):
    settings.WARPCOURT = replace(settings.WARPCOURT, max_in_flight=1000, submits_per_minute=1000)


@pytest.fixture
def worker(db):
    """Makes a worker that serves some queues: `worker("gpu", "cpu", slots=4)`."""

    def make(*queues: str, slots: int = 1, **more: object) -> Worker:
        node, _ = Node.objects.get_or_create(name="judge-1")
        return Worker.objects.create(
            node=node, name="w", instance=uuid4().hex, queues=list(queues), concurrency=slots, **more
        )

    return make


def position_of(submission: Submission) -> QueuePosition:
    return queue_positions([submission.pk])[submission.pk]


def judged(owner: User, handed_in, took_s: float, report: Report | None = None, **program: object) -> None:
    """Hand a program in and have it judged in `took_s`."""
    submission = handed_in(owner, **program)
    services.record(services.claim("w"), report or Report(Verdict.ACCEPTED))
    claimed = timezone.now() - timedelta(seconds=took_s)
    Event.objects.filter(submission=submission, kind=EventKind.CLAIMED).update(created=claimed)


def test_everybody_has_a_place(owner, handed_in):
    first, second, third = (handed_in(owner) for _ in range(3))
    assert [position_of(each).place for each in (first, second, third)] == [1, 2, 3]
    assert position_of(first).text == "Next in the queue"
    assert position_of(third).text == "3rd in the queue"
    urgent = handed_in(owner, mode=Mode.RUN)
    assert [position_of(each).place for each in (urgent, first)] == [1, 2]
    services.claim("w")
    assert urgent.pk not in queue_positions([urgent.pk]), "it waits no more"
    assert position_of(first).place == 1


def test_those_for_other_workers_are_not_ahead(owner, handed_in, live_gpus, worker):
    live_gpus("NVIDIA H200", "NVIDIA B200")
    handed_in(owner, gpu_model="NVIDIA B200")
    h200 = handed_in(owner, gpu_model="NVIDIA H200")
    anywhere = handed_in(owner)
    assert position_of(h200).place == 1
    worker(*served_by(["NVIDIA H200"]))
    assert (position_of(h200).place, position_of(anywhere).place) == (1, 2)
    worker(*served_by(["NVIDIA B200"]))
    assert (position_of(h200).place, position_of(anywhere).place) == (1, 3)
    worker(*served_by(["NVIDIA B200", "NVIDIA H200"]))
    assert (position_of(h200).place, position_of(anywhere).place) == (2, 3)


def test_places_follow_the_order_of_claims(owner, teammate, handed_in):
    queue_position = [handed_in(user) for user in (owner, owner, owner, teammate, teammate)]
    queue_position.append(handed_in(teammate, mode=Mode.RUN))
    places = {submission: position_of(submission).place for submission in queue_position}
    assert {submission: jobs_before(submission) + 1 for submission in queue_position} == places
    for place in range(1, 7):
        assert places[services.claim("w").submission] == place


def test_an_estimate_is_shared_by_those_that_serve_the_queue(owner, handed_in, worker):
    for _ in range(3):
        judged(owner, handed_in, 4.0)
    last = [handed_in(owner) for _ in range(3)][-1]
    worker("cpu", slots=2)
    worker("cpu", slots=8, state="draining")
    worker("gpu", slots=8)
    assert position_of(last).estimate_s == pytest.approx(8.0, abs=0.5), "two before it, two at a time"


def test_a_queue_whose_workers_are_gone_is_told_though_others_judge(
    owner, teammate, handed_in, live_gpus, worker
):
    other = handed_in(teammate)
    live_gpus("NVIDIA H200")
    worker("cpu")
    submission = handed_in(owner, gpu_model="NVIDIA H200")
    Job.objects.update(queued=timezone.now() - timedelta(minutes=5))
    assert services.claim("w").submission == other
    assert "No node serves NVIDIA H200" in position_of(submission).detail


def test_those_who_wait_for_any_gpu_learn_that_none_is_left(owner, handed_in, live_gpus):
    live_gpus("NVIDIA H200")
    submission = handed_in(owner)
    Node.objects.update(heartbeat=timezone.now() - timedelta(minutes=5))
    assert not position_of(submission).trouble, "not at once"
    Job.objects.update(queued=timezone.now() - timedelta(minutes=5))
    assert "Then it is judged without a GPU" in position_of(submission).detail


def test_without_judgements_to_go_by_nothing_is_estimated(owner, handed_in):
    for _ in range(queue_position.MIN_SAMPLES - 1):
        judged(owner, handed_in, 4.0)
    position = position_of(handed_in(owner))
    assert (position.estimate_s, position.detail) == (None, "")


def test_an_estimate_is_a_median_times_those_ahead(owner, handed_in):
    for took_s in (3.0, 4.0, 500.0):
        judged(owner, handed_in, took_s)
    first, second = handed_in(owner), handed_in(owner)
    assert position_of(first).estimate_s == pytest.approx(4.0, abs=0.5)
    assert position_of(second).estimate_s == pytest.approx(8.0, abs=0.5)
    assert position_of(second).detail == "Estimated time to verdict: 10 s."
    services.claim("w")
    assert position_of(second).estimate_s == pytest.approx(6.0, abs=0.5), (
        "half of one that is judged, and its own"
    )


def test_languages_and_modes_are_not_mixed_up(owner, handed_in):
    for _ in range(3):
        judged(owner, handed_in, 4.0)
    assert position_of(handed_in(owner, language=Language.TRITON)).estimate_s is None
    assert position_of(handed_in(owner, mode=Mode.RUN)).estimate_s is None


def test_what_was_cancelled_or_failed_is_nothing_to_go_by(owner, handed_in):
    for verdict in (Verdict.CANCELLED, Verdict.INTERNAL_ERROR, Verdict.ACCEPTED):
        judged(owner, handed_in, 4.0, Report(verdict))
    assert typical_seconds() == {}


def test_only_the_latest_reports_are_looked_at_and_only_young_ones_count(owner, handed_in, monkeypatch):
    """On a quiet day on a large site, an age in the query would look through all the years before."""
    for _ in range(3):
        judged(owner, handed_in, 4.0)
    StoredReport.objects.update(finished=timezone.now() - timedelta(days=2))
    for _ in range(3):
        judged(owner, handed_in, 6.0)
    monkeypatch.setattr(queue_position, "_SAMPLES", 4)
    (typical_s,) = typical_seconds().values()
    assert typical_s == pytest.approx(6.0, abs=0.5)
    monkeypatch.setattr(queue_position, "MIN_SAMPLES", 4)
    assert queue_position._measure() == {}


def test_times_are_known_by_gpu_and_for_all_together(owner, handed_in):
    for _ in range(3):
        judged(owner, handed_in, 6.0, timed_report())
    assert set(typical_seconds()) == {("cuda", "submit", "NVIDIA H200"), ("cuda", "submit", "")}


def test_a_gpu_that_is_gone_is_told(owner, handed_in, live_gpus):
    live_gpus("NVIDIA H200")
    submission = handed_in(owner, gpu_model="NVIDIA H200")
    assert not position_of(submission).trouble
    Node.objects.update(heartbeat=timezone.now() - timedelta(minutes=5))
    position = position_of(submission)
    assert position.text == "Waiting"
    assert "No NVIDIA H200 is available any more" in position.detail
    assert "cancel it" in position.detail


def test_a_queue_that_nobody_serves_is_told(owner, handed_in):
    submission = handed_in(owner)
    assert not position_of(submission).trouble
    Job.objects.update(queued=timezone.now() - timedelta(minutes=5))
    assert "No node serves CUDA C++ at the moment" in position_of(submission).detail


@pytest.mark.parametrize("gone", [{"state": "stopped"}, {"queues": ["gpu"]}])
def test_no_estimate_is_given_when_no_worker_serves_the_queue(owner, handed_in, worker, gone):
    for _ in range(3):
        judged(owner, handed_in, 4.0)
    worker("cpu")
    submission = handed_in(owner)
    assert position_of(submission).estimate_s is not None
    Worker.objects.update(**gone)
    position = position_of(submission)
    assert position.estimate_s is None
    assert position.detail.startswith("No node serves CUDA C++ at the moment.")


def test_far_back_in_a_long_queue_there_is_no_number(owner, handed_in, monkeypatch):
    monkeypatch.setattr(queue_position, "HEAD_ROWS", 2)
    last = [handed_in(owner) for _ in range(3)][-1]
    assert position_of(last).text == "Queued behind more than 2 others"


def test_a_thousand_who_wait_cost_a_few_queries(owner, handed_in, django_assert_max_num_queries):
    pks = [handed_in(owner).pk for _ in range(20)]
    with django_assert_max_num_queries(6):
        assert len(queue_positions(pks)) == 20


@pytest.mark.parametrize(
    ("number", "word"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (112, "112th"), (1203, "1,203rd")]
)
def test_places_in_words(number, word):
    assert ordinal(number) == word


@pytest.mark.parametrize(
    ("seconds", "word"), [(0.2, "a few seconds"), (7, "5 s"), (33, "35 s"), (100, "2 min")]
)
def test_estimates_are_not_more_precise_than_they_are(seconds, word):
    assert roughly(seconds) == word
