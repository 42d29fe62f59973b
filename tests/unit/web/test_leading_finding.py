"""Tests that the finding which explains a failure comes first on pages, in the API and in terminals."""

import io
import json
from dataclasses import replace

import pytest
from django.test import Client
from rich.console import Console

from judge.report import CaseReport, Diagnostic, Report
from problems.vocabulary import Group, Severity, Verdict
from tests.unit.web.figures import record
from web.accounts.models import User
from web.cli import show
from web.submissions.management.commands.judge import render

pytestmark = pytest.mark.django_db

MESSAGE = 'Identifier "threadidx" is undefined. Did you mean "threadIdx"?'
FIRST = Diagnostic(Severity.ERROR, "compiler", MESSAGE, line=3)
SECOND = Diagnostic(Severity.ERROR, "compiler", 'Expected a ";".', line=9)
LAUNCH = Diagnostic(Severity.NOTE, "launch", "add<<<(1,1,1), (4,1,1), 0>>>", kernel="add")
NOT_COMPILED = Report(
    Verdict.COMPILE_ERROR, message=FIRST.text, diagnostics=(FIRST, SECOND), log="solution.cu(3): error\n"
)
CASE = CaseReport("sample", Group.SAMPLE, public=True, verdict=Verdict.WRONG_ANSWER, message="half is wrong")
WRONG = Report(
    Verdict.WRONG_ANSWER,
    message="half is wrong",
    cases=(CASE,),
    diagnostics=(
        LAUNCH,
        Diagnostic(Severity.NOTE, "no_kernel", "solve() returned without launching a kernel."),
        Diagnostic(Severity.WARNING, "race", "race on byte 4 of shared memory.", kernel="add", line=2),
    ),
)
HOSTILE = Report(
    Verdict.COMPILE_ERROR,
    message="<script>",
    diagnostics=(Diagnostic(Severity.ERROR, "compiler", "<script>alert(1)</script>\x1b[2J", line=1),),
)


@pytest.fixture
def shown(client: Client, owner: User, handed_in):
    """The page of a submission of the owner's with a report."""
    client.force_login(owner)

    def look(report: Report, form: str = "") -> str:
        submission = record(handed_in(owner, source="a\nb\nc\n" * 4), report)
        return client.get(f"/s/{submission.public_id}{form}").content.decode()

    return look


def banner(page: str) -> str:
    return page.partition('<div class="banner ')[2].partition("</section>")[0].partition("data-announce")[0]


def test_the_banner_shows_the_first_finding_with_its_line_and_then_what_the_verdict_means(shown):
    page = shown(NOT_COMPILED)
    top = banner(page)
    assert top.index("&quot;threadidx&quot;") < top.index('#L3"') < top.index("The source did not compile")
    assert 'data-finding-line="3"' in top
    assert "More findings" in page
    assert 'data-finding-line="9"' in page
    assert page.count('data-finding-line="3"') == 1


def test_the_log_is_folded_away_where_findings_say_what_it_says(shown):
    assert "<summary>Compiler log</summary>" in shown(NOT_COMPILED)
    assert "<h3>Compiler log</h3>" in shown(Report(Verdict.COMPILE_ERROR, message="Too long.", log="x"))


def test_errors_lead_warnings_and_these_lead_notes(shown):
    page = shown(WRONG)
    assert "Race on byte 4 of shared memory." in banner(page)
    assert "kernel add" in banner(page)
    assert "half is wrong" in banner(page)
    assert "solve() returned without launching" in page.partition("More findings")[2]


def test_what_is_accepted_has_no_leading_finding(shown):
    page = shown(Report(Verdict.ACCEPTED, diagnostics=WRONG.diagnostics))
    assert "banner-finding" not in page
    assert "<h3>Findings</h3>" in page


def test_a_program_writes_no_markup_into_the_banner(shown):
    page = shown(HOSTILE)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in banner(page)


def test_the_api_names_it(shown):
    assert '"headline": {"severity": "error"' in shown(NOT_COMPILED, ".json").replace("\n", "").replace(
        "  ", ""
    )


def test_the_api_explains_it(shown):
    body = json.loads(shown(WRONG, ".json"))["report"]["diagnosis"]
    assert (body["findings"][0]["kind"], body["findings"][0]["url"]) == ("race", "/learn/findings/race")
    assert body["counts"] == []


def test_the_command_line_prints_it_first_and_once():
    row = {
        "verdict": "compile_error",
        "problem": "sort",
        "language": "cuda",
        "id": "abc",
        "message": FIRST.text,
        "score": None,
        "report": {
            "cases": [],
            "diagnostics": [entry(FIRST), entry(SECOND)],
            "headline": entry(FIRST),
            "kernels": [],
            "log": "the log",
            "output": "",
        },
    }
    text = io.StringIO()
    Console(file=text, width=120).print(show.submission(row))
    lines = text.getvalue().splitlines()
    assert lines[1].strip() == f"error: line 3: {MESSAGE}"
    assert lines[2].strip() == 'error: line 9: Expected a ";".'
    assert text.getvalue().count("threadidx") == 1


def test_manage_judge_prints_it_first_and_once():
    lines = render(NOT_COMPILED).splitlines()
    assert lines[0] == f"compile_error: line 3: {MESSAGE}"
    assert lines[1] == '  error: line 9: Expected a ";".'
    lines = render(WRONG).splitlines()
    assert lines[1] == "  warning: line 2: race on byte 4 of shared memory."
    assert sum("race on" in line for line in lines) == 1


def test_manage_judge_names_the_line_of_what_ended_the_program():
    ended = Diagnostic(Severity.ERROR, "exception", "ValueError: no power of 2", line=12)
    report = Report(Verdict.RUNTIME_ERROR, message=ended.message, diagnostics=(ended,))
    assert render(report).splitlines()[0] == "runtime_error: line 12: ValueError: no power of 2"


def entry(finding: Diagnostic) -> dict[str, object]:
    return {"severity": finding.severity, "line": finding.line, "message": finding.message}


def test_equal_findings_are_shown_once_with_their_number(shown):
    note = Diagnostic(Severity.NOTE, "signature", "solve declares n with 32 bits.", line=2)
    found = (note, note, note, replace(note, line=3))
    page = shown(Report(Verdict.ACCEPTED, diagnostics=found)).partition('<ul class="findings">')[2]
    listed = page.partition("</ul>")[0]
    assert listed.count("solve declares n with 32 bits.") == 2
    assert "(3 times)" in listed
    assert "(1 times)" not in listed
