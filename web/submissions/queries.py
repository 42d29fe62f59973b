"""Reads about submissions, each within the rights of the viewer."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from judge.redaction import redact
from judge.report import Report, Score
from problems.vocabulary import Language, Verdict
from web.accounts.models import User
from web.accounts.visibility import reads_all
from web.catalog.models import Problem
from web.jobs.models import PERSONAL, JobState
from web.site.origin import RequestOrigin
from web.submissions.checker_reports import without_expected_values
from web.submissions.models import (
    Event,
    EventKind,
    Job,
    Listing,
    ListingKind,
    ProfileReport,
    Progress,
    Replay,
    Submission,
)

Viewer = User | AnonymousUser
UNJUDGED = "unjudged"
TASK_KEY = "primer-task-"  # begins the idempotency keys of runs for a task of the primer
_BATCH = 500


def visible_submissions(viewer: Viewer) -> QuerySet[Submission]:
    """Return the submissions that `viewer` may see.

    These are the viewer's own, and shared ones on problems that the viewer has solved; for staff and
    instructors, all. Use it with `get_object_or_404(…, public_id=…)`: for all other users a submission does
    not exist. Rows come with their user, problem, job, report and version in one query; `report` is absent
    until judged.
    """
    submissions = Submission.objects.select_related(
        "user", "problem", "job", "report", "report__replay", "package"
    )
    submissions = submissions.defer("package__archive", "package__mistakes", "report__replay__packed")
    if not viewer.is_authenticated:
        return submissions.none()
    if reads_all(viewer):
        return submissions
    solved = Progress.objects.filter(user=viewer.pk, problem=OuterRef("problem"), solved__isnull=False)
    return submissions.filter(Q(user=viewer.pk) | (Q(shared=True) & Exists(solved)))


def submissions_in_charge(viewer: Viewer) -> QuerySet[Submission]:
    """Return the submissions that `viewer` may cancel: their own; for staff, all.

    The right to see a submission is not enough.
    """
    submissions = visible_submissions(viewer)
    return submissions if viewer.is_staff else submissions.filter(user=viewer.pk)


def list_submissions(
    viewer: Viewer,
    *,
    author: User | None = None,
    problem_slug: str | None = None,
    verdict: str | None = None,
    mode: str | None = None,
    language: str | None = None,
    before: tuple[datetime, int] | None = None,
    after: tuple[datetime, int] | None = None,
) -> QuerySet[Submission]:
    """Return the viewer's own submissions, newest first, without their sources and reports' bodies.

    With `author`, return those of this user, if the viewer may see every submission; otherwise none.
    `before` is the `(created, pk)` of the last row of the page before; with `after`, that of the first row
    of the page that follows, they come oldest first. The verdict may be `unjudged`.
    """
    if not viewer.is_authenticated:
        return Submission.objects.none()
    if author is not None and author.pk != viewer.pk and not reads_all(viewer):
        return Submission.objects.none()
    owner = viewer.pk if author is None else author.pk
    rows = Submission.objects.filter(user=owner).select_related("problem", "job", "report")
    if problem_slug is not None:
        rows = rows.filter(problem__slug=problem_slug)
    if verdict is not None:
        rows = rows.filter(report=None) if verdict == UNJUDGED else rows.filter(report__verdict=verdict)
    if mode is not None:
        rows = rows.filter(mode=mode)
    if language is not None:
        rows = rows.filter(language=language)
    if before is not None:
        created, pk = before
        rows = rows.filter(created__lte=created).exclude(created=created, pk__gte=pk)
    elif after is not None:
        created, pk = after
        rows = rows.filter(created__gte=created).exclude(created=created, pk__lte=pk)
        rows = rows.order_by("created", "pk")
    return rows.defer(
        "source", "report__body", "problem__statement", "problem__editorial", "problem__starters"
    )


def latest_submission(viewer: Viewer, problem: Problem, language: Language) -> Submission | None:
    """Return the viewer's latest own submission to `problem` in `language`, with its report.

    Runs of tasks of the primer are excluded, because their programs were never in the editor of the problem.
    """
    if not viewer.is_authenticated:
        return None
    own = visible_submissions(viewer).filter(user=viewer.pk, problem=problem, language=language.value)
    own = own.exclude(idempotency_key__startswith=TASK_KEY)
    return own.order_by("-created", "-pk").first()


def first_rows(rows: QuerySet[Submission], count: int) -> list[Submission]:
    """Return the first `count` of a list.

    Their keys are selected first, so that only these rows are joined with the rest.
    """
    keys = list(rows.values_list("pk", flat=True)[:count])
    return list(rows.filter(pk__in=keys))


def state_of(submission: Submission) -> str:
    """Return one word for pages and the API: `queued`, `judging` or `done`."""
    return {JobState.QUEUED: "queued", JobState.LEASED: "judging", JobState.DONE: "done"}[
        JobState(submission.job.state)
    ]


def verdict_of(submission: Submission) -> str | None:
    """Return the verdict's word, None until there is one."""
    return submission.report.verdict if hasattr(submission, "report") else None


def score_of(submission: Submission) -> Score | None:
    """Return the ranked score, None if there is none."""
    if not hasattr(submission, "report"):
        return None
    report = submission.report
    figures = [f for f in (report.score_us, report.score_low_us, report.score_high_us) if f is not None]
    return Score(*figures) if figures else None  # the database stores all three or none


def present_report(submission: Submission, viewer: Viewer) -> Report | None:
    """The report as `viewer` may see it, None until there is one. The viewer may see the submission.

    For users other than staff, `judge.redaction` removes parts of hidden cases. Listings are not in the
    report; see `listings_of`. If a checker decides, the report has no expected values.
    """
    if not hasattr(submission, "report"):
        return None
    report = submission.report.parsed
    if submission.problem.has_checker:
        report = without_expected_values(report)
    return report if viewer.is_staff else redact(report)


def listings_of(submission: Submission) -> tuple[Listing, ...]:
    """Return the stored listings of `submission`, without their text."""
    if not hasattr(submission, "report"):
        return ()
    return tuple(submission.report.listings.defer("packed"))


def find_listing(submission: Submission, kind: ListingKind) -> Listing | None:
    """Return a listing of `submission` with its text. The viewer may see the submission."""
    return Listing.objects.filter(report__submission=submission, kind=kind).first()


def is_replayable(submission: Submission) -> bool:
    """Return whether functional mode can replay the program: it is in CUDA C++ and compiles."""
    return (
        submission.language == Language.CUDA.value and verdict_of(submission) != Verdict.COMPILE_ERROR.value
    )


def find_replay(submission: Submission) -> Replay | None:
    """Return the replay of `submission`, if there is one. The viewer may see the submission."""
    return getattr(submission.report, "replay", None) if hasattr(submission, "report") else None


def find_profile_report(submission: Submission) -> ProfileReport | None:
    """Return the file of Nsight Compute about `submission`, if it is stored, without its content.

    The viewer may see the submission.
    """
    if not hasattr(submission, "report") or not submission.report.body.get("profile"):
        return None
    rows = ProfileReport.objects.select_related("report__submission").defer("packed")
    return rows.filter(report__submission=submission).first()


@dataclass(frozen=True, slots=True)
class Following:
    """New events of a submission. `over` is true if no event will come after these."""

    events: tuple[Event, ...]
    over: bool


def follow(submission_id: int, *, after: int) -> Following:
    """Return the events after sequence number `after`, oldest first."""
    # Read the status first. Then this query or the next one finds an event that is added in between.
    state = Job.objects.values_list("state", flat=True).get(submission=submission_id)
    events = tuple(Event.objects.filter(submission=submission_id, sequence__gt=after))
    return Following(events, over=state == JobState.DONE)


def batched(keys: Iterable[int], size: int) -> Iterator[list[int]]:
    """Yield `keys` in lists of at most `size`, because a query takes a bounded number of them."""
    rest = iter(keys)
    while some := list(islice(rest, size)):
        yield some


def follow_all(seen: Mapping[int, int]) -> tuple[dict[int, Following], list[int]]:
    """Return the new events of many submissions, and which of them wait for a worker.

    `seen` has the sequence number of the last known event of each. Only submissions that have more events, or
    are over, are in the answer. A deleted submission is over.
    """
    jobs: dict[int, tuple[str, int]] = {}
    for some in batched(seen, _BATCH):
        rows = Job.objects.filter(submission__in=some).values_list("submission_id", "state", "events")
        jobs |= {submission_id: (status, count) for submission_id, status, count in rows}
    # A job's count grows in the transaction that appends the event, so all counted events can be read now.
    behind = [pk for pk, (_, count) in jobs.items() if count > seen[pk]]
    events: defaultdict[int, list[Event]] = defaultdict(list)
    for some in batched(behind, _BATCH):
        after = min(seen[pk] for pk in some)
        for event in Event.objects.filter(submission__in=some, sequence__gt=after).order_by("sequence"):
            events[event.submission_id].append(event)
    over = {pk for pk in seen if pk not in jobs or jobs[pk][0] == JobState.DONE}
    found = {pk: Following(tuple(events[pk]), over=pk in over) for pk in over.union(behind)}
    return found, [pk for pk, (status, _) in jobs.items() if status == JobState.QUEUED]


def judgement_start(submission: Submission) -> int:
    """Return the sequence number before the latest judgement, where a new watcher begins."""
    queued = Event.objects.filter(submission=submission, kind=EventKind.QUEUED).last()
    return queued.sequence - 1 if queued else 0


def origin_of(submission: Submission) -> RequestOrigin:
    """Return the request that last queued it; without ids if none were recorded."""
    queued = Event.objects.filter(submission=submission, kind=EventKind.QUEUED)
    payload = queued.order_by("-sequence").values_list("payload", flat=True).first()
    return RequestOrigin.of(payload or {})


def count_waiting() -> int:
    """Return the jobs that none of the site's workers has taken."""
    return _waiting().count()


def oldest_wait_s() -> float:
    """Return the seconds that the longest waiting job has waited, 0 if none waits."""
    queued = _waiting().order_by("queued").values_list("queued", flat=True).first()
    return (timezone.now() - queued).total_seconds() if queued else 0.0


def _waiting() -> QuerySet[Job]:
    return Job.objects.filter(state=JobState.QUEUED).exclude(queue__startswith=PERSONAL)
