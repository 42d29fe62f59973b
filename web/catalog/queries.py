"""Reads from the catalogue."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from django.contrib.auth.models import AnonymousUser
from django.db.models import (
    BooleanField,
    Case,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    FilteredRelation,
    FloatField,
    OrderBy,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Lower, NullIf

from problems.vocabulary import Difficulty, Language
from web.accounts.models import User
from web.accounts.visibility import reads_all
from web.catalog.models import Problem, Tagging

Viewer = User | AnonymousUser
UNREAD = ("statement", "editorial", "hints", "signature", "samples", "limits")
_NO = Value(value=False, output_field=BooleanField())


class Mark(StrEnum):
    """A viewer's progress with a problem, or bookmark. `attempted` means not solved yet."""

    NEW = "new"
    ATTEMPTED = "attempted"
    SOLVED = "solved"
    BOOKMARKED = "bookmarked"


class Order(StrEnum):
    """The sort orders of problems. The largest figures and the newest problems come first."""

    TRACK = "track"
    TITLE = "title"
    DIFFICULTY = "difficulty"
    ACCEPTANCE = "acceptance"
    SOLVERS = "solvers"
    NEWEST = "newest"


@dataclass(frozen=True, slots=True)
class Counts:
    """The number of problems that a viewer may see, and of those with each mark."""

    total: int
    solved: int
    attempted: int

    @property
    def fresh(self) -> int:
        """Return the number of problems that are neither solved nor attempted."""
        return self.total - self.solved - self.attempted


def visible_problems(viewer: Viewer) -> QuerySet[Problem]:
    """Return the problems that `viewer` may see: published ones, and for staff all."""
    problems = Problem.objects.all()
    return problems if viewer.is_staff else problems.filter(published=True)


def list_problems(
    viewer: Viewer,
    *,
    difficulty: Difficulty | None = None,
    tag: str | None = None,
    track: str | None = None,
    language: Language | None = None,
    mark: Mark | None = None,
    search: str = "",
    order: Order = Order.TRACK,
) -> QuerySet[Problem]:
    """Return problems for a list with their marks, filtered and sorted, in one query.

    Titles, summaries and tags are searched for every word of `search`. The track order is that of `track` if
    it is given, otherwise that of the days. Columns that a list does not show are deferred.
    """
    problems = with_marks(visible_problems(viewer), viewer).defer(*UNREAD)
    if difficulty:
        problems = problems.filter(difficulty=difficulty.value)
    if tag:
        problems = problems.filter(taggings__name=tag)
    if language:
        problems = problems.filter(starters__has_key=language.value)
    if track:
        problems = problems.filter(entries__track__slug=track, entries__track__published=True)
    if mark:
        problems = problems.filter(_bears(mark, viewer))
    for word in search.split():
        tagged = Tagging.objects.filter(problem=OuterRef("pk"), name__icontains=word)
        problems = problems.filter(Q(title__icontains=word) | Q(summary__icontains=word) | Exists(tagged))
    return problems.order_by(*sorting(order, on_track=bool(track)))


def with_marks(problems: QuerySet[Problem], viewer: Viewer) -> QuerySet[Problem]:
    """Annotate each problem with statistics, without reading submissions.

    `solved` and `attempted` are about the viewer. `submitted` and `accepted` count the judged and the
    accepted submissions of all users, and `solvers` the users with an accepted one. `acceptance` is a
    percentage, or None without submissions. A run marks a problem as attempted and counts for nothing else.
    """
    judged = NullIf(F("tally__judged"), Value(0))
    percent = ExpressionWrapper(100.0 * F("tally__accepted") / judged, output_field=FloatField())
    return _with_own(problems, viewer).annotate(
        submitted=Coalesce("tally__judged", 0),
        accepted=Coalesce("tally__accepted", 0),
        solvers=Coalesce("tally__solvers", 0),
        acceptance=percent,
    )


def has_solved(viewer: Viewer, problem: Problem) -> bool:
    """Return whether a submission of `viewer` to `problem` was accepted."""
    if not viewer.is_authenticated:
        return False
    return problem.progress.filter(user=viewer.pk, solved__isnull=False).exists()


def count_problems(viewer: Viewer) -> Counts:
    """Return how many problems `viewer` may see, has solved, and has attempted without solving."""
    counted = _with_own(visible_problems(viewer), viewer).aggregate(
        all=Count("pk"),
        tried=Count("pk", filter=Q(attempted=True)),
        done=Count("pk", filter=Q(solved=True)),
    )
    return Counts(counted["all"], counted["done"], counted["tried"] - counted["done"])


def tagged_with(tags: Collection[str]) -> Exists:
    """Return the condition that a problem has at least one of `tags`."""
    return Exists(Tagging.objects.filter(problem=OuterRef("pk"), name__in=tags))


def count_tags(viewer: Viewer) -> dict[str, int]:
    """Return the number of problems with each tag, by the tag's name."""
    tagged = Tagging.objects.filter(problem__in=visible_problems(viewer))
    return dict(tagged.values_list("name").annotate(problems=Count("pk")).order_by("name"))


def find_problem(viewer: Viewer, slug: str) -> Problem | None:
    """Return the problem with that slug, with its marks. Return None if `viewer` may not see it."""
    found = with_marks(visible_problems(viewer).filter(slug=slug), viewer)
    return next(iter(found.order_by()[:1]), None)  # there is at most one, and sorting takes time


def similar_problem(viewer: Viewer, problem: Problem) -> Problem | None:
    """Return a problem that `viewer` has not solved, with a tag of `problem`, else of the same difficulty."""
    if not viewer.is_authenticated:
        return None
    tagged = tagged_with(problem.tags)
    others = list_problems(viewer).filter(Q(own__solved__isnull=True))
    alike = others.exclude(pk=problem.pk).filter(Q(tagged) | Q(difficulty=problem.difficulty))
    tagged_first = Case(When(tagged, then=0), default=1)
    return alike.order_by(tagged_first, *sorting(Order.TRACK, on_track=False)).first()


def neighbours(viewer: Viewer, problem: Problem) -> tuple[Problem | None, Problem | None]:
    """Return the problems before and after `problem` in the order of the list. Takes two queries."""
    others = visible_problems(viewer).only("slug", "title")
    day = problem.track_day
    same_later, same_sooner = Q(slug__gt=problem.slug), Q(slug__lt=problem.slug)
    if day is None:
        later = Q(track_day__isnull=True) & same_later
        sooner = Q(track_day__isnull=False) | same_sooner
    else:
        later = Q(track_day__isnull=True) | Q(track_day__gt=day) | Q(track_day=day) & same_later
        sooner = Q(track_day__lt=day) | Q(track_day=day) & same_sooner
    before = others.filter(sooner).order_by(F("track_day").desc(nulls_first=True), "-slug").first()
    after = others.filter(later).order_by(F("track_day").asc(nulls_last=True), "slug").first()
    return before, after


def may_discuss(viewer: Viewer, problem: Problem) -> bool:
    """Return whether the discussion of `problem`, which has its marks, is open."""
    return reads_all(viewer) or bool(getattr(problem, "solved", False))


def _with_own(problems: QuerySet[Problem], viewer: Viewer) -> QuerySet[Problem]:
    if not viewer.is_authenticated:
        return problems.annotate(solved=_NO, attempted=_NO)
    own = FilteredRelation("progress", condition=Q(progress__user=viewer.pk))
    return problems.annotate(
        own=own,
        solved=ExpressionWrapper(Q(own__solved__isnull=False), output_field=BooleanField()),
        attempted=ExpressionWrapper(Q(own__pk__isnull=False), output_field=BooleanField()),
    )


def _bears(mark: Mark, viewer: Viewer) -> Q:
    if not viewer.is_authenticated:
        return Q() if mark is Mark.NEW else Q(pk__in=())
    return {
        Mark.NEW: Q(own__pk__isnull=True),
        Mark.ATTEMPTED: Q(own__pk__isnull=False, own__solved__isnull=True),
        Mark.SOLVED: Q(own__solved__isnull=False),
        Mark.BOOKMARKED: Q(notes__user=viewer.pk, notes__bookmarked=True),
    }[mark]


def sorting(order: Order, *, on_track: bool) -> list[OrderBy | str]:
    """Return the sort keys of `order`. `on_track` means that the problems are those of one track."""
    by_track: list[OrderBy | str] = [F("track_day").asc(nulls_last=True), "slug"]
    if on_track:
        by_track = ["entries__position"]
    levels = [When(difficulty=level.value, then=rank) for rank, level in enumerate(Difficulty)]
    first: dict[Order, list[OrderBy | str]] = {
        Order.TRACK: [],
        Order.TITLE: [Lower("title").asc()],
        Order.DIFFICULTY: [Case(*levels).asc()],
        Order.ACCEPTANCE: [F("acceptance").desc(nulls_last=True)],
        Order.SOLVERS: [F("solvers").desc()],
        Order.NEWEST: [F("added").desc()],
    }
    return [*first[order], *by_track]
