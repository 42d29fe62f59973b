"""Reads about the gallery: the solutions of a problem that their authors shared."""

from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Exists, OuterRef, QuerySet

from problems.vocabulary import Mode, Verdict
from web.catalog.models import Problem, Tagging
from web.discussion.models import Post, Solution, Vote
from web.discussion.queries import may_enter
from web.site import cursors
from web.submissions.models import Submission
from web.submissions.queries import Viewer, verdict_of


class Order(StrEnum):
    """The orders of the gallery."""

    VOTES = "votes"
    NEWEST = "newest"


@dataclass(frozen=True, slots=True)
class GalleryFilter:
    """The chosen part of a gallery. Empty values choose everything. `before` is a cursor."""

    technique: str = ""
    language: str = ""
    order: Order = Order.VOTES
    before: str = ""


def may_open(viewer: Viewer, problem: Problem) -> bool:
    """Return whether `viewer`, who may see the problem, may read its gallery.

    The rule is that of the discussion.
    """
    return may_enter(viewer, problem)


def list_solutions(viewer: Viewer, problem: Problem, chosen: GalleryFilter) -> QuerySet[Solution]:
    """Return the solutions in the gallery of `problem`, each with `voted`. The caller checks the access."""
    found = _shown().filter(problem=problem)
    if chosen.technique:
        found = found.filter(technique=chosen.technique)
    if chosen.language:
        found = found.filter(language=chosen.language)
    voted = Vote.objects.filter(solution=OuterRef("pk"), person=viewer.pk)
    found = found.annotate(voted=Exists(voted))
    if chosen.order is Order.NEWEST:
        last = cursors.decode_key(chosen.before)
        return (found.filter(pk__lt=last) if last is not None else found).order_by("-pk")
    votes, _, key = chosen.before.partition("-")
    last_votes, last = cursors.decode_key(votes), cursors.decode_key(key)
    if last_votes is not None and last is not None:
        found = found.filter(votes__lte=last_votes).exclude(votes=last_votes, pk__gte=last)
    return found.order_by("-votes", "-pk")


def cursor_after(solution: Solution, order: Order) -> str:
    """Return the cursor of the page after `solution`."""
    return str(solution.pk) if order is Order.NEWEST else f"{solution.votes}-{solution.pk}"


def find_solution(pk: int) -> Solution | None:
    """Return the solution with that key if the gallery shows it. The caller checks the access."""
    return _shown().filter(pk=pk).first()


def solution_of(submission: Submission) -> Solution | None:
    """Return the entry of `submission` in the gallery, even if it was withdrawn or hidden; None without."""
    return Solution.objects.filter(submission=submission).select_related("thread").first()


def note_of(solution: Solution) -> Post:
    """Return the note of `solution`, regardless of its state."""
    return Post.objects.get(thread=solution.pk, opening=True)


def notes_of(solutions: list[Solution]) -> dict[int, Post]:
    """Return the note of each solution by its key, in one query."""
    posts = Post.objects.filter(thread__in=[solution.pk for solution in solutions], opening=True)
    return {post.thread_id: post for post in posts}


def may_share(viewer: Viewer, submission: Submission) -> bool:
    """Return whether `viewer` may put `submission` into the gallery: its author may, once it is accepted."""
    accepted = submission.mode == Mode.SUBMIT and verdict_of(submission) == Verdict.ACCEPTED
    return viewer.is_authenticated and submission.user_id == viewer.pk and accepted


def techniques_for(problem: Problem) -> list[str]:
    """Return the techniques that an entry may name: the tags of `problem` first, then those of others."""
    named = Tagging.objects.filter(problem__published=True).order_by("name").values_list("name", flat=True)
    return [*dict.fromkeys([*problem.tags, *named.distinct()])]


def techniques_in(problem: Problem) -> list[tuple[str, str]]:
    """Return the pairs of technique and language that the gallery of `problem` has."""
    pairs = _shown().filter(problem=problem).order_by("technique", "language")
    return [*pairs.values_list("technique", "language").distinct()]


def _shown() -> QuerySet[Solution]:
    shown = Solution.objects.filter(
        thread__shown=True, submission__shared=True, submission__report__verdict=Verdict.ACCEPTED
    )
    related = ("thread__author", "thread__problem", "submission__report", "submission__user")
    heavy = ("submission__source", "submission__report__body", "thread__problem__statement")
    return shown.select_related(*related).defer(*heavy)
