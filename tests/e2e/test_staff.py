"""Tests the actions of staff on their pages: inspect, fix, and rejudge with a preview."""

import socket

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import (
    PASSWORD,
    Site,
    open_problem,
    press,
    sign_in,
    sign_in_on_page,
    sign_up,
    wait_for_verdict,
    write,
)
from tests.e2e.soundness import check, cut_tables

PLACES = (
    "",
    "/queue",
    "/workers",
    "/rejudges",
    "/rejudges/new?problem=vector-add",
    "/reports",
    "/bans",
    "/usage",
    "/quotas",
    "/audit",
)
KINDS = ("expired", "gave_up", "waiting", "no_gpu")
WRONG = """
from web.submissions.models import Report
report = Report.objects.get(submission__public_id="{public_id}")
report.verdict, report.message = "wrong_answer", "as it was"
report.body |= {{"verdict": "wrong_answer", "message": "as it was"}}
report.save()
"""
REJUDGE = """
from web.accounts.models import User
from web.rejudges import rejudging
from web.submissions.models import Submission
found = Submission.objects.filter(public_id="{public_id}")
rejudging.start(User.objects.get(username="judge"), found, reason="To look at", chosen={{}})
"""
MAKE = """
from datetime import timedelta
from django.utils import timezone
from sandbox.gpu.fake_nvml import fake_gpu
from web.accounts.models import User
from web.catalog.models import Problem
from web.fleet import services as fleet
from web.fleet.services import GpuStatus
from web.submissions.models import Job, Submission

User.objects.create_superuser("judge", password="{password}")
fleet.record_inventory("node-1", {{"driver": "580.159.03"}}, [fake_gpu(0), fake_gpu(1)])
fleet.record_heartbeat("node-1", [GpuStatus(fake_gpu(0).uuid), GpuStatus(fake_gpu(1).uuid, "it hangs")])
author = User.objects.create_user("patient")
problem = Problem.objects.get(slug="vector-add")
for priority in (20, 10):
    row = Submission.objects.create(
        user=author, problem=problem, version="1", language="cuda", mode="submit", source="x", gpu_model="X"
    )
    an_hour_ago = timezone.now() - timedelta(hours=1)
    Job.objects.create(submission=row, queue="gpu.x", priority=priority, queued=an_hour_ago)
"""


@pytest.fixture(scope="module")
def judge(site: Site) -> str:
    """The name of a member of staff, on a site with some trouble."""
    site.manage("shell", "-c", MAKE.format(password=PASSWORD))
    return "judge"


@pytest.fixture(scope="module")
def judged(site: Site, browser: Browser, judge: str) -> str:
    """The identifier of a submission whose visible verdict is not what judging it yields now."""
    with browser.new_context() as context:
        page = context.new_page()
        sign_up(page, site, "judged")
        open_problem(page, site, "vector-add")
        write(page, "score=7.5")
        press(page, "Submit")
        wait_for_verdict(page, "Accepted")
        address = page.get_by_role("link", name="Permalink").get_attribute("href") or ""
    public_id = address.rpartition("/")[2]
    site.manage("shell", "-c", WRONG.format(public_id=public_id))
    return public_id


@pytest.fixture(scope="module")
def rejudge(site: Site, judged: str) -> None:
    """A rejudge that waits for an answer."""
    site.manage("shell", "-c", REJUDGE.format(public_id=judged))


def test_from_the_overview_to_what_is_wrong(site: Site, page: Page, judge: str) -> None:
    sign_in_on_page(page, site, judge)
    page.locator(".masthead-end summary").click()
    page.locator(".menu-list").get_by_role("link", name="Staff").click()
    expect(page.get_by_text("2 submissions waiting for a GPU that no node offers.")).to_be_visible()
    page.get_by_role("navigation", name="Staff").get_by_role("link", name="Fleet").click()
    expect(page.get_by_text("it hangs")).to_be_visible()
    expect(page.get_by_role("heading", name="node-1")).to_be_visible()


def test_a_stuck_submission_is_cancelled_with_a_reason(site: Site, page: Page, judge: str) -> None:
    sign_in(page, site, judge)
    page.goto(f"{site.url}/staff/stuck?kind=no_gpu")
    rows = page.locator("table.jobs tbody tr")
    expect(rows).to_have_count(2)
    rows.first.locator("summary").click()
    rows.first.get_by_label("Reason (shown to the author)").fill("That GPU is gone")
    rows.first.get_by_role("button", name="Cancel job").click()
    expect(page).to_have_url(f"{site.url}/staff/stuck?kind=no_gpu")
    expect(rows).to_have_count(1)
    page.goto(f"{site.url}/staff/audit?kind=submission.cancel")
    expect(page.get_by_role("row", name="Cancelled a submission").first).to_contain_text("That GPU is gone")


def test_a_rejudge_shows_what_would_change_before_anything_does(
    site: Site, page: Page, judge: str, judged: str
) -> None:
    sign_in(page, site, judge)
    page.goto(f"{site.url}/staff/rejudges")
    page.get_by_role("link", name="New rejudge").click()
    page.get_by_label("Submissions").fill(f"{site.url}/s/{judged}")
    page.get_by_role("button", name="Count").click()
    page.get_by_label("Reason").fill("The tolerance was too strict")
    page.get_by_role("button", name="Start dry-run rejudge").click()
    expect(page.get_by_text("Waiting for decision")).to_be_visible(timeout=30_000)  # it appears automatically
    row = page.get_by_role("region", name="Submissions").get_by_role("row", name=judged)
    expect(row).to_contain_text("Wrong answer")
    expect(row).to_contain_text("Accepted")
    expect(row).to_contain_text("Changed verdict")
    page.goto(f"{site.url}/s/{judged}")
    expect(page.get_by_text("as it was", exact=True)).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="Apply changed verdicts").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("1 of 1 judged, 1 applied")).to_be_visible()
    page.goto(f"{site.url}/s/{judged}")
    expect(page.get_by_text("as it was", exact=True)).to_have_count(0)
    expect(page.get_by_role("main").get_by_text("Accepted").first).to_be_visible()


def test_a_rejudge_is_discarded(site: Site, page: Page, judge: str, judged: str) -> None:
    sign_in(page, site, judge)
    page.goto(f"{site.url}/staff/rejudges/new?ids={judged}")
    page.get_by_label("Reason").fill("Just to see")
    page.get_by_role("button", name="Start dry-run rejudge").click()
    page.get_by_role("link", name="Discard").click(timeout=30_000)
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_text("Discarded")).to_be_visible()


def test_a_node_is_drained_and_serves_again_as_the_page_shows_by_itself(
    site: Site, page: Page, judge: str
) -> None:
    sign_in(page, site, judge)
    page.goto(f"{site.url}/fleet")
    name = socket.gethostname()
    node = page.get_by_role("region", name=name, exact=True)
    expect(node.get_by_text("Serving").first).to_be_visible()
    expect(page.get_by_role("region", name=f"Workers of {name}")).to_contain_text("0 of ")
    page.get_by_label(f"Drain {name}").click()
    page.get_by_label("Reason (shown to staff)").and_(page.locator(":visible")).fill("A new fan")
    page.get_by_role("button", name="Drain node").and_(page.locator(":visible")).click()
    expect(page.get_by_text(f"{name} is draining")).to_be_visible()
    expect(node).to_contain_text("Drained: A new fan. By judge")
    # The worker gets the order, and the page shows that without being loaded again.
    expect(node).to_contain_text("You can stop its workers", timeout=20_000)
    page.get_by_role("button", name=f"Resume {name}").click()
    expect(node.get_by_text("Serving").first).to_be_visible(timeout=20_000)
    page.goto(f"{site.url}/staff/audit?kind=node.drain")
    expect(page.get_by_role("row", name="Drained a node").first).to_contain_text("A new fan")


def test_a_gpu_is_quarantined_with_a_reason_and_released(site: Site, page: Page, judge: str) -> None:
    sign_in(page, site, judge)
    page.goto(f"{site.url}/fleet")
    gpus = page.get_by_role("region", name="GPUs of node-1")
    gpus.get_by_text("Quarantine", exact=True).first.click()
    gpus.get_by_label("Reason (shown to staff)").first.fill("It hums")
    # The page reloads every few seconds, but not while a user types in it.
    page.evaluate("void htmx.ajax('GET', '/fleet', {source: '#fleet', target: '#fleet'})")
    expect(gpus.get_by_label("Reason (shown to staff)").first).to_have_value("It hums")
    gpus.get_by_role("button", name="Quarantine GPU").first.click()
    expect(gpus).to_contain_text("Quarantined: It hums. By judge")
    gpus.get_by_role("button", name="Release").click()
    expect(gpus).not_to_contain_text("Quarantined:")


def test_to_a_learner_none_of_it_exists(site: Site, page: Page, judged: str) -> None:
    sign_in_on_page(page, site, "judged")
    expect(page.get_by_role("link", name="Staff")).to_have_count(0)
    for place in PLACES:
        answer = page.goto(f"{site.url}/staff{place}")
        assert answer is not None
        assert answer.status == 404


def test_the_pages_are_sound(site: Site, visitor: Page, judge: str, rejudge: None) -> None:
    sign_in(visitor, site, judge)
    for place in (*(f"/stuck?kind={kind}" for kind in KINDS), *PLACES):
        check(visitor, f"{site.url}/staff{place}")
    expect(visitor.get_by_role("region", name="Audit log")).to_contain_text("To look at")
    assert cut_tables(visitor) == []  # of the audit log, which has the most columns
    check(visitor, f"{site.url}/fleet")
    visitor.goto(f"{site.url}/staff/rejudges")
    link = visitor.get_by_role("region", name="Rejudges").get_by_role("link").first
    check(visitor, f"{site.url}{link.get_attribute('href')}")
