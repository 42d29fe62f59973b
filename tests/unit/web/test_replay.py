"""Replays on the site: storage, the page, its data, and who sees them."""

import gzip
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judge.replay.packed import pack, unpack
from judge.replay.recorded import parse_trace
from judge.report import Diagnostic, Replay, Report
from problems.loader import load_problem
from problems.vocabulary import Language, Mode, Severity, Verdict
from tests.traces import raw_trace
from tests.unit.web.figures import record
from web.accounts.models import User
from web.config import ROOT
from web.submissions import models, services
from web.submissions.models import Submission
from web.submissions.services.attachments import KEPT_REPLAYS
from web.upkeep.retention import prune

pytestmark = pytest.mark.django_db
RACE = Diagnostic(
    Severity.WARNING, "race", "race on byte 4 <b>", kernel="add", block=(1, 0, 0), thread=(3, 0, 0), line=1
)


def packed() -> bytes:
    problem = load_problem(ROOT / "problems" / "vector-add")
    trace = parse_trace(raw_trace([(0, 0, 1, 1, 0, 0, 0, 4, 0, 0)], [256]))
    assert trace is not None
    return pack(trace, problem, problem.cases[0])


def report(*found: Diagnostic) -> Report:
    return Report(Verdict.ACCEPTED, diagnostics=found, replay=Replay("sample", packed()))


def poster(user: User) -> Client:
    """A signed-in client that needs no CSRF token."""
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def submission(owner, handed_in) -> Submission:
    return record(handed_in(owner, mode=Mode.RUN), report(RACE))


@pytest.mark.parametrize(("verdict", "offered"), [("wrong_answer", True), ("compile_error", False)])
def test_only_a_program_that_compiles_offers_a_replay(browser_of, owner, handed_in, verdict, offered):
    judged = record(handed_in(owner), Report(Verdict(verdict)))
    page = browser_of(owner).get(f"/s/{judged.public_id}").content.decode()
    assert (f'action="/s/{judged.public_id}/replay/run"' in page) is offered


def test_a_program_that_does_not_compile_is_not_run_for_a_replay(browser_of, owner, handed_in):
    judged = record(handed_in(owner), Report(Verdict.COMPILE_ERROR))
    page = browser_of(owner).get(f"/s/{judged.public_id}/replay").content.decode()
    assert "does not compile" in page
    assert "<form" not in page.partition("<main")[2].partition("</main")[0]
    assert poster(owner).post(f"/s/{judged.public_id}/replay/run").status_code == 403
    assert Submission.objects.count() == 1


def test_the_page_has_the_source_the_findings_and_the_address_of_the_data(browser_of, owner, submission):
    page = browser_of(owner).get(f"/s/{submission.public_id}/replay").content.decode()
    assert f'data-source="/s/{submission.public_id}/replay.bin"' in page
    assert 'data-mark="1"' in page
    assert 'data-show="1" data-at-kind="race" data-at-kernel="add" data-at-block="1,0,0"' in page
    assert 'data-at-thread="3,0,0"' in page
    assert "Race on byte 4 &lt;b&gt;" in page
    assert "case sample" in page


def test_the_data_are_sent_as_they_are_stored(browser_of, owner, submission):
    answer = browser_of(owner).get(f"/s/{submission.public_id}/replay.bin")
    assert answer["Content-Encoding"] == "gzip"
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer.content == packed()
    assert gzip.decompress(answer.content)[:4] == b"WRP1"
    assert unpack(answer.content)[0]["events"] == 1


@pytest.mark.parametrize("path", ["replay", "replay.bin"])
def test_others_do_not_see_it(browser_of, teammate, stranger, staff, submission, path):
    for person in (teammate, stranger):
        assert browser_of(person).get(f"/s/{submission.public_id}/{path}").status_code == 404
    assert browser_of(staff).get(f"/s/{submission.public_id}/{path}").status_code == 200


def test_the_page_of_the_run_leads_to_its_replay(browser_of, owner, submission):
    page = browser_of(owner).get(f"/s/{submission.public_id}").content.decode()
    assert f'href="/s/{submission.public_id}/replay"' in page
    assert "Record a replay" not in page


def test_the_author_can_run_a_submission_for_a_replay(browser_of, owner, handed_in):
    judged = record(handed_in(owner), Report(Verdict.ACCEPTED))
    client = browser_of(owner)
    assert client.get(f"/s/{judged.public_id}/replay.bin").status_code == 404
    assert "Record a replay" in client.get(f"/s/{judged.public_id}/replay").content.decode()
    answer = poster(owner).post(f"/s/{judged.public_id}/replay/run")
    run = Submission.objects.exclude(pk=judged.pk).first()
    assert run is not None
    assert (run.mode, run.source, run.user_id) == (Mode.RUN.value, judged.source, owner.pk)
    assert answer["Location"] == f"/s/{run.public_id}"


def test_only_the_author_can_run_it(browser_of, owner, staff, teammate, handed_in):
    judged = record(handed_in(owner), Report(Verdict.ACCEPTED))
    address = f"/s/{judged.public_id}/replay"
    assert poster(staff).post(f"{address}/run").status_code == 403
    assert poster(teammate).post(f"{address}/run").status_code == 404
    assert "Record a replay" not in browser_of(staff).get(address).content.decode()


def test_other_languages_are_told_so(browser_of, owner, handed_in):
    judged = record(handed_in(owner, language=Language.TRITON), Report(Verdict.ACCEPTED))
    client = browser_of(owner)
    page = client.get(f"/s/{judged.public_id}/replay").content.decode()
    assert "Only CUDA C++ programs have a replay" in page
    assert poster(owner).post(f"/s/{judged.public_id}/replay/run").status_code == 403


def test_two_runs_are_compared(browser_of, owner, handed_in, submission):
    other = record(handed_in(owner, mode=Mode.RUN, source="// other"), report())
    client = browser_of(owner)
    page = client.get(f"/s/{submission.public_id}/replay?with={other.public_id}").content.decode()
    assert page.count('data-widget="replay"') == 2
    assert "Step both together" in page
    missing = client.get(f"/s/{submission.public_id}/replay?with=unknown")
    assert missing.status_code == 404
    assert "has no replay" in missing.content.decode()


@pytest.mark.parametrize("name", ["%00", "a%00b", "%F0%9F%92%A5", "x" * 500])
def test_the_database_is_not_asked_for_what_cannot_be_an_id(browser_of, owner, submission, name):
    """PostgreSQL does not accept NUL."""
    address, client = f"/s/{submission.public_id}/replay", browser_of(owner)
    client.get(address)
    with CaptureQueriesContext(connection) as alone:
        client.get(address)
    with CaptureQueriesContext(connection) as compared:
        assert client.get(f"{address}?with={name}").status_code == 404
    assert len(compared) == len(alone)


def test_others_runs_are_not_offered(browser_of, owner, teammate, handed_in, submission):
    foreign = record(handed_in(teammate, mode=Mode.RUN), report())
    client = browser_of(owner)
    assert foreign.public_id not in client.get(f"/s/{submission.public_id}/replay").content.decode()
    assert client.get(f"/s/{submission.public_id}/replay?with={foreign.public_id}").status_code == 404


def test_the_latest_replays_of_a_user_are_kept(owner, teammate, handed_in, submission, settings):
    settings.WARPCOURT = replace(settings.WARPCOURT, submits_per_minute=1000)
    record(handed_in(teammate, mode=Mode.RUN), report())
    for number in range(KEPT_REPLAYS):
        record(handed_in(owner, mode=Mode.RUN, source=f"// {number}"), report())
    kept = models.Replay.objects.filter(user=owner)
    assert kept.count() == KEPT_REPLAYS
    assert not kept.filter(report__submission=submission).exists()
    assert models.Replay.objects.filter(user=teammate).count() == 1


def test_old_replays_are_pruned(submission):
    now = timezone.now()
    assert prune(0, now + timedelta(days=29)).replays == 0
    assert prune(0, now + timedelta(days=31)).replays == 1
    assert not models.Replay.objects.exists()
    assert Submission.objects.get(pk=submission.pk).report.verdict == "accepted"


def test_a_rejudge_removes_the_old_replay(submission):
    assert services.rejudge(submission)
    assert not models.Replay.objects.exists()
