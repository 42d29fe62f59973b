"""Reads from the catalogue."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import BooleanField, Count, Exists, F, OuterRef, Q, QuerySet, Value

from problems.vocabulary import Difficulty, Mode, Verdict
from web.accounts.models import User
from web.catalog.models import Problem
from web.submissions.models import Submission

Viewer = User | AnonymousUser


def visible_problems(viewer: Viewer) -> QuerySet[Problem]:
    """The problems that `viewer` may know of: published ones, and all for staff."""
    problems = Problem.objects.all()
    return problems if viewer.is_staff else problems.filter(published=True)


def list_problems(
    viewer: Viewer, *, difficulty: Difficulty | None = None, tag: str | None = None, search: str = ""
) -> list[Problem]:
    """The problems of a list, in one query.

    Each has `solved` and `attempted` (by the viewer), `submitted` and `accepted` (submissions of everyone
    that were judged, and those of them accepted); runs count as attempts only.
    """
    problems = visible_problems(viewer)
    if difficulty:
        problems = problems.filter(difficulty=difficulty.value)
    if search:
        problems = problems.filter(Q(title__icontains=search) | Q(summary__icontains=search))
    found = with_marks(problems, viewer)
    # SQLite cannot look into a JSON list, and there are few problems.
    return [problem for problem in found if tag is None or tag in problem.tags]


def with_marks(problems: QuerySet[Problem], viewer: Viewer) -> QuerySet[Problem]:
    """Add `solved`, `attempted`, `submitted` and `accepted`."""
    submits = Q(submissions__mode=Mode.SUBMIT.value)
    solved: Exists | Value = Value(value=False, output_field=BooleanField())
    attempted: Exists | Value = Value(value=False, output_field=BooleanField())
    if viewer.is_authenticated:
        own = Submission.objects.filter(problem=OuterRef("pk"), user=viewer.pk)
        solved = Exists(own.filter(mode=Mode.SUBMIT.value, report__verdict=Verdict.ACCEPTED.value))
        attempted = Exists(own)
    return problems.annotate(
        solved=solved,
        attempted=attempted,
        submitted=Count("submissions__report", filter=submits),
        accepted=Count(
            "submissions__report", filter=submits & Q(submissions__report__verdict=Verdict.ACCEPTED.value)
        ),
    ).order_by(F("track_day").asc(nulls_last=True), "slug")  # grouping drops the order of Meta


def next_problem(viewer: Viewer) -> Problem | None:
    """The problem to go on with: the one tried last if it is unsolved, else the first unsolved one."""
    if not viewer.is_authenticated:
        return None
    marked = with_marks(visible_problems(viewer), viewer)
    unsolved = [problem for problem in marked if not getattr(problem, "solved", False)]
    last = Submission.objects.filter(user=viewer.pk).values_list("problem", flat=True).first()
    return next((problem for problem in unsolved if problem.pk == last), unsolved[0] if unsolved else None)


def last_language(viewer: Viewer) -> str | None:
    """The language of the viewer's latest submission."""
    if not viewer.is_authenticated:
        return None
    return Submission.objects.filter(user=viewer.pk).values_list("language", flat=True).first()


def find_problem(viewer: Viewer, slug: str) -> Problem | None:
    """The problem of that slug, with its marks; None when `viewer` may know of no such problem."""
    return with_marks(visible_problems(viewer).filter(slug=slug), viewer).first()


def may_read_editorial(viewer: Viewer, problem: Problem) -> bool:
    """Whether there is an editorial and `viewer` has solved the problem, or is staff."""
    return bool(problem.editorial) and (viewer.is_staff or bool(getattr(problem, "solved", False)))
