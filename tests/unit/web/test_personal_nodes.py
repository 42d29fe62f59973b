"""Tests personal nodes: what their owners get, and what an owner who forges everything cannot get."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from rich.console import Console

from judge.report import (
    CaseReport,
    InstructionProfile,
    LineProfile,
    Mismatch,
    Profile,
    Report,
    Score,
    ShownInput,
    ShownOutput,
    StageTime,
    Timing,
)
from judge.report_json import to_json
from problems.contents import as_folder, read_folder
from problems.loader import load_problem, problems_root
from problems.vocabulary import Group, Language, Mode, Stage, Verdict
from web.accounts.models import Scope, User
from web.accounts.services import issue_token
from web.audit.models import AuditEntry, AuditKind
from web.catalog.models import Problem
from web.cli import show
from web.fleet.handshake import HandshakeFailed
from web.fleet.joining import ask_to_join
from web.fleet.models import NodeInvitation, PersonalNode
from web.fleet.personal import MOST, PersonalNodeRefused, invite_personal, remove_node
from web.help.guide import guide_page
from web.jobs.models import JobState, personal_queue
from web.jobs.queries import submissions_waiting, tasks_held
from web.jobs.wakeup import wake, wake_for
from web.packages import services as packages
from web.packages.personal import without_secrets
from web.privacy.deletion import delete_account
from web.privacy.export import document
from web.profiles.forms import PersonalNodeForm
from web.site.version import version
from web.staff.queries import list_workers, load
from web.submissions import personal_report, queries, services
from web.submissions.models import CaseResult, Event, Job, Listing, Progress, Submission
from web.submissions.models import Report as Stored
from web.submissions.personal_report import read_report
from web.submissions.queue_position import queue_positions
from web.submissions.services import PersonalNodeUnavailable
from web.submissions.usage import by_node, total

from .test_node_join import the_site

pytestmark = pytest.mark.django_db

SITE = "https://court.example.org"
SAID = {"version": version(), "hardware": "CPU"}
"""What a node says about itself."""


class ANode:
    """A joined personal node, as its owner can use it: with requests of any content."""

    def __init__(self, owner: User, name: str = "desk") -> None:
        settings = ask_to_join(invite_personal(owner, name, SITE), the_site())
        self.settings = settings
        self.row = PersonalNode.objects.get(owner=owner, name=name)

    def post(self, path: str, body: object, key: str = "") -> Any:
        key = key or self.settings["WARPCOURT_NODE_KEY"]
        return Client().post(
            f"/api/v1/personal/{path}",
            json.dumps(body),
            content_type="application/json",
            headers={"Authorization": f"Bearer {key}"},
        )

    def claim(self) -> dict[str, Any] | None:
        run: dict[str, Any] | None = self.post("claim", SAID).json()["run"]
        return run

    def report(self, run: dict[str, Any], report: Report | dict[str, Any]) -> Any:
        body = to_json(report) if isinstance(report, Report) else report
        return self.post(f"runs/{run['id']}/{run['attempt']}/report", body)


@pytest.fixture
def open_problem(problem: Problem, tmp_path: Path) -> Problem:
    """The shipped problem, whose reference is open."""
    shutil.copytree(problems_root() / "vector-add", tmp_path / "vector-add")
    packages.load_site(tmp_path)
    Problem.objects.update(on_personal_nodes=True)
    problem.refresh_from_db()
    return problem


@pytest.fixture
def desk(owner: User) -> ANode:
    """The owner's node, which runs."""
    node = ANode(owner)
    node.claim()
    return node


@pytest.fixture
def run_of(open_problem: Problem) -> Callable[..., Submission]:
    """Runs a program of a user on the user's own node."""

    def submit(user: User, **more: Any) -> Submission:
        asked: dict[str, Any] = {"mode": Mode.RUN, "personal_node": True, **more}
        open_problem.refresh_from_db()
        return services.submit(user, open_problem, language=Language.CUDA, source="int x;", **asked)

    return submit


# What its owner gets


def test_a_node_gets_a_key_and_no_credentials(owner: User) -> None:
    settings = ANode(owner).settings
    assert settings.keys() == {"WARPCOURT_SITE_URL", "WARPCOURT_NODE_KEY", "version"}
    assert settings["WARPCOURT_SITE_URL"] == SITE
    assert settings["WARPCOURT_NODE_KEY"] not in str(PersonalNode.objects.values_list())


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


def test_the_last_node_takes_its_waiting_runs_along(owner: User, desk: ANode, run_of, browser_of) -> None:
    taken, waiting = run_of(owner), run_of(owner)
    desk.claim()
    browser = browser_of(owner)
    page = browser.get("/account/nodes").content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token
    browser.post(f"/account/nodes/{desk.row.pk}/remove", {"csrfmiddlewaretoken": token[1]})
    assert not PersonalNode.objects.exists()
    for submission in (taken, waiting):
        assert Stored.objects.get(submission=submission).verdict == "cancelled"
    assert desk.post("claim", SAID).status_code == 401


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


@pytest.mark.parametrize(
    ("site", "safe"),
    [
        ("http://court.example.org", False),
        ("http://localhost@court.example.org", False),
        ("http://127.0.0.1.example.org", False),
        ("http://127.0.0.1:8000", True),
        (SITE, True),
    ],
)
def test_a_site_without_https_invites_no_node(owner: User, site: str, safe: bool) -> None:
    if safe:
        assert invite_personal(owner, "desk", site).site == site
        return
    with pytest.raises(PersonalNodeRefused, match="Ask the operator to serve the site over HTTPS"):
        invite_personal(owner, "desk", site)
    assert not PersonalNode.objects.exists()


def test_the_page_links_the_run_that_a_node_judges(owner: User, desk: ANode, run_of, client: Client) -> None:
    submission = run_of(owner)
    ANode(owner, "laptop").claim()
    client.force_login(owner)
    page = client.get("/account/nodes").content.decode()
    assert "Judging" in page
    assert f'href="/s/{submission.public_id}"' in page
    Job.objects.update(lease_until=timezone.now() - timedelta(hours=1))
    assert "Judging" not in client.get("/account/nodes").content.decode()


def test_a_run_without_any_node_left_is_ended_by_the_sweep(owner: User, desk: ANode, run_of) -> None:
    submission = run_of(owner)
    assert services.sweep().concluded == 0
    PersonalNode.objects.all().delete()  # by staff, or while the run was submitted
    assert services.sweep().concluded == 1
    assert "no node left" in Stored.objects.get(submission=submission).message


def test_the_invitation_ends_with_the_account(owner: User) -> None:
    token = invite_personal(owner, "desk", SITE)
    PersonalNode.objects.all().delete()
    with pytest.raises(HandshakeFailed, match="refuses the token"):
        ask_to_join(token, the_site())
    assert not AuditEntry.objects.filter(kind=AuditKind.NODE_JOIN).exists()
    NodeInvitation.objects.all().delete()
    invite_personal(owner, "desk", SITE)
    delete_account(owner)
    assert not NodeInvitation.objects.exists()
    assert not PersonalNode.objects.exists()


def test_a_user_has_few_nodes_with_different_names(owner: User, teammate: User) -> None:
    for number in range(MOST):
        invite_personal(owner, f"desk-{number}", SITE)
        with pytest.raises(PersonalNodeRefused):
            invite_personal(owner, "desk-0", SITE)
    with pytest.raises(PersonalNodeRefused, match="the maximum"):
        invite_personal(owner, "another", SITE)
    invite_personal(teammate, "desk-0", SITE)
    first = PersonalNode.objects.filter(owner=owner).first()
    assert first is not None
    remove_node(first)
    assert NodeInvitation.objects.count() == MOST


def test_the_export_of_an_account_contains_its_nodes(owner: User, desk: ANode) -> None:
    kept = json.loads("".join(document(owner)))
    assert [node["name"] for node in kept["personal_nodes"]] == ["desk"]
    assert desk.settings["WARPCOURT_NODE_KEY"] not in json.dumps(kept)
    assert desk.row.digest not in json.dumps(kept)


def test_staff_see_no_waiting_runs_of_personal_nodes(owner: User, desk: ANode, run_of) -> None:
    run_of(owner)
    Job.objects.update(queued=timezone.now() - timedelta(hours=1))
    assert submissions_waiting() == {}
    assert queries.count_waiting() == 0
    assert queries.oldest_wait_s() == 0
    assert not wake(personal_queue(owner.pk))
    assert wake_for({personal_queue(owner.pk): 5}) == 0


# What a forger does not get


def test_a_node_gets_nothing_of_another_user(
    owner: User, teammate: User, desk: ANode, run_of, handed_in
) -> None:
    ANode(teammate).claim()
    theirs = run_of(teammate)
    handed_in(teammate)
    handed_in(owner)  # of its owner, but it ranks
    assert desk.claim() is None
    other = ANode(teammate, "laptop").claim()
    assert other is not None
    assert other["id"] == theirs.public_id
    for path, body in (
        ("extend", SAID),
        ("return", {"failed": False}),
        ("report", to_json(Report(Verdict.ACCEPTED))),
    ):
        answer = desk.post(f"runs/{other['id']}/{other['attempt']}/{path}", body)
        assert answer.status_code == 404 or answer.json() == {"hold": "lost"}
    assert Job.objects.get(submission=theirs).state == JobState.LEASED


def test_no_worker_of_the_site_takes_runs_of_personal_nodes(owner: User, desk: ANode, run_of) -> None:
    run_of(owner)
    assert services.claim("node-1:1", gpu_models=["NVIDIA H200", f"personal.{owner.pk}"]) is None


def test_a_node_cannot_claim_what_ranks(owner: User, desk: ANode, run_of, handed_in) -> None:
    with pytest.raises(PersonalNodeUnavailable, match="judges only runs"):
        run_of(owner, mode=Mode.SUBMIT)
    submission = handed_in(owner)
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.filter(pk=submission.pk).update(personal_node=True)
    ranked = Job.objects.get()
    Job.objects.update(queue=personal_queue(owner.pk))  # as if our own code had queued it there
    assert desk.claim() is None
    assert ranked.submission.personal_node is False
    assert not Progress.objects.filter(solved__isnull=False).exists()


def test_a_forged_verdict_counts_nowhere(owner: User, desk: ANode, run_of) -> None:
    submission = run_of(owner)
    run = desk.claim()
    assert run is not None
    timing = Timing(1.0, 0.9, 1.1, 3)
    forged = Report(
        Verdict.ACCEPTED,
        cases=(
            CaseReport("hbm", Group.TIMED, public=True, verdict=Verdict.ACCEPTED, timing=timing),
            CaseReport("odd", Group.ODD, public=False, verdict=Verdict.ACCEPTED),
        ),
        stages=(StageTime(Stage.CHECK.value, 9e9),),
        environment={"gpu": "NVIDIA H200", "problem_version": "forged", "nvcc": "13.0"},
        score=Score(1.0, 0.9, 1.1),
        listings={"ptx": "x" * 100},
    )
    assert desk.report(run, forged).json() == {"recorded": True}
    stored = Stored.objects.get(submission=submission)
    assert (stored.ranked, stored.score_us, stored.version) == (False, None, submission.package.version)
    assert (stored.gpu_ms, stored.cpu_ms) == (0, 0)
    assert list(CaseResult.objects.values_list("name", "median_us")) == [("hbm", None)]
    assert not Listing.objects.exists()
    progress = Progress.objects.get()
    assert (progress.runs, progress.judged, progress.accepted, progress.solved) == (1, 0, 0, None)
    hour = timedelta(hours=1)
    assert total(timezone.now() - hour, timezone.now() + hour).gpu_ms == 0


def shown(**changes: Any) -> dict[str, Any]:
    output = ShownOutput("c", (4,), (1, 2), ("1", "2"), ("1", "2"), (1,), None, (1, 4), (0, 0, 0, 1))
    case = CaseReport(
        "example",
        Group.SAMPLE,
        public=True,
        verdict=Verdict.WRONG_ANSWER,
        outputs=(output,),
        inputs=(ShownInput("a", (4,), (1, 2), ("1", "2")),),
        mismatches=(Mismatch("c", (0,), "1", "2", 1.0, 1.0),),
    )
    body = to_json(Report(Verdict.WRONG_ANSWER, cases=(case,)))
    body["cases"][0]["outputs"][0].update(changes)
    return body


def with_scalar_without_value() -> dict[str, Any]:
    body = shown()
    body["cases"][0]["inputs"][0].update(shape=[], corner=[0, 1], values=[])
    return body


def test_a_report_of_another_form_is_refused(owner: User, desk: ANode, run_of) -> None:
    run_of(owner)
    run = desk.claim()
    assert run is not None
    bodies: list[dict[str, Any]] = [
        {},
        {"verdict": "perfect"},
        {"verdict": "internal_error"},
        {"verdict": "accepted", "cases": [1]},
        {"verdict": "accepted", "environment": {"gpu": 7}},
        {"verdict": "accepted", "stages": [{"name": "check", "ms": 1e300}]},
        {"verdict": "accepted", "stages": [{"name": "check", "ms": ms} for ms in (1e15, -1e15, 1e-310)]},
        shown(corner=[3, 0], values=[], expected=[], wrong=[]),
        with_scalar_without_value(),
        shown(corner=[2, 2]),
        shown(corner=[-1, -2]),
        shown(corner=[10**9, 10**9]),
        shown(wrong=[7]),
        shown(wrong=[-1]),
        shown(grid=[3, 3]),
        shown(counts=[-1, 0, 0, 0]),
        shown(shape=[-4]),
        shown(expected=["1"]),
        shown(shape=[0]),
        shown(shape=[9] * 9),
        shown(shape=[1], counts=[0, 0, 1, 1]),
        {"verdict": "accepted", "cases": shown()["cases"] * 65},
        {"verdict": "accepted", "kernels": [1] * 65},
    ]
    for body in bodies:
        assert desk.report(run, body).status_code == 422, body
    assert not Stored.objects.exists()


def test_a_report_with_too_many_entries_is_refused_before_its_types_are_read(
    owner: User, desk: ANode, run_of, monkeypatch
) -> None:
    run_of(owner)
    run = desk.claim()
    assert run is not None
    (case,) = shown()["cases"]
    (output,) = case["outputs"]
    monkeypatch.setattr(personal_report, "_ADAPTER", None)  # one error for each wrong entry, gigabytes in all
    wide = {**output, "values": ["1"] * 256, "expected": ["1"] * 256}
    for cases in ([1] * 100_000, [{**case, "outputs": [output] * 5000}], [{**case, "outputs": [wide]}] * 64):
        answer = desk.report(run, {"verdict": "accepted", "cases": cases})
        assert answer.status_code == 422
        assert "too many entries" in answer.json()["error"]["message"]


def test_what_a_judge_shows_is_not_too_much() -> None:
    output = ShownOutput(
        "c", (999, 999), (8, 8), ("1",) * 64, ("2",) * 64, (*range(64),), None, (16, 16), (9,) * 256
    )
    wrong = (Mismatch("c", (1, 2), "1", "2", 1.0, 1.0),) * 10
    case = CaseReport(
        "a",
        Group.SAMPLE,
        public=True,
        verdict=Verdict.WRONG_ANSWER,
        outputs=(output,) * 3,
        mismatches=wrong * 3,
    )
    body = json.loads(json.dumps(to_json(Report(Verdict.WRONG_ANSWER, cases=(case,) * 16))))
    assert len(read_report(body, node="desk").cases) == 16


def test_a_body_that_cannot_be_read_is_an_error_of_the_node(owner: User, desk: ANode, run_of) -> None:
    run_of(owner)
    run = desk.claim()
    assert run is not None
    key = desk.settings["WARPCOURT_NODE_KEY"]
    for content in ("[" * 100_000, '{"a":' * 100_000, "[1]", "9" * 100_000, ""):
        answer = Client().post(
            f"/api/v1/personal/runs/{run['id']}/{run['attempt']}/report",
            content,
            content_type="application/json",
            headers={"Authorization": f"Bearer {key}"},
        )
        assert 400 <= answer.status_code < 500, content[:10]


def test_a_forged_report_is_in_no_statistics_of_the_site(owner: User, desk: ANode, run_of) -> None:
    run_of(owner)
    run = desk.claim()
    assert run is not None
    assert tasks_held() == []
    Job.objects.update(lease_until=timezone.now() - timedelta(hours=1))
    assert (load([]).leased, load([]).expired) == (0, 0)
    Job.objects.update(lease_until=timezone.now() + timedelta(hours=1))
    desk.report(run, Report(Verdict.ACCEPTED, environment={"nvcc": "forged"}))
    hour = timedelta(hours=1)
    period = (timezone.now() - hour, timezone.now() + hour)
    assert total(*period).submissions == 0
    assert (by_node(*period), list_workers()) == ([], [])
    assert guide_page(SITE).versions == []


def test_texts_of_a_report_are_bounded_clean_and_escaped(
    owner: User, desk: ANode, run_of, browser_of
) -> None:
    submission = run_of(owner)
    run = desk.claim()
    assert run is not None
    attack = "<script>alert(1)</script>\x1b[2J\x00"
    body = shown(argument=attack * 400)
    body |= {"message": attack, "log": attack * 4000, "environment": {"gpu": attack * 20, "x": attack}}
    assert desk.report(run, body).json() == {"recorded": True}
    page = browser_of(owner).get(f"/s/{submission.public_id}").content.decode()
    assert "<script>alert" not in page
    stored = Stored.objects.get()
    assert "\x1b" not in json.dumps(stored.body)
    assert (
        max(len(text) for text in (stored.message, stored.parsed.log, *stored.parsed.environment.values()))
        <= 65537
    )
    assert len(stored.gpu_model) <= 120


def test_a_profile_with_impossible_lines_is_shown(owner: User, desk: ANode, run_of, browser_of) -> None:
    submission = run_of(owner)
    run = desk.claim()
    assert run is not None
    metrics = {"samples": 1.0}
    for_line = [InstructionProfile(line, "MOV R1", metrics) for line in (-(2**40), 0, 1, 2**40)]
    profile = Profile(lines=(LineProfile(-1, metrics),), instructions=tuple(for_line))
    assert desk.report(run, Report(Verdict.ACCEPTED, profile=profile)).json() == {"recorded": True}
    assert browser_of(owner).get(f"/s/{submission.public_id}").status_code == 200


def test_keys_and_tokens_do_not_open_each_others_doors(owner: User, desk: ANode) -> None:
    _, secret = issue_token(owner, name="cli", scope=Scope.AUTHOR, lifetime=timedelta(days=1))
    assert desk.post("claim", SAID, key=secret).status_code == 401
    assert desk.post("claim", SAID, key="wcn_wrong").status_code == 401
    key = desk.settings["WARPCOURT_NODE_KEY"]
    assert Client().get("/api/v1/submissions", headers={"Authorization": f"Bearer {key}"}).status_code == 401
    owner.is_active = False
    owner.save()
    assert desk.post("claim", SAID).status_code == 401


def test_a_node_acts_only_on_what_it_holds_itself(owner: User, desk: ANode, run_of) -> None:
    run_of(owner)
    run = desk.claim()
    assert run is not None
    laptop = ANode(owner, "laptop")
    assert laptop.report(run, Report(Verdict.ACCEPTED)).status_code == 404
    delete_account(owner)
    assert desk.report(run, Report(Verdict.ACCEPTED)).status_code == 401


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


@pytest.mark.parametrize("name", ["a\x1b[2J", "a\u202eb", "a\nb", "\ud800"])
def test_the_name_of_a_node_has_no_control_characters(name: str) -> None:
    assert PersonalNodeForm({"name": "desk 1 (büro)"}).is_valid()
    assert not PersonalNodeForm({"name": name}).is_valid()


def test_an_invited_node_is_none_before_it_joins(owner: User) -> None:
    token = invite_personal(owner, "desk", SITE)
    assert token.site == SITE
    assert PersonalNode.objects.get().joined is None
    assert "live" not in str(PersonalNode.objects.get())


def test_the_page_says_whether_a_token_can_still_be_used(owner: User, client: Client) -> None:
    invite_personal(owner, "desk", SITE)
    client.force_login(owner)
    assert "Invited" in client.get("/account/nodes").content.decode()
    NodeInvitation.objects.update(expires=timezone.now() - timedelta(minutes=1))
    page = client.get("/account/nodes").content.decode()
    assert "Token expired" in page
    assert "Invited" not in page


@pytest.mark.parametrize("slug", ["layer-norm", "softmax", "vector-add"])
def test_the_public_part_has_no_hidden_case_and_no_solution(slug: str) -> None:
    folder = problems_root() / slug
    whole, public = load_problem(folder), without_secrets(read_folder(folder))
    with as_folder(public) as copy:
        cases = [case for case in load_problem(copy).cases if case.public]
    assert cases == [case for case in whole.cases if case.public]
    assert public.files.keys() <= {
        "problem.toml",
        "reference.py",
        "checker.py",
        "statement.md",
        "solutions/stand-in.cu",
    }
    text = public.files["problem.toml"].decode()
    for case in whole.cases:
        assert case.public or f'"{case.name}"' not in text
    for solution in whole.solutions:
        assert solution.path.name not in text
        assert solution.note not in text


def test_a_problem_that_no_longer_allows_it_is_not_given(owner: User, desk: ANode, run_of) -> None:
    submission = run_of(owner)
    Problem.objects.update(on_personal_nodes=False)
    assert desk.claim() is None
    assert "no longer allows" in Stored.objects.get(submission=submission).message
    with pytest.raises(PersonalNodeUnavailable, match="does not allow runs on personal nodes"):
        run_of(owner)


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
