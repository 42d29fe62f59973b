"""Tests the metrics and the log lines of judging."""

import pytest
import structlog

from judge.report import StageTime
from problems.vocabulary import Stage
from tests.unit.web.observability.counting import counted
from web.submissions import services
from web.submissions.models import Event, EventKind
from worker.judging import judge_next
from worker.observing import count_ready, count_stage, watched

pytestmark = pytest.mark.django_db


def test_stages_and_what_was_ready_are_counted_by_name() -> None:
    with counted('stage_seconds_sum{stage="compile"}') as compiled:
        count_stage(StageTime(Stage.COMPILE, 1500))
    assert compiled.change == pytest.approx(1.5)
    with (
        counted('pool_hits_total{kind="cuda"}') as hits,
        counted('pool_misses_total{kind="oracle"}') as misses,
        counted("secret_pool_hits_total") as drawn,
    ):
        count_ready(
            {
                "pool_hits_cuda": 2,
                "pool_misses_oracle": 1,
                "secret_pool_hits@GPU-1": 3,
                "secret_pool_hits@GPU-2": 4,
            }
        )
    assert (hits.change, misses.change, drawn.change) == (2, 1, 7)


def test_lines_of_a_judgement_name_the_request_that_handed_in(handed_in, owner) -> None:
    submission = handed_in(owner)
    queued = Event.objects.get(submission=submission, kind=EventKind.QUEUED)
    queued.payload["request_id"] = "0123456789abcdef"
    queued.save()
    claim = services.claim("w:1")
    with watched(claim):
        assert structlog.contextvars.get_contextvars() == {
            "submission_id": submission.public_id,
            "attempt": 1,
            "user_id": owner.pk,
            "request_id": "0123456789abcdef",
        }
    assert structlog.contextvars.get_contextvars() == {}


def test_a_claim_counts_its_wait_once(handed_in, owner) -> None:
    handed_in(owner)
    with counted('wait_seconds_count{queue="cpu"}') as waits, counted('claims_total{queue="cpu"}') as claims:
        claim = services.claim("w:1")
        services.return_to_queue(claim, failed=True)
        services.claim("w:1")
    assert (waits.change, claims.change) == (1, 2)


@pytest.mark.django_db(transaction=True)
def test_a_verdict_is_counted_when_it_is_committed(handed_in, owner) -> None:
    with (
        counted('submissions_total{mode="submit",queue="cpu"}') as taken,
        counted('verdicts_total{verdict="wrong_answer"}') as verdicts,
        counted('judging_seconds_count{queue="cpu"}') as judged,
    ):
        handed_in(owner, "wrong_answer")
        judge_next()
        judge_next()
    assert (taken.change, verdicts.change, judged.change) == (1, 1, 1)


def test_a_refusal_is_counted_by_its_name(handed_in, owner) -> None:
    with (
        counted('submissions_refused_total{reason="SourceUnacceptable"}') as refused,
        pytest.raises(services.SourceUnacceptable),
    ):
        handed_in(owner, "   ")
    assert refused.change == 1
