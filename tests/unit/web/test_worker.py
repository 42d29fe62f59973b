"""Tests a worker with the scripted judge."""

import time
from dataclasses import replace
from threading import Thread

import pytest
from django.db import connections

from judge.report import Report
from problems.vocabulary import Verdict
from sandbox.backend import IsolationUnavailable
from web.jobs.models import JobState
from web.submissions import queries, services
from web.submissions.models import Event, Job, Submission
from worker import heartbeat
from worker.judge_handle import JudgeHandle
from worker.judges import ScriptedJudge
from worker.judging import judge_next

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _quick_heartbeat(monkeypatch):
    monkeypatch.setattr(heartbeat, "INTERVAL_S", 0.05)


def verdict_of(submission: Submission) -> str | None:
    return queries.verdict_of(Submission.objects.get(pk=submission.pk))


def in_background(work) -> Thread:
    def run() -> None:
        work()
        connections.close_all()

    thread = Thread(target=run)
    thread.start()
    return thread


def wait_until(condition) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


@pytest.mark.parametrize("verdict", ["accepted", "wrong_answer", "compile_error", "time_limit"])
def test_a_submission_becomes_a_verdict(owner, handed_in, verdict):
    submission = handed_in(owner, source=verdict)
    judge_next(JudgeHandle())
    assert verdict_of(submission) == verdict
    kinds = list(Event.objects.values_list("kind", flat=True))
    assert kinds == ["queued", "claimed", "compiling", "compiled", "case", "finished"]


def test_ten_messages_for_one_submission_make_one_verdict(owner, handed_in):
    handed_in(owner)
    for _ in range(10):
        judge_next(JudgeHandle())
    assert Event.objects.filter(kind="finished").count() == 1
    assert Job.objects.get().attempt == 1


def test_the_lease_is_extended_while_judging(owner, handed_in, settings):
    settings.WARPCOURT = replace(settings.WARPCOURT, lease_s=1)
    submission = handed_in(owner, source="sleep=2.5")
    worker = in_background(lambda: judge_next(JudgeHandle()))
    wait_until(lambda: Job.objects.get().state == JobState.LEASED)
    while worker.is_alive():
        assert services.claim("greedy") is None
        time.sleep(0.1)
    assert verdict_of(submission) == "accepted"


def test_cancelling_ends_the_judging(owner, handed_in):
    submission = handed_in(owner, source="sleep=30")
    started = time.monotonic()
    worker = in_background(lambda: judge_next(JudgeHandle()))
    wait_until(lambda: Job.objects.get().state == JobState.LEASED)
    services.cancel(submission)
    worker.join()
    assert verdict_of(submission) == "cancelled"
    assert time.monotonic() - started < 5


def test_a_worker_that_lost_its_lease_stops_and_its_verdict_is_discarded(owner, handed_in):
    submission = handed_in(owner, source="sleep=30 wrong_answer")
    worker = in_background(lambda: judge_next(JudgeHandle()))
    wait_until(lambda: Job.objects.get().state == JobState.LEASED)
    Job.objects.update(attempt=2)  # as if another worker had claimed it
    worker.join(timeout=5)
    assert not worker.is_alive()
    assert verdict_of(submission) is None


def test_a_heartbeat_stops_at_the_jobs_limit(owner, handed_in, settings):
    settings.WARPCOURT = replace(settings.WARPCOURT, lease_s=1, job_limit_s=1)
    submission = handed_in(owner, source="sleep=30")
    worker = in_background(lambda: judge_next(JudgeHandle()))
    worker.join(timeout=8)
    assert not worker.is_alive()
    assert verdict_of(submission) is None


def test_our_failure_is_tried_again_and_in_the_end_not_charged(owner, handed_in):
    submission = handed_in(owner, source="fail")
    bench = JudgeHandle()
    for _ in range(3):
        assert verdict_of(submission) is None
        judge_next(bench)
    assert verdict_of(submission) == "internal_error"


class Unfit(JudgeHandle):
    """A host without isolation."""

    def __init__(self, *, at_start: bool) -> None:
        super().__init__()
        self._at_start = at_start

    def judge(self):
        return None if self._at_start else UnfitJudge()


class UnfitJudge(ScriptedJudge):
    def evaluate(self, submission, *, on_progress, cancelled) -> Report:
        raise IsolationUnavailable("install bubblewrap")


def test_a_host_that_cannot_isolate_leaves_jobs_to_others(owner, handed_in):
    submission = handed_in(owner)
    judge_next(Unfit(at_start=True))
    assert Job.objects.get().attempt == 0
    judge_next(Unfit(at_start=False))
    job = Job.objects.get()
    assert (job.state, job.tries) == (JobState.QUEUED, 0)
    judge_next(JudgeHandle())
    assert verdict_of(submission) == "accepted"


def test_a_host_that_cannot_isolate_says_what_to_do_and_is_tried_again_later(settings, monkeypatch, caplog):
    settings.WARPCOURT = replace(settings.WARPCOURT, target="cpu")
    opened = []

    def refuse(config):
        opened.append(config)
        raise IsolationUnavailable("install bubblewrap: apt-get install bubblewrap")

    monkeypatch.setattr("worker.judge_handle.PackageJudge", refuse)
    bench = JudgeHandle()
    assert bench.judge() is None
    assert bench.judge() is None
    assert len(opened) == 1
    assert "apt-get install bubblewrap" in caplog.text


def test_a_judgement_that_comes_late_does_not_replace_a_newer_one(owner, handed_in):
    submission = handed_in(owner)
    stale = services.claim("paused")
    Job.objects.update(state=JobState.QUEUED, lease_until=None)
    judge_next(JudgeHandle())
    assert not services.record(stale, Report(Verdict.WRONG_ANSWER))
    assert verdict_of(submission) == "accepted"


def test_a_worker_claims_what_asks_for_a_gpu_that_its_judge_has(owner, handed_in, live_gpus):
    live_gpus("NVIDIA H200", "NVIDIA H300")
    elsewhere = handed_in(owner, gpu_model="NVIDIA H300")
    here = handed_in(owner, gpu_model="NVIDIA H200")
    for _ in range(2):
        judge_next(JudgeHandle())
    assert verdict_of(here) == "accepted"
    assert Job.objects.get(submission=elsewhere).state == JobState.QUEUED
