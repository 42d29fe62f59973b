"""The contents of the page of a replay: how a run used memory in a case, next to its source."""

from dataclasses import dataclass

from django.urls import reverse

from problems.vocabulary import Language, Mode, Verdict
from web.results.pages import Line, ShownDiagnostic, source_lines, submission_page
from web.site.verdicts import badge_of
from web.submissions.models import Replay, Submission, may_be_public_id
from web.submissions.queries import (
    Viewer,
    find_replay,
    is_replayable,
    verdict_of,
    visible_submissions,
)

_MOST_OTHERS = 20


@dataclass(frozen=True, slots=True)
class ReplaySide:
    """A replay with the lines of its program and the findings that it can show."""

    submission: Submission
    case: str
    verdict: str | None
    lines: tuple[Line, ...]
    findings: tuple[ShownDiagnostic, ...]

    @property
    def url(self) -> str:
        """Return the address of its data."""
        return reverse("submission-replay-data", args=[self.submission.public_id])


@dataclass(frozen=True, slots=True)
class ReplayPage:
    """The replay of a submission, and the one next to it, if there is one.

    `side` is None if the submission has no replay. `others` are runs that it can be compared with: id, text,
    and whether it is the chosen one. `missing` says that the chosen one has no replay, or is not visible.
    `may_run` says whether the viewer can get a replay by running the program.
    """

    submission: Submission
    side: ReplaySide | None
    other: ReplaySide | None
    others: tuple[tuple[str, str, bool], ...]
    missing: bool
    may_run: bool

    @property
    def sides(self) -> tuple[ReplaySide, ...]:
        """Return the replays that the page shows."""
        return tuple(side for side in (self.side, self.other) if side)

    @property
    def is_cuda(self) -> bool:
        """Return whether programs in this language can have a replay."""
        return self.submission.language == Language.CUDA.value

    @property
    def compiles(self) -> bool:
        """Return whether the program compiles."""
        return verdict_of(self.submission) != Verdict.COMPILE_ERROR.value


def replay_page(submission: Submission, viewer: Viewer, *, against: str) -> ReplayPage:
    """Return the replay of `submission`, which `viewer` may see, next to that of the submission `against`."""
    other = None
    if may_be_public_id(against) and against != submission.public_id:
        found = visible_submissions(viewer).filter(public_id=against, problem=submission.problem_id).first()
        other = _side(found, viewer) if found is not None else None
    return ReplayPage(
        submission=submission,
        side=_side(submission, viewer),
        other=other,
        others=tuple(
            (row.public_id, _describe(row), row.public_id == against) for row in _others(submission, viewer)
        ),
        missing=bool(against) and other is None,
        may_run=may_run(submission, viewer),
    )


def may_run(submission: Submission, viewer: Viewer) -> bool:
    """Return whether `viewer` can run the program of `submission` to get a replay."""
    mine = submission.user_id == viewer.pk
    return mine and is_replayable(submission) and (submission.problem.published or viewer.is_staff)


def _side(submission: Submission, viewer: Viewer) -> ReplaySide | None:
    replay = find_replay(submission)
    if replay is None:
        return None
    findings = submission_page(submission, viewer).findings
    return ReplaySide(
        submission=submission,
        case=replay.case,
        verdict=verdict_of(submission),
        lines=tuple(source_lines(submission, findings)),
        findings=tuple(found for found in findings if found.diagnostic.line),
    )


def _others(submission: Submission, viewer: Viewer) -> list[Submission]:
    rows = Replay.objects.filter(user=submission.user_id, report__submission__problem=submission.problem_id)
    keys = rows.exclude(report__submission=submission.pk).order_by("-pk").values("report__submission")
    visible = visible_submissions(viewer).filter(pk__in=keys, mode=Mode.RUN.value)
    return list(visible.order_by("-created", "-pk")[:_MOST_OTHERS])


def _describe(submission: Submission) -> str:
    made = f"{submission.created:%-d %b, %H:%M}"
    return f"{badge_of(verdict_of(submission)).word}, {made} ({submission.public_id})"
