"""The contents of the pages of a submission, from its report."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import accumulate

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from judge.evidence.diagnostics import findings, headline
from judge.report import CaseReport, Diagnostic, Mismatch, Report
from judge.values import as_text
from problems.vocabulary import Mode, Verdict
from web.accounts.visibility import reads_all
from web.colours import coloured, highlighted, to_html
from web.hints.queries import gave_up_at
from web.packages.queries import HASH_SHOWN
from web.results.assembly import listings_to_show
from web.results.console import LogLine, Resources, log_lines, resources_of
from web.results.fixes import fix_for
from web.results.likely_mistake import likely_mistake
from web.results.live import LivePanel, live_panel
from web.results.next_steps import NextSteps, next_steps
from web.results.outputs import CaseOutputs, case_outputs
from web.site.figures import attempts_note, host_code_note
from web.site.profile import ProfilePage, profile_page
from web.site.sentences import sentence
from web.site.verdicts import Badge, badge_of
from web.submissions import queries
from web.submissions.models import Listing, ProfileReport, Replay, Submission
from web.submissions.queries import Viewer
from web.submissions.services.attachments import KEPT_PROFILE_REPORTS, PROFILE_REPORT_DAYS
from web.submissions.unrun import UnrunCase, unrun_cases

_BAR_WIDTH = 1000
_LISTING_LINES = 5000
_SHOWN_VALUES = 64
_TAB = 4  # a browser would count tab stops from the line number
_STAGES = ("compile", "start", "load", "check", "rank", "draw", "wait", "examine")
_SEVERITY_TONES = {"error": "bad", "warning": "limit"}


@dataclass(frozen=True, slots=True)
class ShownDiagnostic:
    """A diagnostic with its badge. `icon` and `tone` follow its severity. `times`: how often it occurred."""

    diagnostic: Diagnostic
    tone: str
    icon: str
    times: int = field(default=1, compare=False)

    @property
    def sentence(self) -> str:
        """Return its message with a capital letter, unless it begins with a name."""
        return sentence(self.diagnostic.message)

    @property
    def fix(self) -> str:
        """Return how to fix such a mistake; empty if the message says so or nothing is known."""
        fix = fix_for(self.diagnostic.kind)
        return "" if fix in self.diagnostic.message else fix

    @property
    def says_where(self) -> bool:
        """Return whether the page must add the place, because the message does not name it."""
        place = self.diagnostic.kernel or self.diagnostic.block or self.diagnostic.thread
        return bool(place) and "thread (" not in self.diagnostic.message


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the source as HTML, with the findings on it. `tone` is empty if there are none."""

    number: int
    html: SafeString
    findings: tuple[ShownDiagnostic, ...]
    tone: str


@dataclass(frozen=True, slots=True)
class StageBar:
    """A stage as a part of the bar, in its units; `ms` is its time, `colour` the number of its colour."""

    name: str
    ms: float
    x: int
    width: int
    colour: int


@dataclass(frozen=True, slots=True)
class SubmissionPage:
    """A submission with its report as the viewer may see it. `report` is None until there is one.

    `headline` is the finding that best explains the verdict, and `further` are the other `findings`.
    `message` explains the verdict in this report; if a finding does so already, it explains the verdict in
    general. `unrun` are the cases after the one that ended the judgement. `live` is the progress while there
    is no report. `mistake` explains the known mistake that it may have; empty if unclear. `gave_up` is when
    its author gave up on the problem, for instructors and staff. `open` says whether the viewer may open the
    problem. `next` is there after an accepted submission. `replay` shows how a run used memory.
    `profile_report` is the file of Nsight Compute, if it is stored.
    """

    submission: Submission
    report: Report | None
    badge: Badge
    message: str
    findings: tuple[ShownDiagnostic, ...]
    headline: ShownDiagnostic | None
    log: tuple[LogLine, ...]
    resources: Resources | None
    profile: ProfilePage | None
    stages: tuple[StageBar, ...]
    total_ms: float
    passed: int
    unrun: tuple[UnrunCase, ...]
    failed_cases: tuple[CaseReport, ...]
    outputs: tuple[CaseOutputs, ...]
    timed: tuple[CaseReport, ...]
    listings: tuple[Listing, ...]
    live: LivePanel | None
    mistake: str
    gave_up: datetime | None
    mine: bool
    open: bool
    next: NextSteps | None
    replay: Replay | None
    profile_report: ProfileReport | None

    @property
    def why_no_profile_report(self) -> str:
        """Return why a profile has no file of Nsight Compute to download; empty if it has one."""
        if self.report is None or self.report.profile is None or self.profile_report:
            return ""
        return self.report.profile.report_missing or (
            f"The site keeps the latest {KEPT_PROFILE_REPORTS} reports of a user, for "
            f"{PROFILE_REPORT_DAYS} days. Profile the program again."
        )

    @property
    def values(self) -> dict[str, str]:
        """Return the first values that the run was given, as text by argument."""
        return {
            name: as_text(given[:_SHOWN_VALUES])
            + (f", … ({len(given)} values)" if len(given) > _SHOWN_VALUES else "")
            for name, given in (self.submission.values or {}).items()
        }

    @property
    def may_replay(self) -> bool:
        """Return whether the viewer can get a replay by running the program: not where a GPU runs it."""
        if self.report is None or self.replay or self.submission.personal_node:
            return False
        on_gpu = bool(self.report.environment.get("gpu"))
        return self.mine and self.open and queries.is_replayable(self.submission) and not on_gpu

    @property
    def further(self) -> tuple[ShownDiagnostic, ...]:
        """Return the findings that the banner does not show."""
        return tuple(finding for finding in self.findings if finding != self.headline)

    @property
    def first_wrong(self) -> Mismatch | None:
        """Return the first wrong element for the banner, None if a finding explains the verdict."""
        if self.headline is not None or not self.failed_cases:
            return None
        return self.failed_cases[0].mismatches[0]

    @property
    def refused(self) -> bool:
        """Return whether the findings contain everything in the compiler's log."""
        return self.headline is not None and self.badge.icon == Verdict.COMPILE_ERROR.value

    @property
    def case_count(self) -> int:
        """Return the number of cases, those that were not run included."""
        return len(self.report.cases) + len(self.unrun) if self.report else 0

    @property
    def tally(self) -> str:
        """Return how many cases passed, in words; empty if none was run."""
        if self.report is None or not self.report.cases:
            return ""
        left = f", {len(self.unrun)} not run" if self.unrun else ""
        return f"{self.passed} of {self.case_count} cases passed{left}"

    @property
    def host_code_note(self) -> str:
        """Return the note for times that include the launch."""
        return host_code_note(self.report) if self.report else ""

    @property
    def attempts_note(self) -> str:
        """Return the note about discarded runs, empty if there was none."""
        return attempts_note(self.report) if self.report else ""

    @property
    def roofline_percent(self) -> float | None:
        """Return the share of this GPU's speed that the score reaches."""
        return self.submission.report.roofline_percent if self.report else None

    @property
    def ranked(self) -> str:
        """Return whether it ranks, and why not."""
        if self.report is None or not self.report.environment.get("gpu"):
            return "no (no GPU)"
        if self.submission.mode == Mode.RUN:
            return "no (run)"
        return "yes" if self.report.ranked else "no (not timed)"

    @property
    def version(self) -> str:
        """Return the name of the problem's version that judged it; empty before."""
        known = self.submission.report.version if self.report else ""
        package = self.submission.package
        if package is not None and package.version == known:
            return f"version {package.number}"
        return f"version {known[:HASH_SHOWN]}" if known else ""

    @property
    def of_earlier_version(self) -> bool:
        """Return whether the live version of the problem judges differently."""
        known = self.submission.report.version if self.report else ""
        return bool(known) and known != self.submission.problem.version

    @property
    def board_url(self) -> str:
        """Return the leaderboard with its score."""
        url = reverse("leaderboard", args=[self.submission.problem.slug])
        report = self.submission.report
        board = {"gpu": report.gpu_model, "language": self.submission.language}
        if self.of_earlier_version:
            board["version"] = report.version[:HASH_SHOWN]
        return f"{url}?{urlencode(board)}"


@dataclass(frozen=True, slots=True)
class ListingPage:
    """A listing to read, as escaped HTML line by line. `lines` are the first ones if it is long."""

    submission: Submission
    kind: str
    label: str
    lines: tuple[SafeString, ...]
    line_count: int

    @property
    def is_cut(self) -> bool:
        """Return whether lines are missing."""
        return len(self.lines) < self.line_count


def submission_page(submission: Submission, viewer: Viewer) -> SubmissionPage:
    """Return the contents of a page or a fragment of `submission` for `viewer`, who may see it."""
    report = queries.present_report(submission, viewer)
    cases = report.cases if report else ()
    diagnostics = report.diagnostics if report else ()
    shown = _folded(findings(diagnostics))
    first = headline(report) if report else None
    badge = badge_of(report.verdict if report else None)
    stages = _bars(report) if report else ()
    return SubmissionPage(
        submission=submission,
        report=report,
        badge=badge,
        message=_message(report, badge, shown) if report else "",
        findings=shown,
        headline=_finding(first) if first else None,
        log=log_lines(report.log) if report else (),
        resources=resources_of(report) if report else None,
        profile=profile_page(report.profile, submission.source) if report and report.profile else None,
        stages=stages,
        total_ms=sum(stage.ms for stage in stages),
        passed=sum(case.verdict is Verdict.ACCEPTED for case in cases),
        unrun=unrun_cases(submission, viewer),
        failed_cases=tuple(case for case in cases if case.mismatches),
        outputs=case_outputs(report) if report else (),
        timed=tuple(case for case in cases if case.timing),
        listings=listings_to_show(submission, report),
        live=None if report else live_panel(submission),
        mistake=likely_mistake(submission, viewer),
        gave_up=gave_up_at(submission.user_id, submission.problem) if reads_all(viewer) else None,
        mine=submission.user_id == viewer.pk,
        open=submission.problem.published or viewer.is_staff,
        next=next_steps(viewer, submission),
        replay=queries.find_replay(submission) if report else None,
        profile_report=queries.find_profile_report(submission) if report else None,
    )


def source_lines(submission: Submission, findings: tuple[ShownDiagnostic, ...]) -> list[Line]:
    """Return the source, highlighted, line by line, with the findings on their lines."""
    lines = []
    by_line: dict[int | None, list[ShownDiagnostic]] = defaultdict(list)
    for finding in findings:
        by_line[finding.diagnostic.line].append(finding)
    for number, runs in enumerate(highlighted(submission.source, submission.language), start=1):
        here = (*by_line.get(number, ()),)
        lines.append(Line(number, to_html(runs), here, here[0].tone if here else ""))
    return lines


def listing_page(submission: Submission, listing: Listing) -> ListingPage:
    """Return the page contents of `listing`. If it is long, only its beginning is highlighted and shown."""
    text = listing.text.expandtabs(_TAB).rstrip("\n").split("\n")
    lines = tuple(map(to_html, coloured(text[:_LISTING_LINES], listing.kind)))
    return ListingPage(submission, listing.kind, listing.get_kind_display(), lines, len(text))


def _message(report: Report, badge: Badge, shown: tuple[ShownDiagnostic, ...]) -> str:
    said = any(finding.diagnostic.message in report.message for finding in shown)
    return report.message if report.message and not said else badge.meaning


def _folded(found: list[Diagnostic]) -> tuple[ShownDiagnostic, ...]:
    """Return the findings without duplicates. A program may cause the same finding in each case."""
    alike = [replace(diagnostic, hidden=False) for diagnostic in found]
    first = dict(zip(reversed(alike), reversed(found), strict=True))
    return tuple(_finding(first[same], times) for same, times in Counter(alike).items())


def _finding(diagnostic: Diagnostic, times: int = 1) -> ShownDiagnostic:
    severity = diagnostic.severity if diagnostic.severity in _SEVERITY_TONES else "note"
    return ShownDiagnostic(diagnostic, _SEVERITY_TONES.get(severity, "void"), severity, times)


def _bars(report: Report) -> tuple[StageBar, ...]:
    """Return the stages as parts of one bar. A repeated stage, such as loading, is one part."""
    ms_of: dict[str, float] = {}
    for stage in report.stages:
        ms_of[stage.name] = ms_of.get(stage.name, 0.0) + stage.ms
    total = sum(ms_of.values()) or 1.0
    widths = [round(_BAR_WIDTH * ms / total) for ms in ms_of.values()]
    starts = [0, *accumulate(widths)]
    return tuple(
        StageBar(name, ms, x, width, _STAGES.index(name) if name in _STAGES else len(_STAGES))
        for (name, ms), x, width in zip(ms_of.items(), starts, widths, strict=False)
    )
