"""Tests reports of personal nodes whose owner forges everything."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

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
from problems.vocabulary import Group, Stage, Verdict
from tests.unit.web.personal_nodes.nodes import SITE, ANode
from web.accounts.models import User
from web.help.guide import guide_page
from web.jobs.queries import tasks_held
from web.staff.queries import list_workers, load
from web.submissions import personal_report
from web.submissions.models import CaseResult, Job, Listing, Progress
from web.submissions.models import Report as Stored
from web.submissions.personal_report import read_report
from web.submissions.usage import by_node, total

pytestmark = pytest.mark.django_db


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
