"""Tests background jobs of workers: counts, lists, staff pages, metrics and the fleet page."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judge.report import Report
from problems.vocabulary import Verdict
from web.authoring.models import ProofRun, Revision, RunKind, Workspace
from web.fleet.presence import WorkerReport, record_worker
from web.importing.models import ImportRun
from web.jobs import queries as jobs
from web.jobs.models import JobKind, JobState
from web.rejudges import rejudging
from web.staff import queries
from web.submissions import services
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def busy(owner, staff, handed_in) -> Workspace:
    """A site whose workers do one of everything, while more of it waits."""
    now = timezone.now()
    workspace = Workspace.objects.create(slug="my-sum", owner=owner)
    revision = Revision.objects.create(workspace=workspace, number=1, content_hash="0" * 64)
    lease = {"lease_until": now + HOUR, "attempt": 1, "tries": 1}

    def ask(kind: RunKind, state: JobState, **columns: object) -> None:
        ProofRun.objects.create(
            workspace=workspace, revision=revision, kind=kind, state=state, by=owner, **columns
        )

    ask(RunKind.PROOF, JobState.LEASED, worker="node-1:11", **lease)
    ask(RunKind.PROOF, JobState.QUEUED, queued=now - HOUR)
    ask(RunKind.PROOF, JobState.QUEUED)
    ask(RunKind.PREVIEW, JobState.QUEUED)
    ask(RunKind.PROOF, JobState.DONE, failure="broken")
    imports = {"by": owner, "format": "leetgpu"}
    ImportRun.objects.create(**imports, state=JobState.LEASED, worker="node-2:12", **lease)
    ImportRun.objects.create(**imports, state=JobState.DONE)
    for _ in range(2):
        handed_in(owner)
        services.record(services.claim("node-1:10"), Report(Verdict.ACCEPTED))
    rejudging.start(staff, Submission.objects.all(), reason="x", chosen={})
    handed_in(owner)
    services.claim("node-1:10")
    for node, at_most in (("node-1", 2), ("node-2", 1)):
        report = WorkerReport(
            node=node,
            name=f"{node}:1",
            instance=node,
            queues=("cpu",),
            concurrency=at_most,
            version="0",
            busy=at_most,
        )
        record_worker(report)
    return workspace


def test_all_is_counted_in_one_query(busy, django_assert_num_queries):
    with django_assert_num_queries(1):
        found = {now.kind: (now.waiting, now.running) for now in jobs.kinds_now()}
    assert found == {
        JobKind.PREVIEW: (1, 0),
        JobKind.PROOF: (2, 1),
        JobKind.IMPORT: (0, 1),
        JobKind.REJUDGE: (2, 0),
    }


def test_what_waits_long_is_told_but_hidden_runs_may(busy):
    now = timezone.now()
    late = jobs.long_waiting(jobs.kinds_now(), now, queries.LONG_WAIT)
    assert [entry.kind for entry in late] == [JobKind.PROOF]
    assert abs(now - late[0].oldest - HOUR) < timedelta(minutes=5)


def test_what_runs_comes_first_then_what_is_taken_next(busy, django_assert_num_queries):
    with django_assert_num_queries(1):
        tasks = jobs.tasks_in_background()
    assert [(task.kind, task.running) for task in tasks] == [
        (JobKind.PROOF, True),
        (JobKind.IMPORT, True),
        (JobKind.PREVIEW, False),
        (JobKind.PROOF, False),
        (JobKind.PROOF, False),
    ]
    assert {task.person for task in tasks} == {"owner"}


def test_what_workers_hold_has_submissions_too(busy, owner, django_assert_num_queries):
    with django_assert_num_queries(1):
        held = jobs.tasks_held()
    assert [(task.kind, task.worker, task.subject) for task in held] == [
        (JobKind.SUBMISSION, "node-1:10", "vector-add"),
        (JobKind.PROOF, "node-1:11", "my-sum"),
        (JobKind.IMPORT, "node-2:12", "leetgpu"),
    ]
    owner.delete()
    assert jobs.tasks_held()[0].person == ""


def test_staff_see_it_on_their_pages(busy, staff, browser_of):
    browser = browser_of(staff)
    page = browser.get("/staff/queue").content.decode()
    proof = ProofRun.objects.get(state=JobState.LEASED)
    for text in ("Generator previews", "Proofs", "Imports", "Dry-run rejudges", "node-1:11"):
        assert text in page, text
    assert f"/author/my-sum/proof/{proof.pk}" in page
    assert f"/author/import/{ImportRun.objects.get(state=JobState.LEASED).pk}" in page
    assert "Background jobs by type" not in browser.get("/staff/queue?status=queued").content.decode()
    overview = browser.get("/staff").content.decode()
    assert "<strong>5</strong> background jobs waiting" in overview
    assert "Proofs are waiting, the oldest since" in overview
    workers = {worker.name: worker.judging for worker in queries.list_workers()}
    assert workers == {"node-1:10": 1, "node-1:11": 1, "node-2:12": 1}
    assert "my-sum" in browser.get("/staff/workers").content.decode()


def test_the_fleet_says_what_each_node_is_busy_with(busy, staff, browser_of):
    page = browser_of(staff).get("/fleet").content.decode()
    first, _, second = page.partition('aria-label="Current jobs on node-2"')
    assert "node-1:10" in first
    assert "Proof</a>" in first
    assert "Import</a>" in second
    assert "Import</a>" not in first


def test_every_task_leads_to_a_page(busy, staff, browser_of):
    browser = browser_of(staff)
    rows = browser.get("/staff/queue").context["aside"].tasks
    assert rows
    for row in rows:
        page = browser.get("/staff/queue").content.decode()
        address = page.split(f">{row.label}</a>")[0].rpartition('href="')[2].partition('"')[0]
        assert browser.get(address).status_code == 200, address
