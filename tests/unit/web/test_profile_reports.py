"""Tests the files of Nsight Compute on the site: storage, downloads, access and deletion."""

import json
from base64 import b64decode
from dataclasses import replace
from datetime import timedelta
from random import Random

import httpx
import pytest
from django.test import Client
from django.utils import timezone
from typer.testing import CliRunner

from judge.report import KernelProfile, Profile, Report
from problems.vocabulary import Mode, Verdict
from tests.unit.web.figures import record
from web.accounts.models import Scope
from web.accounts.services import issue_token
from web.cli import terminal
from web.cli.app import app
from web.cli.client import Client as Site
from web.cli.credentials import Credentials
from web.privacy.export import document
from web.submissions import models
from web.submissions.models import Submission
from web.submissions.services.attachments import KEPT_PROFILE_REPORTS
from web.upkeep.retention import prune

pytestmark = pytest.mark.django_db
PROFILE = Profile((KernelProfile("add", (1, 1, 1), (256, 1, 1), {"duration_ns": 5.0}),))
CONTENT = b"<script>NVR\0\xff" + Random(1).randbytes(20_000)


def report(content: bytes | None = CONTENT, profile: Profile | None = PROFILE) -> Report:
    return Report(Verdict.ACCEPTED, profile=profile, profile_report=content)


@pytest.fixture
def submission(owner, handed_in) -> Submission:
    return record(handed_in(owner, mode=Mode.RUN), report())


def test_the_page_offers_the_file(browser_of, owner, submission):
    page = browser_of(owner).get(f"/s/{submission.public_id}").content.decode()
    assert f'href="/s/{submission.public_id}/profile.ncu-rep"' in page
    assert "19.5\xa0KB" in page


def test_browsers_download_it_and_do_not_guess_its_type(browser_of, owner, submission):
    answer = browser_of(owner).get(f"/s/{submission.public_id}/profile.ncu-rep")
    assert answer.content == CONTENT
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"] == f'attachment; filename="{submission.public_id}.ncu-rep"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer["Cache-Control"]


def test_only_users_who_may_see_the_source_get_it(browser_of, teammate, stranger, staff, submission):
    address = f"/s/{submission.public_id}/profile.ncu-rep"
    for person in (teammate, stranger):
        assert browser_of(person).get(address).status_code == 404
    assert Client().get(address).status_code in {302, 404}
    assert browser_of(staff).get(address).content == CONTENT


@pytest.mark.parametrize(
    ("profile", "why"),
    [
        (replace(PROFILE, report_missing="The report is larger than 16 MiB."), "is larger than 16 MiB."),
        (PROFILE, "The site keeps the latest 10 reports of a user, for 7 days."),
    ],
)
def test_the_page_says_why_there_is_no_file(browser_of, owner, handed_in, profile, why):
    run = record(handed_in(owner, mode=Mode.RUN), report(None, profile))
    client = browser_of(owner)
    assert why in client.get(f"/s/{run.public_id}").content.decode()
    assert client.get(f"/s/{run.public_id}/profile.ncu-rep").status_code == 404


def test_runs_without_a_profile_say_nothing_about_it(browser_of, owner, handed_in):
    run = record(handed_in(owner, mode=Mode.RUN), Report(Verdict.ACCEPTED))
    client = browser_of(owner)
    assert "Nsight Compute is not available" not in client.get(f"/s/{run.public_id}").content.decode()
    assert client.get(f"/s/{run.public_id}/profile.ncu-rep").status_code == 404


def test_the_latest_files_of_a_user_are_kept(owner, teammate, handed_in, submission, settings):
    settings.WARPCOURT = replace(settings.WARPCOURT, submits_per_minute=1000)
    record(handed_in(teammate, mode=Mode.RUN), report())
    for number in range(KEPT_PROFILE_REPORTS):
        record(handed_in(owner, mode=Mode.RUN, source=f"// {number}"), report())
    kept = models.ProfileReport.objects.filter(user=owner)
    assert kept.count() == KEPT_PROFILE_REPORTS
    assert not kept.filter(report__submission=submission).exists()
    assert models.ProfileReport.objects.filter(user=teammate).count() == 1


def test_files_are_deleted_after_a_week(browser_of, owner, submission):
    assert prune(90).profile_reports == 0
    models.ProfileReport.objects.update(created=timezone.now() - timedelta(days=8))
    assert prune(90).profile_reports == 1
    page = browser_of(owner).get(f"/s/{submission.public_id}").content.decode()
    assert "for 7 days" in page


def test_the_data_export_contains_the_files(owner, teammate, handed_in, submission):
    record(handed_in(teammate, mode=Mode.RUN), report(b"foreign"))
    (row,) = json.loads("".join(document(owner)))["profile_reports"]
    assert row["submission"] == submission.public_id
    assert b64decode(row["base64"]) == CONTENT


def test_the_api_links_the_file(client, owner, submission, handed_in):
    _, secret = issue_token(owner, name="laptop", scope=Scope.READ)
    headers = {"Authorization": f"Bearer {secret}"}
    body = client.get(f"/api/v1/submissions/{submission.public_id}", headers=headers).json()
    assert body["profile_report"]["size_bytes"] == len(CONTENT)
    answer = client.get(body["profile_report"]["url"], headers=headers)
    assert answer.content == CONTENT
    assert answer["X-Content-Type-Options"] == "nosniff"
    missing = replace(PROFILE, report_missing="Too large.")
    run = record(handed_in(owner, mode=Mode.RUN, source="// other"), report(None, missing))
    body = client.get(f"/api/v1/submissions/{run.public_id}", headers=headers).json()
    assert body["profile_report"] is None
    assert body["report"]["profile"]["report_missing"] == "Too large."
    gone = client.get(f"/api/v1/submissions/{run.public_id}/profile.ncu-rep", headers=headers)
    assert gone.status_code == 404


@pytest.fixture
def command(owner, monkeypatch, tmp_path):
    """Run the command line in a folder of the test. What it asks goes to the site's own views."""
    _, secret = issue_token(owner, name="laptop", scope=Scope.READ)
    browser = Client()

    def answer(request: httpx.Request) -> httpx.Response:
        given = browser.get(
            request.url.raw_path.decode(), headers={"Authorization": request.headers["authorization"]}
        )
        return httpx.Response(given.status_code, content=given.content)

    site = Site(Credentials("https://court.example.org", secret), httpx.MockTransport(answer))
    monkeypatch.setattr(terminal, "site", lambda: site)
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, words)


def test_the_command_line_saves_the_file(command, submission, tmp_path):
    done = command("status", submission.public_id, "--save-profile", "run.ncu-rep")
    assert done.exit_code == 0
    assert "is in run.ncu-rep" in done.stderr
    assert (tmp_path / "run.ncu-rep").read_bytes() == CONTENT
    again = command("status", submission.public_id, "--save-profile", "run.ncu-rep")
    assert "already exists" in again.stderr


def test_the_command_line_says_why_there_is_no_file(command, owner, handed_in, tmp_path):
    missing = replace(PROFILE, report_missing="The report is larger than 16 MiB.")
    run = record(handed_in(owner, mode=Mode.RUN), report(None, missing))
    done = command("status", run.public_id, "--save-profile", "run.ncu-rep")
    assert "no report of Nsight Compute to save. The report is larger than 16 MiB." in done.stderr
    assert not (tmp_path / "run.ncu-rep").exists()


def test_a_file_needs_a_profiled_run(command, tmp_path):
    (tmp_path / "add.cu").write_text("void solve() {}")
    assert "needs --run and --profile" in command("submit", "add.cu", "--save-profile", "x").stderr
    assert "needs the ID of a run" in command("status", "--save-profile", "x").stderr
