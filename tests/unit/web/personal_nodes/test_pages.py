"""Tests the pages that show personal nodes and their runs."""

import re
from datetime import timedelta
from io import StringIO

import pytest
from django.test import Client
from django.utils import timezone
from rich.console import Console

from judge.report import (
    Report,
)
from problems.vocabulary import Verdict
from tests.unit.web.personal_nodes.nodes import SITE, ANode
from web.accounts.models import User
from web.catalog.models import Problem
from web.cli import show
from web.fleet.models import NodeInvitation, PersonalNode
from web.fleet.personal import invite_personal
from web.submissions.models import Job, Submission
from web.submissions.queue_position import queue_positions

pytestmark = pytest.mark.django_db


def test_the_page_of_a_run_says_where_it_was_judged(owner: User, desk: ANode, run_of, browser_of) -> None:
    submission = run_of(owner)
    page = browser_of(owner).get(f"/s/{submission.public_id}").content.decode()
    assert "your own node. This run does not count." in page
    assert queue_positions([submission.pk])[submission.pk].detail.startswith("Your node takes this run")
    run = desk.claim()
    assert run is not None
    desk.report(run, Report(Verdict.ACCEPTED))
    assert "personal node" in browser_of(owner).get(f"/s/{submission.public_id}").content.decode()
    assert "own node" in browser_of(owner).get(f"/s/{submission.public_id}.svg").content.decode()
    written = StringIO()
    shown_run = browser_of(owner).get(f"/api/v1/submissions/{submission.public_id}").json()
    Console(file=written, width=200).print(show.submission(shown_run))
    assert "own node. This run does not count." in written.getvalue()


def test_the_editor_offers_a_node_that_runs(
    owner: User, teammate: User, desk: ANode, open_problem, browser_of
) -> None:
    offer = "My node (runs only)"
    address = f"/problems/{open_problem.slug}"
    assert offer in browser_of(owner).get(address).content.decode()
    assert offer not in browser_of(teammate).get(address).content.decode()
    Problem.objects.update(on_personal_nodes=False)
    assert offer not in browser_of(owner).get(address).content.decode()


def test_the_editor_sends_runs_to_the_node_and_submissions_to_the_site(
    owner: User, desk: ANode, open_problem: Problem, browser_of
) -> None:
    browser = browser_of(owner)
    page = browser.get(f"/problems/{open_problem.slug}").content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token
    form = {
        "csrfmiddlewaretoken": token[1],
        "language": "cuda",
        "source": "int x;",
        "gpu_model": "personal-node",
    }
    for mode in ("run", "submit"):
        browser.post(f"/problems/{open_problem.slug}/submissions", {**form, "mode": mode})
    assert dict(Submission.objects.values_list("mode", "personal_node")) == {"run": True, "submit": False}


def test_the_page_links_the_run_that_a_node_judges(owner: User, desk: ANode, run_of, client: Client) -> None:
    submission = run_of(owner)
    ANode(owner, "laptop").claim()
    client.force_login(owner)
    page = client.get("/account/nodes").content.decode()
    assert "Judging" in page
    assert f'href="/s/{submission.public_id}"' in page
    Job.objects.update(lease_until=timezone.now() - timedelta(hours=1))
    assert "Judging" not in client.get("/account/nodes").content.decode()


def test_pages_of_nodes_need_a_csrf_token_and_their_owner(owner: User, teammate: User, desk: ANode) -> None:
    for user, status in ((owner, 403), (teammate, 403)):
        browser = Client(enforce_csrf_checks=True)
        browser.force_login(user)
        assert browser.post(f"/account/nodes/{desk.row.pk}/remove").status_code == status
        assert browser.post("/account/nodes", {"name": "x"}).status_code == 403
    stranger = Client()
    stranger.force_login(teammate)
    assert stranger.post(f"/account/nodes/{desk.row.pk}/remove").status_code == 404
    assert PersonalNode.objects.get() == desk.row


def test_a_node_is_removed_after_a_confirmation(
    owner: User, teammate: User, desk: ANode, client: Client
) -> None:
    address = f"/account/nodes/{desk.row.pk}/remove"
    client.force_login(teammate)
    assert client.get(address).status_code == 404
    client.force_login(owner)
    assert f'href="{address}"' in client.get("/account/nodes").content.decode()
    asked = client.get(address).content.decode()
    assert f"Remove {desk.row.name}?" in asked
    assert "invite it again" in asked
    assert PersonalNode.objects.exists()
    done = client.post(address, follow=True).content.decode()
    assert f"{desk.row.name} is removed. Its key no longer works." in done
    assert not PersonalNode.objects.exists()


def test_the_page_says_whether_a_token_can_still_be_used(owner: User, client: Client) -> None:
    invite_personal(owner, "desk", SITE)
    client.force_login(owner)
    assert "Invited" in client.get("/account/nodes").content.decode()
    NodeInvitation.objects.update(expires=timezone.now() - timedelta(minutes=1))
    page = client.get("/account/nodes").content.decode()
    assert "Token expired" in page
    assert "Invited" not in page
