"""Tests `manage.py slurmscale`: what it reads from the database and the fleet, and its Slurm commands."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.utils import timezone

from deploy.slurm.scaling import Bounds, Phase
from deploy.slurm.scheduler import QueuedJob, SlurmUnavailable
from web.fleet.models import Duty
from web.fleet.presence import WorkerReport, record_worker
from web.jobs.models import JobState
from web.management.commands import slurmscale
from web.management.commands.slurmscale import Autoscaler
from web.submissions.models import Job

pytestmark = pytest.mark.django_db
BOUNDS = Bounds(floor=0, ceiling=3, jobs_per_worker=1, cooldown_s=0)


class FakeSlurm:
    """Stands in for `Slurm`: it has `queued`, and keeps what it is asked."""

    def __init__(self) -> None:
        self.queued: list[QueuedJob] = []
        self.asked: list[object] = []
        self.refuses = False

    def jobs(self) -> list[QueuedJob]:
        return self.queued

    def submit(self) -> int:
        if self.refuses:
            raise SlurmUnavailable("Required partition not available (inactive or drain)")
        self.asked.append("submit")
        return 1

    def cancel(self, job_ids) -> None:
        self.asked.append(("cancel", *job_ids))

    def drain(self, job_ids) -> None:
        self.asked.append(("drain", *job_ids))


@pytest.fixture
def slurm() -> FakeSlurm:
    return FakeSlurm()


@pytest.fixture
def autoscaler(slurm) -> Autoscaler:
    return Autoscaler(slurm, ["cpu"], BOUNDS)


@pytest.fixture(autouse=True)
def _keep_the_connection(monkeypatch):
    """A round closes its connections, and the test's is one of them."""
    monkeypatch.setattr(slurmscale.connections, "close_all", lambda: None)


def report(node: str, *, state: Duty = Duty.SERVING, busy: int = 0) -> None:
    name = f"{node}.example.org:7"
    record_worker(
        WorkerReport(
            node=node,
            name=name,
            instance=node,
            queues=("cpu",),
            concurrency=1,
            version="1",
            state=state,
            busy=busy,
        )
    )


def test_each_unfinished_job_of_its_queues_gets_a_worker(autoscaler, slurm, owner, handed_in):
    handed_in(owner)
    handed_in(owner)
    Job.objects.filter(submission=handed_in(owner)).update(queue="gpu")
    autoscaler.round()
    assert slurm.asked == ["submit", "submit"]


def test_an_idle_worker_is_drained(autoscaler, slurm):
    slurm.queued = [QueuedJob(5, Phase.RUNNING, "node-1")]
    report("node-1")
    autoscaler.round()
    assert slurm.asked == [("drain", 5)]


def test_a_worker_with_a_lease_is_not_drained(autoscaler, slurm, owner, handed_in):
    """The lease has the full name of the host, Slurm a short one; the fleet knows both."""
    slurm.queued = [QueuedJob(5, Phase.RUNNING, "node-1")]
    report("node-1")
    job = Job.objects.filter(submission=handed_in(owner))
    until = timezone.now() + timedelta(minutes=1)
    job.update(queue="gpu", state=JobState.LEASED, lease_until=until, worker="node-1.example.org:8")
    autoscaler.round()
    assert slurm.asked == []


def test_a_worker_that_reports_a_job_is_not_drained(autoscaler, slurm):
    slurm.queued = [QueuedJob(5, Phase.RUNNING, "node-1")]
    report("node-1", busy=1)
    autoscaler.round()
    assert slurm.asked == []


def test_a_draining_worker_is_not_drained_again(autoscaler, slurm):
    slurm.queued = [QueuedJob(5, Phase.RUNNING, "node-1")]
    report("node-1", state=Duty.DRAINING)
    autoscaler.round()
    assert slurm.asked == []


def test_the_cool_down_counts_from_the_first_round_in_which_a_worker_is_idle(slurm, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("web.management.commands.slurmscale.time.monotonic", lambda: now[0])
    patient = Autoscaler(slurm, ["cpu"], Bounds(floor=0, ceiling=1, jobs_per_worker=1, cooldown_s=60))
    slurm.queued = [QueuedJob(5, Phase.RUNNING, "node-1")]
    for moment, asked in ((100.0, []), (159.0, []), (161.0, [("drain", 5)])):
        now[0] = moment
        patient.round()
        assert slurm.asked == asked


def test_a_refusal_of_slurm_ends_the_round_and_not_the_process(autoscaler, slurm, owner, handed_in):
    handed_in(owner)
    slurm.refuses = True
    autoscaler.round()
    slurm.refuses = False
    autoscaler.round()
    assert slurm.asked == ["submit"]


def test_without_the_database_nothing_is_changed(autoscaler, slurm, monkeypatch):
    def away(_queues):
        raise OperationalError("the database is away")

    monkeypatch.setattr(slurmscale, "unfinished", away)
    slurm.queued = [QueuedJob(5, Phase.RUNNING, "node-1")]
    autoscaler.round()
    assert slurm.asked == []


@pytest.mark.parametrize(
    "options", [{"floor": 2, "ceiling": 1}, {"queues": " , "}, {"interval_s": 0}], ids=str
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(CommandError):
        call_command("slurmscale", Path("/settings"), once=True, **options)
