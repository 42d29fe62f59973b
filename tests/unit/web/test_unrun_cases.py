"""Cases that were not run because the program ended at an earlier one: shown everywhere, hidden as before."""

from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from rich.console import Console

from judge.report import CaseReport, Report
from problems.vocabulary import Group, Language, Mode, Verdict
from tests.unit.problems.packages import DESCRIPTION, write_package
from tests.unit.web.figures import record
from web.accounts.services import issue_token
from web.catalog.models import Problem
from web.cli import show
from web.submissions import services

pytestmark = pytest.mark.django_db
SECRET = "101"
MORE = f"""
[[cases]]
name = "odd-two"
group = "odd"
sizes = {{ rows = {SECRET}, cols = 1 }}

[[cases]]
name = "timed-one"
group = "timed"
sizes = {{ rows = 4096, cols = 4096 }}

[[solutions]]"""
EXAMPLE = CaseReport(
    "example", Group.SAMPLE, public=True, verdict=Verdict.ACCEPTED, sizes={"rows": 1, "cols": 3}
)
ODD = CaseReport(
    "odd-one", Group.ODD, public=False, verdict=Verdict.ILLEGAL_ACCESS, sizes={"rows": 5, "cols": 3}
)
FAILED = Report(Verdict.ILLEGAL_ACCESS, cases=(EXAMPLE, ODD))


@pytest.fixture
def scale(db, settings, tmp_path) -> Problem:
    folder = tmp_path / "problems"
    write_package(folder, problem_toml=DESCRIPTION.replace("\n[[solutions]]", MORE, 1))
    settings.WARPCOURT = replace(settings.WARPCOURT, problems_dir=folder, data_dir=tmp_path / "data")
    call_command("loadproblems", stdout=StringIO())
    return Problem.objects.get(slug="scale")


@pytest.fixture
def judged(scale, owner):
    def judge(report: Report = FAILED, **more):
        submission = services.submit(owner, scale, language=Language.CUDA, source="x", **more)
        return record(submission, report)

    return judge


def page_of(client, viewer, submission) -> str:
    client.force_login(viewer)
    return client.get(f"/s/{submission.public_id}").content.decode()


def answer_of(client, viewer, submission) -> dict[str, Any]:
    token = {"Authorization": f"Bearer {issue_token(viewer, name='test')[1]}"}
    return client.get(f"/api/v1/submissions/{submission.public_id}", headers=token).json()


def test_the_page_shows_every_case(judged, owner, client):
    page = page_of(client, owner, judged())
    assert page.count('<span class="lane ') == 4
    assert "1 of 4 cases passed, 2 not run" in page
    assert 'title="odd 2: not run"' in page
    assert 'title="large 1: not run"' in page
    assert page.count(">Not run<") == 2


def test_hidden_cases_keep_their_names_and_sizes(judged, owner, staff, client):
    submission = judged()
    for shown in (page_of(client, owner, submission), str(answer_of(client, owner, submission))):
        assert SECRET not in shown
        assert "odd-two" not in shown
    assert f"rows={SECRET}" in page_of(client, staff, submission)


def test_the_api_and_the_command_line_say_the_same(judged, owner, client):
    answer = answer_of(client, owner, judged())
    assert answer["not_run"] == [
        {"name": "large 1", "group": "large", "public": False, "sizes": {}},
        {"name": "odd 2", "group": "odd", "public": False, "sizes": {}},
    ]
    out = StringIO()
    Console(file=out, width=120).print(show.submission(answer))
    assert "1 of 4 cases passed, 2 not run" in out.getvalue()
    assert out.getvalue().count("not run") == 3


def test_on_a_gpu_the_timed_cases_are_counted_too(judged, owner, client):
    report = replace(FAILED, environment={"gpu": "NVIDIA H200"})
    assert [case["name"] for case in answer_of(client, owner, judged(report))["not_run"]] == [
        *("large 1", "odd 2", "timed 1")
    ]


@pytest.mark.parametrize(
    ("report", "mode"),
    [
        (Report(Verdict.COMPILE_ERROR), Mode.SUBMIT),
        (Report(Verdict.ACCEPTED, cases=(EXAMPLE,)), Mode.SUBMIT),
        (Report(Verdict.WRONG_ANSWER, cases=(replace(EXAMPLE, name="custom"),)), Mode.RUN),
        (Report(Verdict.WRONG_ANSWER, cases=(EXAMPLE,)), Mode.RUN),
        (replace(FAILED, environment={"problem_version": "another"}), Mode.SUBMIT),
    ],
)
def test_other_reports_name_no_further_cases(judged, owner, client, report, mode):
    assert answer_of(client, owner, judged(report, mode=mode))["not_run"] == []


def test_a_version_is_read_once(judged, owner, client, monkeypatch):
    submission = judged()
    page_of(client, owner, submission)
    monkeypatch.setattr("web.packages.cases.load_problem", None)
    assert "2 not run" in page_of(client, owner, submission)


def test_a_damaged_package_hides_nothing_else(judged, owner, client, monkeypatch):
    def fail(*_):
        raise OSError

    submission = judged()
    monkeypatch.setattr("web.packages.cases._cases", fail)
    assert "1 of 2 cases passed<" in page_of(client, owner, submission)
