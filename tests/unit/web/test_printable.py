"""Tests that `manage.py judge` prints no terminal control sequences of programs."""

import io

import pytest
from django.core.management import CommandError, call_command

from judge.errors import OracleFailed
from judge.report import CaseReport, Diagnostic, KernelResources, Mismatch, Report
from problems.loader import problems_root
from problems.vocabulary import Group, Severity, Verdict
from sandbox.compiled import clean_log
from tests.unit.web.cli.test_terminal import HOSTILE, obeyed
from web.submissions.management.commands import judge

REPORT = Report(
    Verdict.WRONG_ANSWER,
    HOSTILE,
    cases=(
        CaseReport(
            HOSTILE,
            Group.SAMPLE,
            public=True,
            verdict=Verdict.WRONG_ANSWER,
            mismatches=(Mismatch(HOSTILE, (0,), HOSTILE, HOSTILE, 1.0, None),),
        ),
    ),
    diagnostics=(Diagnostic(Severity.ERROR, "assert", HOSTILE),),
    kernels=(KernelResources(HOSTILE, 1, 1, 1, 1, 1, 1),),
    log=HOSTILE,
    output=HOSTILE,
)


class Target:
    """One that is never asked."""

    def close(self) -> None:
        """Nothing is kept."""


def judged(monkeypatch, evaluate):
    monkeypatch.setattr(judge, "open_configured", lambda *_, **__: Target())
    monkeypatch.setattr(judge, "evaluate", evaluate)
    out, err = io.StringIO(), io.StringIO()
    err.isatty = lambda: True
    source = next((problems_root() / "vector-add" / "solutions").glob("*.cu"))
    try:
        with pytest.raises(SystemExit):
            call_command("judge", "vector-add", str(source), stdout=out, stderr=err)
    finally:
        monkeypatch.undo()
    return out.getvalue()


def test_a_report_is_printed_without_commands(monkeypatch):
    printed = judged(monkeypatch, lambda *_, **__: REPORT)
    assert obeyed(printed) == []
    assert printed.count("]0;owned") >= 8


def test_what_a_reference_says_when_it_breaks_too(monkeypatch):
    def break_down(*_, **__):
        raise OracleFailed(HOSTILE)

    with pytest.raises(CommandError) as raised:
        judged(monkeypatch, break_down)
    assert obeyed(str(raised.value)) == []


def test_the_words_of_a_compiler_have_no_commands():
    """They quote the source; they are kept, shown by the API and copied into terminals."""
    log = clean_log(b'solution.cu(1): error: "\x1b]0;owned\x07\xc2\x9b"\n\tint x;\r\n', ())
    assert log == 'solution.cu(1): error: "]0;owned"\n\tint x;\n'
