"""Tests the cost of a long queue, and the order when many jobs end at the same time, on both databases.

`test_postgresql` runs this file again on PostgreSQL.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judge.report import Report
from problems.vocabulary import Verdict
from tests.conftest import new_problem
from tests.integration.web.test_databases import THREADS, at_once
from web.accounts.models import User
from web.config import Config
from web.jobs.fair_share import open_jobs
from web.jobs.models import JobState
from web.site.broker import TASK, broker_queue, broker_queues, new_celery
from web.staff.queries import list_jobs
from web.submissions import services
from web.submissions.models import Job, Submission
from web.submissions.queues import served_by

pytestmark = pytest.mark.integration
JOBS = 100_000
_OVER = 10_000
_SUBMISSIONS = """
INSERT INTO submissions_submission (public_id, user_id, problem_id, version, language, mode, source, created)
WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < %s)
SELECT 'queued' || n, %s, %s, '1', 'cuda', 'submit', 'x', CURRENT_TIMESTAMP FROM counted
"""
_JOBS = """
INSERT INTO submissions_job
       (submission_id, user_id, state, queue, priority, fair_share_rank, queued, attempt, tries, worker,
        cancel_requested, events)
SELECT id, user_id, CASE WHEN id >= %s THEN 'queued' ELSE 'done' END,
       CASE id %% 3 WHEN 0 THEN 'cpu' WHEN 1 THEN 'gpu' ELSE 'gpu.nvidia-h200' END,
       10 * (id %% 4), id %% 5, created, 0, 0, '', %s, 0
  FROM submissions_submission
"""


@pytest.fixture
def long_queue(owner) -> None:
    """JOBS jobs that wait, of every queue, urgency and turn, and some that are over."""
    with connection.cursor() as cursor:
        cursor.execute(_SUBMISSIONS, [JOBS + _OVER, owner.pk, new_problem("long").pk])
        first = Submission.objects.order_by("pk").values_list("pk", flat=True)[_OVER]
        cursor.execute(_JOBS, [first, False])
        cursor.execute("ANALYZE")


@pytest.mark.django_db
def test_a_long_queue_costs_a_claim_no_more_than_a_short_one(owner, long_queue):
    """One statement each, in which no step reads more rows than there are queues, or users' jobs."""
    assert Job.objects.filter(state=JobState.QUEUED).count() == JOBS
    with CaptureQueriesContext(connection) as found:
        services.queue.next_job(served_by(["NVIDIA H200"]), "node-1")
        list(services.queue.in_line("cpu").values_list("pk")[:10])
        open_jobs(Job.objects.filter(user=User.objects.create_user("another"))).count()
        list(list_jobs().values_list("pk")[:10])
    assert len(found) == 4 + 1, "one is that of the user"
    for query in found:
        if query["sql"].startswith("SELECT"):
            assert most_rows(query["sql"]) <= 10, query["sql"]


def most_rows(sql: str) -> int:
    """The most rows that a step of running `sql` yields or throws away; a walk over a table is endless."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            steps = [detail for *_, detail in cursor.fetchall()]
            unbounded = [
                step for step in steps if step.startswith("SCAN") and "INDEX job_in_order" not in step
            ]
            return JOBS if unbounded else 0
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
        return max(_rows(cursor.fetchone()[0][0]["Plan"]))


def _rows(plan: dict[str, Any]) -> Iterator[int]:
    thrown_away = plan.get("Rows Removed by Filter", 0) + plan.get("Rows Removed by Index Recheck", 0)
    yield plan["Actual Loops"] * (plan["Actual Rows"] + thrown_away)
    for step in plan.get("Plans", ()):
        yield from _rows(step)


@pytest.mark.django_db(transaction=True)
def test_turns_are_right_when_several_of_one_user_end_at_once(owner, handed_in, settings):
    settings.WARPCOURT = replace(settings.WARPCOURT, max_in_flight=2 * THREADS)
    made = [handed_in(owner) for _ in range(2 * THREADS)]
    claims = [services.claim("w") for _ in range(THREADS)]
    assert all(at_once(lambda index: services.record(claims[index], Report(Verdict.ACCEPTED))))
    turns = dict(Job.objects.filter(state=JobState.QUEUED).values_list("submission", "fair_share_rank"))
    assert turns == {submission.pk: turn for turn, submission in enumerate(made[THREADS:])}


@pytest.mark.django_db(transaction=True)
def test_cancelling_all_at_once_ends_all(owner, handed_in, settings):
    settings.WARPCOURT = replace(settings.WARPCOURT, max_in_flight=THREADS)
    made = [handed_in(owner) for _ in range(THREADS)]
    assert all(at_once(lambda index: services.cancel(made[index])))
    assert not Job.objects.exclude(state=JobState.DONE).exists()


@pytest.mark.parametrize("broker", ["redis", "files"])
def test_a_wakeup_reaches_only_workers_that_serve_the_queue(broker, tmp_path, request):
    url = request.getfixturevalue("redis_url") if broker == "redis" else ""
    app = new_celery(replace(Config.from_env({}), broker_url=url, data_dir=tmp_path))
    app.send_task(TASK, queue=broker_queue("gpu.nvidia-h200"))
    with app.connection_for_read() as connection, connection.channel() as channel:
        heard = {
            queue.name: queue.bind(channel).get(no_ack=True) is not None
            for queue in broker_queues(served_by(["NVIDIA H200", "NVIDIA B200"]))
        }
    assert heard == {
        "judge.gpu.nvidia-h200": True,
        "judge.gpu.nvidia-b200": False,
        "judge.gpu": False,
        "judge.cpu": False,
    }
