"""Tests the staff pages: other users do not see them, they show faults, and actions are logged."""

from datetime import timedelta

import pytest
from django.urls import get_resolver
from django.utils import timezone

from judge.report import Report, Score
from problems.vocabulary import Verdict
from sandbox.gpu.fake_nvml import fake_gpu
from tests.conftest import new_problem
from web.accounts.models import User
from web.audit import services as staff_services
from web.audit.models import AuditEntry, AuditKind
from web.fleet import services as fleet
from web.fleet.models import Node
from web.fleet.services import GpuStatus
from web.jobs.models import JobState
from web.rejudges import rejudging
from web.rejudges.models import HiddenRun, Rejudge
from web.rejudges.queue import queue as hidden_runs
from web.staff import pages, queries
from web.staff.queries import Stuck
from web.submissions import services
from web.submissions.models import Job, Submission
from web.submissions.models import Report as StoredReport

pytestmark = pytest.mark.django_db

HIDDEN_MESSAGE = "nobody may read this yet"


def send(browser, address: str, **columns):
    browser.handler.enforce_csrf_checks = False
    return browser.post(address, columns)


def judge(submission: Submission, verdict=Verdict.ACCEPTED, **more) -> Submission:
    services.record(services.claim("host:1"), Report(verdict, **more))
    return submission


def patterns(prefix: str) -> list[str]:
    """Every address of ours that begins so, with something in place of what varies."""
    found = [str(pattern.pattern) for resolver in get_resolver().url_patterns for pattern in flat(resolver)]
    values = {
        "<public_id:public_id>": "AAAAAAAAAAAA",
        "<int:pk>": "1",
        "<slug:slug>": "x",
        "<path:username>": "x",
    }
    addresses = []
    for address in (address for address in found if address.startswith(prefix)):
        for name, value in values.items():
            address = address.replace(name, value)  # noqa: PLW2901 - the address with one part more
        addresses.append(f"/{address}")
    return addresses


def flat(resolver):
    return (
        [resolver]
        if not hasattr(resolver, "url_patterns")
        else [p for r in resolver.url_patterns for p in flat(r)]
    )


def test_to_everybody_else_none_of_it_exists(owner, teammate, stranger, browser_of):
    teammate.is_instructor = True
    teammate.save()
    addresses = patterns("staff")
    assert len(addresses) > 15
    for person in (owner, teammate, stranger):
        browser = browser_of(person)
        for address in addresses:
            reading = browser.get(address).status_code
            writing = send(browser, address, reason="x").status_code
            assert {reading, writing} <= {404, 405}, address
            assert 404 in {reading, writing}, address


def test_writing_needs_the_csrf_token(staff, browser_of):
    browser = browser_of(staff)
    for address in patterns("staff"):
        assert browser.post(address).status_code in {403, 405}, address


def test_staff_who_are_no_superusers_see_the_pages(db, browser_of):
    helper = User.objects.create_user("helper", password="x", is_staff=True)
    for address in (
        "/staff",
        "/staff/queue",
        "/staff/stuck",
        "/staff/workers",
        "/staff/rejudges",
        "/staff/audit",
    ):
        assert browser_of(helper).get(address).status_code == 200


def test_the_menu_leads_there_for_staff_alone(owner, staff, browser_of):
    assert 'href="/staff"' in browser_of(staff).get("/").content.decode()
    assert 'href="/staff"' not in browser_of(owner).get("/").content.decode()


def test_the_navigation_leads_to_every_list_of_staff(staff, browser_of):
    browser = browser_of(staff)
    shown = browser.get("/staff").content.decode()
    pages = [address for address in patterns("staff") if not address.endswith(("/1", "/x", "/new"))]
    lists = [address for address in pages if browser.get(address).status_code == 200]
    assert len(lists) > 10
    assert [address for address in lists if f'href="{address}"' not in shown] == []


def test_the_overview_says_what_is_wrong(owner, staff, handed_in, browser_of):
    assert "No stuck jobs" in browser_of(staff).get("/staff").content.decode()
    handed_in(owner)
    Job.objects.update(queued=timezone.now() - timedelta(hours=2))
    fleet.record_inventory("node-1", {}, [fake_gpu(0)])
    fleet.record_heartbeat("node-1", [GpuStatus(fake_gpu(0).uuid, reason="it hangs")])
    page = browser_of(staff).get("/staff").content.decode()
    for text in (
        "no worker is judging",
        "1 submission waiting for more than ten minutes",
        "node-1: 1 of 1 GPUs not in use",
    ):
        assert text in page
    Node.objects.update(heartbeat=timezone.now() - timedelta(hours=1))
    assert "node-1: lost" in browser_of(staff).get("/staff").content.decode()


def test_the_queue_is_in_the_order_in_which_it_is_taken(
    owner, teammate, staff, handed_in, problem, browser_of
):
    late, soon = handed_in(owner), handed_in(teammate)
    Job.objects.filter(submission=soon).update(priority=20)
    assert [row.job.submission for row in pages.queue({}, "").rows] == [soon, late]
    browser = browser_of(staff)
    for chosen, shown in (
        ("person=OWNER", [late]),
        ("problem=vector-add", [late, soon]),
        ("problem=relu", []),
        ("status=leased", []),
        ("status=nonsense", [late, soon]),
    ):
        page = browser.get(f"/staff/queue?{chosen}").content.decode()
        for submission in (late, soon):
            assert (submission.public_id in page) is (submission in shown), chosen


def test_the_queue_comes_in_pages_by_cursor(owner, handed_in, problem, monkeypatch, settings):
    made = [
        Submission.objects.create(
            user=owner, problem=problem, version="1", language="cuda", mode="submit", source="x"
        )
        for _ in range(7)
    ]
    now = timezone.now()
    for index, submission in enumerate(made):
        Job.objects.create(
            submission=submission,
            priority=10 * (index % 2),
            fair_share_rank=index % 3,
            queued=now - timedelta(minutes=index // 4),
        )
    monkeypatch.setattr("web.site.paging.ROWS", 2)
    whole = [job.pk for job in queries.list_jobs()]
    found, after = [], ""
    while True:
        rows = pages.queue({}, after)
        found += [row.job.pk for row in rows.rows]
        if not rows.following:
            break
        after = rows.following.partition("after=")[2]
    assert found == whole


@pytest.mark.parametrize(
    "text",
    ["", "x", "1.0.2-x", "99999999.0.1-1", "1.99999999.1-1", "--1.0.1-1", "1.0.9999999999999999999999-1"],
)
def test_a_place_that_is_nonsense_is_the_first_page(text):
    assert pages.queue({}, text).rows == []
    assert pages._decode_place(text) is None


def test_a_submission_is_cancelled_with_a_reason_for_its_author(owner, staff, handed_in, browser_of):
    submission = handed_in(owner)
    browser = browser_of(staff)
    send(browser, f"/staff/queue/{submission.public_id}/cancel", reason="")
    assert Job.objects.get().state == JobState.QUEUED
    send(browser, f"/staff/queue/{submission.public_id}/cancel", reason="the GPU is gone")
    report = StoredReport.objects.get()
    assert (report.verdict, report.message) == ("cancelled", "Cancelled by staff: the GPU is gone")
    entry = AuditEntry.objects.get()
    assert (entry.kind, entry.actor, entry.target_text) == (AuditKind.CANCEL, staff, submission.public_id)
    send(browser, f"/staff/queue/{submission.public_id}/cancel", reason="again")
    assert AuditEntry.objects.count() == 1


def test_nobody_is_led_away_from_the_site(owner, staff, handed_in, browser_of):
    address = f"/staff/queue/{handed_in(owner).public_id}/cancel"
    for elsewhere in ("https://example.org/", "//example.org", "javascript:alert(1)"):
        assert send(browser_of(staff), address, reason="x", next=elsewhere)["Location"] == "/staff/queue"
    assert (
        send(browser_of(staff), address, reason="x", next="/staff/stuck?kind=no_gpu")["Location"]
        == "/staff/stuck?kind=no_gpu"
    )


def test_what_is_stuck_is_found_with_what_helps(owner, staff, handed_in, browser_of):
    now = timezone.now()
    lost, old, asking, given_up, fine = (handed_in(owner) for _ in range(5))
    Job.objects.filter(submission=lost).update(
        state=JobState.LEASED, lease_until=now - timedelta(minutes=1), worker="w"
    )
    Job.objects.filter(submission=old).update(queued=now - timedelta(minutes=11))
    Submission.objects.filter(pk=asking.pk).update(gpu_model="NVIDIA X")
    services.cancel(given_up)
    StoredReport.objects.update(verdict="internal_error")
    expected = {Stuck.EXPIRED: lost, Stuck.WAITING: old, Stuck.NO_GPU: asking, Stuck.GAVE_UP: given_up}
    for kind, submission in expected.items():
        assert [job.submission for job in queries.list_stuck(kind)] == [submission], kind
        page = browser_of(staff).get(f"/staff/stuck?kind={kind}").content.decode()
        assert submission.public_id in page
        assert fine.public_id not in page
    fleet.record_inventory("node-1", {}, [fake_gpu(0, model="NVIDIA X")])
    assert not queries.list_stuck(Stuck.NO_GPU).exists(), "now somebody offers it"


def test_a_lost_job_is_queued_again_and_its_old_worker_writes_nothing(owner, staff, handed_in, browser_of):
    submission = handed_in(owner)
    held = services.claim("w")
    address = f"/staff/queue/{submission.public_id}/requeue"
    send(browser_of(staff), address)
    assert Job.objects.get().state == JobState.LEASED, "its worker lives"
    Job.objects.update(lease_until=timezone.now() - timedelta(minutes=1), tries=3)
    send(browser_of(staff), address)
    job = Job.objects.get()
    assert (job.state, job.tries, job.worker) == (JobState.QUEUED, 0, "")
    assert not services.record(held, Report(Verdict.ACCEPTED))
    assert AuditEntry.objects.get().kind == AuditKind.REQUEUE


def test_a_waiting_job_that_is_queued_again_may_run_on_any_host(owner, staff, handed_in, browser_of):
    submission = handed_in(owner)
    address = f"/staff/queue/{submission.public_id}/requeue"
    send(browser_of(staff), address)
    assert not AuditEntry.objects.exists(), "there is nothing to reset"
    services.return_to_queue(services.claim("node-1:7"), failed=False, missing="a file")
    assert services.claim("node-1:7") is None
    send(browser_of(staff), address)
    assert services.claim("node-1:7").excluded_hosts == {}


def test_what_was_given_up_is_judged_again(owner, staff, handed_in, browser_of):
    submission = judge(handed_in(owner), Verdict.INTERNAL_ERROR)
    send(browser_of(staff), f"/staff/queue/{submission.public_id}/again")
    assert Job.objects.get().state == JobState.QUEUED
    entry = AuditEntry.objects.get()
    assert (entry.kind, entry.details) == (AuditKind.REJUDGE, {"verdict": "internal_error"})


def test_workers_are_known_by_what_they_hold_and_judged(owner, staff, handed_in, browser_of):
    judge(handed_in(owner))
    judge(handed_in(owner), Verdict.INTERNAL_ERROR)
    handed_in(owner)
    services.claim("host:2")
    found = {worker.name: (worker.judging, worker.recent, worker.failed) for worker in queries.list_workers()}
    assert found == {"host:2": (1, 0, 0), "host:1": (0, 2, 1)}
    assert "host:2" in browser_of(staff).get("/staff/workers").content.decode()


def test_a_rejudge_from_choice_to_applied(owner, staff, handed_in, problem, browser_of):
    submission = judge(handed_in(owner))
    browser = browser_of(staff)
    chosen = "/staff/rejudges/new?problem=vector-add&verdicts=accepted"
    assert "1 submission" in browser.get(chosen).content.decode()
    assert send(browser, chosen, reason="").status_code == 422
    assert send(browser, chosen, reason="The tolerance was wrong").status_code == 302
    rejudge = Rejudge.objects.get()
    assert rejudge.chosen == {"problem": "vector-add", "verdicts": ["accepted"]}
    page = browser.get(f"/staff/rejudges/{rejudge.pk}").content.decode()
    assert "0 of 1 judged" in page
    assert 'hx-trigger="every 2s"' in page
    hidden_runs.record(hidden_runs.claim("w"), Report(Verdict.WRONG_ANSWER, HIDDEN_MESSAGE))
    page = browser.get(f"/staff/rejudges/{rejudge.pk}").content.decode()
    assert HIDDEN_MESSAGE in page
    assert "hx-trigger" not in page
    part = browser.get(f"/staff/rejudges/{rejudge.pk}", headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith('<div id="rejudge"')
    apply = f"/staff/rejudges/{rejudge.pk}/apply"
    assert f'href="{apply}?scope=verdicts"' in page
    assert f'href="{apply}?scope=all"' in page
    question = browser.get(f"{apply}?scope=verdicts").content.decode()
    assert "Apply the changed verdicts?" in question
    assert '<input type="hidden" name="scope" value="verdicts">' in question
    assert "including times?" in browser.get(f"{apply}?scope=all").content.decode()
    assert StoredReport.objects.get(submission=submission).verdict == "accepted"
    send(browser, apply, scope="verdicts")
    assert StoredReport.objects.get(submission=submission).verdict == "wrong_answer"
    kinds = set(AuditEntry.objects.values_list("kind", flat=True))
    assert kinds == {AuditKind.PREVIEW_START, AuditKind.PREVIEW_APPLY}


@pytest.mark.parametrize(
    ("act", "kind"), [("discard", AuditKind.PREVIEW_DISCARD), ("cancel", AuditKind.PREVIEW_CANCEL)]
)
def test_a_rejudge_is_discarded_or_cancelled(owner, staff, handed_in, browser_of, act, kind):
    judge(handed_in(owner))
    rejudge = rejudging.start(staff, Submission.objects.all(), reason="x", chosen={})
    if act == "discard":
        hidden_runs.record(hidden_runs.claim("w"), Report(Verdict.WRONG_ANSWER, HIDDEN_MESSAGE))
        question = browser_of(staff).get(f"/staff/rejudges/{rejudge.pk}/discard").content.decode()
        assert "Discard this rejudge?" in question
    send(browser_of(staff), f"/staff/rejudges/{rejudge.pk}/{act}")
    assert AuditEntry.objects.first().kind == kind
    assert StoredReport.objects.get().verdict == "accepted"
    assert not HiddenRun.objects.filter(body__isnull=False).exists()


def test_a_hidden_report_leaks_nowhere(owner, teammate, staff, handed_in, browser_of):
    submission = judge(handed_in(owner))
    rejudging.start(staff, Submission.objects.all(), reason="secret reason", chosen={})
    hidden_runs.record(hidden_runs.claim("w"), Report(Verdict.WRONG_ANSWER, HIDDEN_MESSAGE))
    base = f"/s/{submission.public_id}"
    api = f"/api/v1/submissions/{submission.public_id}"
    for person in (owner, teammate):
        for address in (
            base,
            f"{base}/report",
            f"{base}.json",
            f"{base}.svg",
            api,
            "/submissions",
            "/problems",
            "/u/owner",
        ):
            page = browser_of(person).get(address).content.decode()
            assert HIDDEN_MESSAGE not in page
            assert "secret reason" not in page
    assert "Accepted" in browser_of(owner).get(base).content.decode()


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("problem=vector-add", 2),
        ("problem=relu", 1),
        ("language=triton", 0),
        ("verdicts=wrong_answer&verdicts=time_limit", 1),
        ("version=1", 2),
        ("version=earlier", 1),
        ("since=2000-01-01T00:00", 3),
        ("until=2000-01-01T00:00", 0),
    ],
)
def test_submissions_are_chosen(owner, staff, handed_in, problem, browser_of, query, count):
    judge(handed_in(owner))
    judge(handed_in(owner), Verdict.WRONG_ANSWER)
    StoredReport.objects.filter(verdict="wrong_answer").update(version="0")
    other = new_problem("relu")
    Submission.objects.filter(pk=judge(handed_in(owner)).pk).update(problem=other)
    page = browser_of(staff).get(f"/staff/rejudges/new?{query}").content.decode()
    assert f">{count} submission{'' if count == 1 else 's'}<" in page


def test_submissions_are_chosen_by_their_names_and_addresses(owner, staff, handed_in, browser_of):
    first, second = judge(handed_in(owner)), judge(handed_in(owner))
    judge(handed_in(owner))
    ids = f"{first.public_id}, http://localhost/s/{second.public_id}/"
    page = browser_of(staff).get("/staff/rejudges/new", {"ids": ids}).content.decode()
    assert ">2 submissions<" in page


@pytest.mark.parametrize(
    "query", ["problem=nowhere", "problem=", "ids=short", "verdicts=fine", "since=yesterday"]
)
def test_a_choice_that_makes_no_sense_is_refused(staff, problem, browser_of, query):
    browser = browser_of(staff)
    assert "card" not in browser.get(f"/staff/rejudges/new?{query}").content.decode().partition("<main")[2]
    assert send(browser, f"/staff/rejudges/new?{query}", reason="x").status_code == 200
    assert not Rejudge.objects.exists()


def test_the_audit_log_is_read_by_who_what_and_to_what(owner, staff, problem, browser_of):
    staff_services.log(staff, AuditKind.PUBLISH, problem)
    staff_services.log(owner, AuditKind.BAN, staff, reason="<script>alert(1)</script>")
    browser = browser_of(staff)
    for query, published, banned in (
        ("", True, True),
        ("kind=problem.publish", True, False),
        ("actor=OWNER", False, True),
        ("target=vector", True, False),
        ("kind=nonsense", True, True),
    ):
        page = browser.get(f"/staff/audit?{query}").content.decode().partition("<tbody>")[2]
        assert ("Published a problem" in page, "Banned a user" in page) == (published, banned), query
        assert "<script>alert" not in page


def test_the_audit_log_comes_in_pages(staff, monkeypatch):
    monkeypatch.setattr("web.site.paging.ROWS", 2)
    for _ in range(5):
        staff_services.log(staff, AuditKind.CHANGE)
    found, following = pages.audit_entries({}, "")
    seen = [entry.pk for entry in found]
    while following:
        found, following = pages.audit_entries({}, following.partition("before=")[2])
        seen += [entry.pk for entry in found]
    assert seen == sorted(seen, reverse=True)
    assert len(seen) == 5


def test_pages_take_few_queries_whatever_their_size(
    owner, staff, handed_in, problem, browser_of, django_assert_max_num_queries
):
    score = Score(2.0, 1.9, 2.1)
    for number in range(12):
        submission = Submission.objects.create(
            user=owner, problem=problem, version="1", language="cuda", mode="submit", source="x"
        )
        Job.objects.create(submission=submission)
        judge(submission, score=score, environment={"gpu": "NVIDIA H200"})
        waiting = Submission.objects.create(
            user=owner,
            problem=problem,
            version="1",
            language="cuda",
            mode="submit",
            source="x",
            gpu_model="NVIDIA X",
        )
        Job.objects.create(submission=waiting, queued=timezone.now() - timedelta(hours=1))
        staff_services.log(staff, AuditKind.CHANGE, submission)
        fleet.record_inventory(f"node-{number}", {}, [fake_gpu(number)])
        rejudge = rejudging.start(staff, Submission.objects.all(), reason="x", chosen={})
    addresses = [
        "/staff",
        "/staff/queue",
        "/staff/workers",
        "/staff/audit",
        "/fleet",
        "/staff/rejudges",
        f"/staff/rejudges/{rejudge.pk}",
    ]
    addresses += [f"/staff/stuck?kind={kind}" for kind in Stuck]
    addresses += ["/staff/rejudges/new?problem=vector-add"]
    browser = browser_of(staff)
    for address in addresses:
        with django_assert_max_num_queries(12):
            assert browser.get(address).status_code == 200
