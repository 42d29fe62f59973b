"""Tests the diagnosis: the most important findings first, with explanations, in the API and both commands."""

import json
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from judge.evidence.counts import KernelCounts
from judge.report import CaseReport, Diagnostic, Mismatch, Report, ShownOutput
from judge.report_json import to_json
from problems.vocabulary import DiagnosticKind, Group, Severity, Verdict
from web.cli import terminal
from web.cli.app import app
from web.cli.client import Client
from web.cli.credentials import Credentials
from web.cli.diagnosis import MOST_FINDINGS, diagnosis_lines
from web.site.findings import FINDINGS
from web.submissions.diagnosis import diagnose, diagnosis_json

SITE = "https://court.example.org"
COUNTS = KernelCounts("add", 8, 32, 64, 4, 4, 8, 2, 64, 1, 4)
NOTES = (
    Diagnostic(
        Severity.NOTE,
        "counts",
        "8 requests to global memory: 32 necessary sectors of 64; 4 requests to shared memory: "
        "4 necessary wavefronts of 8; 2 atomic requests in 64 turns; 1 divergent branch execution of 4",
        "add",
    ),
    Diagnostic(Severity.NOTE, "launch", "add<<<(1,1,1), (4,1,1)>>>", "add"),
    Diagnostic(Severity.NOTE, "divergent_branch", "warps split in 4 of 8 executions", "add", line=3),
    Diagnostic(Severity.NOTE, "bank_conflict", "takes 8.0 wavefronts instead of 1.0", "add", line=4),
    Diagnostic(Severity.NOTE, "uncoalesced", "moves 32.0 sectors instead of 4.0", "add", line=5),
    Diagnostic(Severity.NOTE, "uncoalesced", "moves 16.0 sectors instead of 4.0", "add", line=6),
    Diagnostic(Severity.NOTE, "uncoalesced", "moves 32.0 sectors, in another case", "add", line=5),
)
SLOW = Report(Verdict.ACCEPTED, diagnostics=NOTES)
RACE = Diagnostic(Severity.WARNING, "race", "race on byte 4", "add", line=2)
OUTSIDE = Diagnostic(Severity.ERROR, "out_of_bounds", "element 4 of 4", "add", line=9)


def test_the_costliest_kinds_come_first_and_each_line_once() -> None:
    found = diagnose(SLOW).findings
    places = [(finding.kind, finding.line) for finding in found]
    assert places == [("uncoalesced", 5), ("bank_conflict", 4), ("divergent_branch", 3), ("uncoalesced", 6)]


def test_what_explains_a_failure_comes_before_all() -> None:
    report = Report(Verdict.ILLEGAL_ACCESS, "element 4 of 4", diagnostics=(*NOTES, RACE, OUTSIDE))
    assert [finding.kind for finding in diagnose(report).findings][:2] == ["out_of_bounds", "race"]
    # The race explains this wrong answer, although another finding is an error.
    wrong = Report(Verdict.WRONG_ANSWER, "There is a data race on byte 4", diagnostics=(OUTSIDE, RACE))
    assert [finding.kind for finding in diagnose(wrong).findings] == ["race", "out_of_bounds"]


def test_barriers_that_fail_come_before_the_races_that_follow_from_them() -> None:
    barrier = Diagnostic(Severity.WARNING, "divergent_barrier", "divergent", "add", line=7)
    other = Diagnostic(Severity.WARNING, "divergent_barrier", "divergent", "other", line=7)
    wrong = Report(Verdict.WRONG_ANSWER, "There is a data race on byte 4", diagnostics=(RACE, barrier))
    assert [finding.kind for finding in diagnose(wrong).findings] == ["divergent_barrier", "race"]
    apart = Report(Verdict.WRONG_ANSWER, "There is a data race on byte 4", diagnostics=(RACE, other))
    assert [finding.kind for finding in diagnose(apart).findings] == ["race", "divergent_barrier"]


def test_a_leak_comes_before_what_is_slow() -> None:
    leak = Diagnostic(Severity.NOTE, "leak", "without freeing", line=1)
    found = diagnose(Report(Verdict.ACCEPTED, diagnostics=(*NOTES, leak))).findings
    assert found[0].kind == "leak"


def test_a_finding_says_why_and_what_to_try() -> None:
    first = diagnose(SLOW).findings[0]
    page = FINDINGS[DiagnosticKind.UNCOALESCED]
    assert (first.title, first.why, first.check, first.url) == (page.title, page.why, page.check, page.url)
    assert first.evidence == "moves 32.0 sectors instead of 4.0"
    fewer = "Ideal accesses would need 32 sectors of global memory instead of 64 (factor 2.0)."
    assert first.gain == fewer
    assert [finding.gain != "" for finding in diagnose(SLOW).findings] == [True, True, False, True]


def test_a_kind_without_a_page_has_its_evidence_alone() -> None:
    (found,) = diagnose(
        Report(Verdict.COMPILE_ERROR, diagnostics=(Diagnostic(Severity.ERROR, "odd_one", "x"),))
    ).findings
    assert (found.title, found.evidence, found.why, found.url) == ("Odd one", "x", "", "")


def test_the_text_has_the_best_three_and_a_table() -> None:
    lines = diagnosis_lines(diagnosis_json(SLOW), file="add.cu", site=SITE)
    assert lines[0] == "1. add.cu:5: uncoalesced: Accesses that do not coalesce"
    assert lines[1] == "   Evidence: moves 32.0 sectors instead of 4.0"
    assert lines[2].startswith("   Gain:     Ideal accesses would need 32 sectors")
    assert lines[5] == f"   Help:     {SITE}/learn/findings/uncoalesced"
    assert sum(line[0].isdigit() for line in lines if line) == MOST_FINDINGS + 1
    assert "1 more finding: --json prints all." in lines
    assert lines[-1].split() == ["add", "8", "64", "/", "32", "4", "8", "/", "4", "2", "64", "4", "/", "1"]
    assert diagnose(SLOW).counts == (COUNTS,)


def test_a_wrong_answer_without_findings_is_described() -> None:
    first = Mismatch("out", (1,), "2", "3", 1.0, 0.5)
    worst = Mismatch("out", (7,), "9", "1", 8.0, 0.9)
    shown = ShownOutput("out", (8,), (1, 8), (), (), (1, 7), worst, (1, 1), (2,))
    wrong = CaseReport(
        "odd",
        Group.ODD,
        True,
        Verdict.WRONG_ANSWER,
        sizes={"n": 8},
        checked=8,
        mismatched=2,
        mismatches=(first, worst),
        outputs=(shown,),
    )
    right = CaseReport("even", Group.SAMPLE, True, Verdict.ACCEPTED)
    report = Report(Verdict.WRONG_ANSWER, "2 elements are wrong", cases=(right, wrong), diagnostics=NOTES[:2])
    lines = diagnosis_lines(diagnosis_json(report), file="add.cu")
    assert lines[:5] == [
        "No finding explains the wrong answer.",
        "In case odd (n = 8), 2 of 8 elements are wrong.",
        "The first one is out[1]: 3 instead of 2.",
        "The farthest off is out[7]: 1 instead of 9.",
        "Wrong: odd. Right: even. Compare their sizes.",
    ]
    assert "--size" in lines[5]
    explained = replace(report, diagnostics=(RACE,))
    assert diagnosis_lines(diagnosis_json(explained), file="add.cu")[0].startswith("1. add.cu:2: race")


def test_without_findings_and_counts_it_says_so() -> None:
    lines = diagnosis_lines(diagnosis_json(Report(Verdict.ACCEPTED)), file="add.py")
    assert lines[0] == "No findings."
    assert lines[-1].startswith("No counts: ")


class TestCommandLine:
    """`warpcourt doctor`, against a site that answers with a report."""

    @pytest.fixture
    def asked(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, object]]:
        """The submissions that the command makes."""
        made: list[dict[str, object]] = []
        report = to_json(SLOW) | {"diagnosis": diagnosis_json(SLOW)}
        row = {"id": "abc", "problem": "vector-add", "language": "cuda", "verdict": "accepted", "message": ""}

        def answer(request: httpx.Request) -> httpx.Response:
            if request.method == "POST":
                made.append(json.loads(request.read()))
                return httpx.Response(201, json={"id": "abc"})
            if request.url.path.endswith("/events"):
                return httpx.Response(200, text="id: 1\nevent: finished\ndata: {}\n\n")
            return httpx.Response(200, json=row | {"state": "done", "report": report})

        class Site:
            def __enter__(self) -> Client:
                return Client(Credentials(SITE, "secret"), httpx.MockTransport(answer))

            def __exit__(self, *_: object) -> None:
                pass

        monkeypatch.setattr(terminal, "site", Site)
        monkeypatch.chdir(tmp_path)
        Path("add.cu").write_text("void solve() {}\n")
        return made

    def test_it_runs_the_samples_and_prints_the_diagnosis(self, asked: list[dict[str, object]]) -> None:
        done = CliRunner().invoke(app, ["doctor", "add.cu", "--problem", "vector-add"])
        assert done.exit_code == 0, done.output
        assert (asked[0]["mode"], "sizes" in asked[0]) == ("run", False)
        assert done.stdout.startswith("accepted  vector-add, cuda, abc\n\n1. add.cu:5: uncoalesced")
        assert f"{SITE}/learn/findings/bank_conflict" in done.stdout

    def test_sizes_make_a_custom_case_and_json_has_all(self, asked: list[dict[str, object]]) -> None:
        words = ["doctor", "add.cu", "--problem", "vector-add", "--size", "n=4096", "--json"]
        done = CliRunner().invoke(app, words)
        assert asked[0]["sizes"] == {"n": 4096}
        assert len(json.loads(done.stdout)["report"]["diagnosis"]["findings"]) == 4
