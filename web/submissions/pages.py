"""What the pages of a submission show, put together from its report."""

from dataclasses import dataclass
from itertools import accumulate

from django.utils.safestring import SafeString, mark_safe

from judge.report import CaseReport, Diagnostic, Report
from problems.vocabulary import Verdict
from web.catalog.markdown import highlight_code
from web.submissions import queries
from web.submissions.models import Submission
from web.submissions.queries import Viewer
from web.verdicts import Look, look_of

_BAR_WIDTH = 1000
_LAUNCH = "launch"
_ORDER = ("error", "warning", "note")
_SEVERITY_TONES = {"error": "bad", "warning": "limit"}


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic with its look. `icon` and `tone` follow its severity."""

    diagnostic: Diagnostic
    tone: str
    icon: str

    @property
    def says_where(self) -> bool:
        """Whether its place is to be added, because its message does not name it."""
        return "thread (" not in self.diagnostic.message


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the source as HTML, with what was found on it. `tone` is empty where nothing was."""

    number: int
    html: SafeString
    findings: tuple[Finding, ...]
    tone: str


@dataclass(frozen=True, slots=True)
class StageBar:
    """A stage as a part of the bar, in its units; `ms` is its time."""

    name: str
    ms: float
    x: int
    width: int


@dataclass(frozen=True, slots=True)
class SubmissionPage:
    """A submission with its report as the viewer may see it. `report` is None until there is one.

    `message` says what the verdict means in this report; where the first finding says it already, what
    the verdict means at all. `launches` are the kernels that ran, as evidence.
    """

    submission: Submission
    report: Report | None
    look: Look
    message: str
    findings: tuple[Finding, ...]
    launches: tuple[str, ...]
    stages: tuple[StageBar, ...]
    total_ms: float
    passed: int
    failed_cases: tuple[CaseReport, ...]
    after: int
    place: int

    @property
    def case_count(self) -> int:
        """How many cases the report has."""
        return len(self.report.cases) if self.report else 0


def submission_page(submission: Submission, viewer: Viewer) -> SubmissionPage:
    """All that a page or a fragment shows of `submission` to `viewer`, who may see it."""
    report = queries.present_report(submission, viewer)
    cases = report.cases if report else ()
    diagnostics = report.diagnostics if report else ()
    findings = _findings(diagnostics)
    look = look_of(report.verdict if report else None)
    stages = _bars(report) if report else ()
    return SubmissionPage(
        submission=submission,
        report=report,
        look=look,
        message=_message(report, look, findings) if report else "",
        findings=findings,
        launches=tuple(entry.message for entry in diagnostics if entry.kind == _LAUNCH),
        stages=stages,
        total_ms=sum(stage.ms for stage in stages),
        passed=sum(case.verdict is Verdict.ACCEPTED for case in cases),
        failed_cases=tuple(case for case in cases if case.mismatches),
        after=0 if report else queries.judgement_start(submission),
        place=0 if report else queries.place_in_queue(submission),
    )


def source_lines(submission: Submission, findings: tuple[Finding, ...]) -> list[Line]:
    """The source, highlighted, line by line, with the findings on their lines."""
    # Pygments closes its elements at the end of every line, so that lines can be taken apart.
    html = highlight_code(submission.source.rstrip("\n"), submission.language)
    lines = []
    for number, text in enumerate(html.rstrip("\n").split("\n"), start=1):
        here = tuple(finding for finding in findings if finding.diagnostic.line == number)
        lines.append(Line(number, mark_safe(text), here, here[0].tone if here else ""))  # noqa: S308 - Pygments escapes
    return lines


def _message(report: Report, look: Look, findings: tuple[Finding, ...]) -> str:
    said = bool(findings) and findings[0].diagnostic.message in report.message
    return report.message if report.message and not said else look.meaning


def _findings(diagnostics: tuple[Diagnostic, ...]) -> tuple[Finding, ...]:
    shown = [_finding(diagnostic) for diagnostic in diagnostics if diagnostic.kind != _LAUNCH]
    return tuple(sorted(shown, key=lambda finding: _ORDER.index(finding.icon)))


def _finding(diagnostic: Diagnostic) -> Finding:
    severity = diagnostic.severity if diagnostic.severity in _SEVERITY_TONES else "note"
    return Finding(diagnostic, _SEVERITY_TONES.get(severity, "void"), severity)


def _bars(report: Report) -> tuple[StageBar, ...]:
    total = sum(stage.ms for stage in report.stages) or 1.0
    widths = [round(_BAR_WIDTH * stage.ms / total) for stage in report.stages]
    starts = [0, *accumulate(widths)]
    return tuple(
        StageBar(stage.name, stage.ms, x, width)
        for stage, x, width in zip(report.stages, starts, widths, strict=False)
    )
