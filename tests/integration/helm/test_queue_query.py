"""The query by which KEDA scales counts the unfinished jobs of a pool's queues, of every kind."""

import pytest
from django.db import connection

from tests.integration.helm import chart
from tests.integration.helm.chart import example, render
from web.jobs.models import JobState, job_models
from web.jobs.queries import unfinished
from web.submissions.models import Job

pytestmark = [
    pytest.mark.skipif(not chart.HELM.exists(), reason="helm is not installed: run make setup-test"),
    pytest.mark.django_db,
]


@pytest.fixture(scope="module")
def queries() -> dict[str, str]:
    """The query of each pool."""
    return {
        manifest["metadata"]["name"].removeprefix("court-worker-"): manifest["spec"]["triggers"][0][
            "metadata"
        ]["query"]
        for manifest in render(example("full"))
        if manifest["kind"] == "ScaledObject"
    }


def count(query: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(query)
        (found,) = cursor.fetchone()
    return int(found)


def test_waiting_and_running_jobs_of_its_queues_count(queries, owner, handed_in):
    for queue, state in (
        *(("cpu", JobState.QUEUED), ("cpu", JobState.LEASED), ("cpu", JobState.DONE)),
        *(
            ("gpu", JobState.QUEUED),
            ("gpu.nvidia-h200", JobState.QUEUED),
            ("gpu.nvidia-a100", JobState.QUEUED),
        ),
    ):
        submission = handed_in(owner)
        columns = {"queue": queue, "state": state}
        if state is JobState.LEASED:
            columns["lease_until"] = submission.created
        Job.objects.filter(submission=submission).update(**columns)
    assert count(queries["cpu"]) == unfinished(["cpu"]) == 2
    assert count(queries["h200"]) == unfinished(["gpu", "gpu.nvidia-h200"]) == 2


def test_every_kind_of_job_is_asked_about(queries):
    for model in job_models():
        for state in (JobState.QUEUED, JobState.LEASED):
            assert f"FROM {model._meta.db_table} WHERE state = '{state}'" in queries["cpu"]


def test_an_empty_site_has_no_jobs(queries):
    assert count(queries["cpu"]) == unfinished(["cpu"]) == 0
