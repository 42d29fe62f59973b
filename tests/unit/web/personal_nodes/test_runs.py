"""Tests runs on personal nodes: how they are claimed, extended, returned, cancelled and ended."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from judge.report import (
    CaseReport,
    Report,
)
from problems.vocabulary import Group, Verdict
from tests.unit.web.personal_nodes.nodes import SAID, ANode
from web.accounts.models import User
from web.fleet.models import PersonalNode
from web.jobs.models import JobState, personal_queue
from web.jobs.queries import submissions_waiting
from web.jobs.wakeup import wake, wake_for
from web.site.version import version
from web.submissions import queries, services
from web.submissions.models import Event, Job
from web.submissions.models import Report as Stored
from web.submissions.services import PersonalNodeUnavailable

pytestmark = pytest.mark.django_db


def test_a_run_comes_with_the_public_part_and_ends_with_its_report(owner: User, desk: ANode, run_of) -> None:
    submission = run_of(owner, sizes={"n": 8}, seed=5)
    run = desk.claim()
    assert run is not None
    assert (run["id"], run["source"], run["sizes"], run["seed"]) == (
        submission.public_id,
        "int x;",
        {"n": 8},
        5,
    )
    assert run["files"].keys() == {"problem.toml", "reference.py", "statement.md", "solutions/stand-in.cu"}
    assert desk.claim() is None
    assert desk.post(f"runs/{run['id']}/{run['attempt']}/extend", SAID).json() == {"hold": "held"}
    case = CaseReport("example", Group.SAMPLE, public=True, verdict=Verdict.WRONG_ANSWER, sizes={"n": 8})
    assert desk.report(run, Report(Verdict.WRONG_ANSWER, "Wrong.", cases=(case,))).json() == {
        "recorded": True
    }
    stored = Stored.objects.get(submission=submission)
    assert (stored.verdict, stored.message, stored.ranked) == ("wrong_answer", "Wrong.", False)
    assert stored.parsed.environment["personal node"] == "desk"
    assert stored.parsed.cases == (case,)


def test_a_node_that_fails_returns_the_run_and_staff_are_not_bothered(
    owner: User, desk: ANode, run_of, settings
) -> None:
    settings.WARPCOURT = replace(settings.WARPCOURT, max_tries=2)
    submission = run_of(owner)
    for _ in range(2):
        run = desk.claim()
        assert run is not None
        desk.post(f"runs/{run['id']}/{run['attempt']}/return", {"failed": True})
    stored = Stored.objects.get(submission=submission)
    assert stored.verdict == "cancelled"
    assert "Your node could not judge this run" in stored.message


def test_a_node_cannot_claim_and_return_a_run_without_end(owner: User, desk: ANode, run_of) -> None:
    submission = run_of(owner)
    for _ in range(100):
        if (run := desk.claim()) is None:
            break
        desk.post(f"runs/{run['id']}/{run['attempt']}/return", {"failed": False})
    assert Stored.objects.get(submission=submission).verdict == "cancelled"


def test_a_node_cannot_hold_a_run_for_longer_than_a_worker_may(owner: User, desk: ANode, run_of) -> None:
    run_of(owner)
    run = desk.claim()
    assert run is not None
    address = f"runs/{run['id']}/{run['attempt']}/extend"
    assert desk.post(address, SAID).json() == {"hold": "held"}
    Event.objects.update(created=timezone.now() - timedelta(days=1))
    assert desk.post(address, SAID).json() == {"hold": "lost"}


def test_the_requests_of_a_node_are_not_those_of_its_owner(
    owner: User, desk: ANode, settings, browser_of
) -> None:
    settings.WARPCOURT = replace(settings.WARPCOURT, api_per_minute=3)
    statuses = [desk.post("claim", SAID).status_code for _ in range(9)]
    assert 429 in statuses
    assert browser_of(owner).get("/api/v1/profile").status_code != 429
    assert ANode(owner, "laptop").claim() is None


def test_a_lost_node_loses_its_run_to_the_next_claim(owner: User, desk: ANode, run_of) -> None:
    submission = run_of(owner)
    first = desk.claim()
    Job.objects.update(lease_until=timezone.now() - timedelta(hours=1))
    second = ANode(owner, "laptop").claim()
    assert first is not None
    assert second is not None
    assert second["attempt"] == first["attempt"] + 1
    assert desk.report(first, Report(Verdict.ACCEPTED)).status_code == 404
    assert desk.post(f"runs/{first['id']}/{first['attempt']}/extend", SAID).json() == {"hold": "lost"}
    assert not Stored.objects.filter(submission=submission).exists()


def test_a_cancelled_run_stops_on_the_node(owner: User, desk: ANode, run_of) -> None:
    submission = run_of(owner)
    run = desk.claim()
    assert run is not None
    services.cancel(submission)
    assert desk.post(f"runs/{run['id']}/{run['attempt']}/extend", SAID).json() == {"hold": "cancelled"}


def test_without_a_node_that_runs_a_run_is_refused(owner: User, run_of) -> None:
    with pytest.raises(PersonalNodeUnavailable, match="None of your nodes is running"):
        run_of(owner)
    node = ANode(owner)
    node.claim()
    PersonalNode.objects.update(heartbeat=timezone.now() - timedelta(minutes=2))
    with pytest.raises(PersonalNodeUnavailable, match="None of your nodes is running"):
        run_of(owner)


def test_a_cancelled_run_says_who_cancelled_it(owner: User, desk: ANode, run_of) -> None:
    submission = run_of(owner)
    run = desk.claim()
    assert run is not None
    services.cancel(submission)
    desk.post(f"runs/{run['id']}/{run['attempt']}/return", {"failed": False})
    assert Stored.objects.get(submission=submission).message == "Cancelled by its author or by staff."


def test_the_steps_of_a_run_name_the_node(owner: User, desk: ANode, run_of) -> None:
    submission = run_of(owner)
    for failed in (False, True):
        run = desk.claim()
        assert run is not None
        desk.post(f"runs/{run['id']}/{run['attempt']}/return", {"failed": failed})
    texts = [event.payload["text"] for event in Event.objects.filter(submission=submission)]
    taken, returned = "Picked up by your node", "Your node did not finish this run. Waiting for your node"
    assert texts == ["Waiting for your node", taken, returned, taken, returned]


def test_a_node_of_another_version_gets_no_run(owner: User, desk: ANode, run_of, client: Client) -> None:
    run_of(owner)
    answer = desk.post("claim", {"version": "0.0.9", "hardware": "CPU"})
    assert answer.status_code == 409
    message = answer.json()["error"]["message"]
    assert message.startswith(f"This node has Warpcourt 0.0.9, the site {version()}. Update the checkout")
    assert Job.objects.get().state == JobState.QUEUED
    client.force_login(owner)
    assert "Other version" in client.get("/account/nodes").content.decode()
    with pytest.raises(PersonalNodeUnavailable, match="None of your nodes is running"):
        run_of(owner)
    assert desk.claim() is not None


def test_a_run_without_any_node_left_is_ended_by_the_sweep(owner: User, desk: ANode, run_of) -> None:
    submission = run_of(owner)
    assert services.sweep().concluded == 0
    PersonalNode.objects.all().delete()  # by staff, or while the run was submitted
    assert services.sweep().concluded == 1
    assert "no node left" in Stored.objects.get(submission=submission).message


def test_staff_see_no_waiting_runs_of_personal_nodes(owner: User, desk: ANode, run_of) -> None:
    run_of(owner)
    Job.objects.update(queued=timezone.now() - timedelta(hours=1))
    assert submissions_waiting() == {}
    assert queries.count_waiting() == 0
    assert queries.oldest_wait_s() == 0
    assert not wake(personal_queue(owner.pk))
    assert wake_for({personal_queue(owner.pk): 5}) == 0


def test_a_rejudged_run_is_judged_by_the_site(owner: User, desk: ANode, run_of) -> None:
    submission = run_of(owner)
    run = desk.claim()
    assert run is not None
    desk.report(run, Report(Verdict.ACCEPTED))
    assert services.rejudge(submission)
    submission.refresh_from_db()
    assert submission.personal_node is False
    assert desk.claim() is None
    assert services.claim("node-1:1") is not None
