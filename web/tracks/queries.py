"""Reads of tracks, and of the viewer's progress on them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from django.db.models import (
    Count,
    DateTimeField,
    Exists,
    F,
    FilteredRelation,
    OuterRef,
    Q,
    QuerySet,
    Value,
)
from django.urls import reverse

from web.catalog.models import Problem
from web.catalog.queries import Viewer, visible_problems
from web.quizzes.queries import LiveQuiz, live_quizzes
from web.site.clock import DatabaseNow
from web.tracks.models import Entry, PlannedEntry, Track

FEWEST_LIVE = 2  # problems that a track with planned entries needs before it is shown
_NEVER = Value(None, output_field=DateTimeField())


@dataclass(frozen=True, slots=True)
class Stop:
    """A problem or quiz on a track, with the viewer's progress. `day` is None if the track has no days.

    `solved_at` is the time of the first accepted submission, and `latest` that of the latest verdict.
    """

    slug: str
    title: str
    summary: str
    difficulty: str
    day: int | None
    position: int
    topic: str = ""
    section: str = ""
    solved_at: datetime | None = None
    latest: datetime | None = None
    is_quiz: bool = False

    @property
    def url(self) -> str:
        """Return the address of its page."""
        return reverse("quiz" if self.is_quiz else "problem", args=[self.slug])

    @property
    def solved(self) -> bool:
        """Return whether the viewer has solved it."""
        return self.solved_at is not None

    @property
    def attempted(self) -> bool:
        """Return whether the viewer has a verdict on it."""
        return self.latest is not None

    @property
    def state(self) -> str:
        """Return `solved`, `attempted` or `new`."""
        return "solved" if self.solved else "attempted" if self.attempted else "new"


@dataclass(frozen=True, slots=True)
class PlannedStop:
    """An entry of a track that is still to come. It has the fields of a stop that do not need a problem."""

    slug: str
    title: str
    summary: str
    day: int | None
    position: int
    topic: str
    section: str

    @property
    def state(self) -> str:
        """Return `coming`, where a stop returns the viewer's progress."""
        return "coming"


@dataclass(frozen=True, slots=True)
class Contest:
    """The time in which a track's problems are judged before all others."""

    starts: datetime
    ends: datetime

    def state(self, now: datetime) -> str:
        """Return `coming`, `on` or `over`."""
        return "coming" if now < self.starts else "on" if now < self.ends else "over"


@dataclass(frozen=True, slots=True)
class VisibleTrack:
    """A track with the problems that the viewer may see; there is at least one.

    `coming` are the entries that are still to come. `hours` is 0 without an estimate.
    """

    slug: str
    title: str
    summary: str
    description: str
    hours: int
    prerequisites: tuple[str, ...]
    outcomes: tuple[str, ...]
    published: bool
    contest: Contest | None
    stops: tuple[Stop, ...]
    coming: tuple[PlannedStop, ...] = ()

    @property
    def entries(self) -> tuple[Stop | PlannedStop, ...]:
        """Return the problems and the entries to come, in the order of the track."""
        return tuple(sorted((*self.stops, *self.coming), key=lambda entry: entry.position))

    @property
    def solved(self) -> int:
        """Return the number of its problems that the viewer has solved."""
        return sum(stop.solved for stop in self.stops)

    @property
    def started(self) -> bool:
        """Return whether the viewer has attempted any of them."""
        return any(stop.attempted for stop in self.stops)

    @property
    def finished(self) -> bool:
        """Return whether the viewer has solved every entry, so that none is still to come."""
        return not self.coming and self.solved == len(self.stops)

    def after(self, slug: str) -> Stop | None:
        """Return the first unsolved problem after the one with `slug`, else the first unsolved one."""
        places = [place for place, stop in enumerate(self.stops) if stop.slug == slug]
        later = self.stops[places[0] + 1 :] if places else ()
        return next((stop for stop in (*later, *self.stops) if not stop.solved), None)

    @property
    def following(self) -> Stop | None:
        """Return the problem to continue with; None if all are solved.

        It is the problem of the viewer's latest verdict if that is unsolved, else the next unsolved one.
        """
        begun = [(stop.latest, stop.slug) for stop in self.stops if stop.latest]
        if not begun:
            return self.after("")
        _, slug = max(begun)
        last = next(stop for stop in self.stops if stop.slug == slug)
        return self.after(slug) if last.solved else last


def list_paths(viewer: Viewer) -> tuple[VisibleTrack, ...]:
    """Return every track that `viewer` may see, in order. At most three queries."""
    return _paths(viewer, _entries(viewer), PlannedEntry.objects.all())


def find_path(viewer: Viewer, slug: str) -> VisibleTrack | None:
    """Return the track with that slug; None if there is none that `viewer` may see. At most three queries."""
    planned = PlannedEntry.objects.filter(track__slug=slug)
    return next(iter(_paths(viewer, _entries(viewer).filter(track__slug=slug), planned)), None)


def paths_through(viewer: Viewer, problem: Problem) -> tuple[VisibleTrack, ...]:
    """Return the tracks with `problem` that `viewer` may see, in order. At most three queries."""
    tracks = Entry.objects.filter(problem=problem).values("track")
    planned = PlannedEntry.objects.filter(track__in=tracks)
    return _paths(viewer, _entries(viewer).filter(track__in=tracks), planned)


def track_titles(viewer: Viewer) -> dict[str, str]:
    """Return the titles of the tracks that `viewer` may see, by their slugs, in order. One query."""
    live = Count("entries", filter=Q(entries__problem__in=visible_problems(viewer)))
    planned = Exists(PlannedEntry.objects.filter(track=OuterRef("pk")))
    shown = _visible(viewer).annotate(live=live).filter(Q(live__gte=FEWEST_LIVE) | Q(live__gt=0) & ~planned)
    return dict(shown.values_list("slug", "title"))


def is_planned(slug: str) -> bool:
    """Return whether a track plans a problem or quiz named `slug`."""
    return PlannedEntry.objects.filter(slug=slug).exists()


def in_contest(problem: Problem) -> bool:
    """Return whether a published track with `problem` has a contest now, by the database's clock."""
    now = DatabaseNow()
    going_on = Entry.objects.filter(track__contest_starts__lte=now, track__contest_ends__gt=now)
    return going_on.filter(problem=problem, track__published=True).exists()


def _visible(viewer: Viewer) -> QuerySet[Track]:
    tracks = Track.objects.all()
    return tracks if viewer.is_staff else tracks.filter(published=True)


def _entries(viewer: Viewer) -> QuerySet[Entry]:
    entries = Entry.objects.filter(track__in=_visible(viewer), problem__in=visible_problems(viewer))
    return (
        _with_marks(entries, viewer)
        .select_related("track", "problem")
        .only(
            *("day", "position", "track__slug", "track__title", "track__summary", "track__description"),
            *("track__hours", "track__prerequisites", "track__outcomes"),
            *("track__published", "track__contest_starts", "track__contest_ends"),
            *("problem__slug", "problem__title", "problem__summary"),
            "problem__difficulty",
        )
        .order_by("track__order", "track__slug", "position")
    )


def _with_marks(entries: QuerySet[Entry], viewer: Viewer) -> QuerySet[Entry]:
    if not viewer.is_authenticated:
        return entries.annotate(solved_at=_NEVER, latest=_NEVER)
    own = FilteredRelation("problem__progress", condition=Q(problem__progress__user=viewer.pk))
    return entries.annotate(own=own, solved_at=F("own__solved"), latest=F("own__latest"))


def _paths(
    viewer: Viewer, entries: QuerySet[Entry], planned: QuerySet[PlannedEntry]
) -> tuple[VisibleTrack, ...]:
    plans: dict[int, dict[str, PlannedEntry]] = {}
    for plan in planned.order_by("track", "position"):
        plans.setdefault(plan.track_id, {})[plan.slug] = plan
    quizzes = live_quizzes(viewer) if plans else {}
    tracks = [(track, [*found]) for track, found in groupby(entries, key=lambda entry: entry.track)]
    return tuple(
        _path(track, found, plans.get(track.pk, {}), quizzes)
        for track, found in tracks
        if len(found) >= FEWEST_LIVE or track.pk not in plans
    )


def _path(
    track: Track,
    entries: list[Entry],
    plans: Mapping[str, PlannedEntry],
    quizzes: Mapping[str, LiveQuiz],
) -> VisibleTrack:
    problems = [_stop(entry, plans.get(entry.problem.slug)) for entry in entries]
    answered = [_quiz_stop(plan, quizzes[plan.slug]) for plan in plans.values() if plan.slug in quizzes]
    stops = tuple(sorted((*problems, *answered), key=lambda stop: stop.position))
    live = {stop.slug for stop in stops}
    return VisibleTrack(
        slug=track.slug,
        title=track.title,
        summary=track.summary,
        description=track.description,
        hours=track.hours,
        prerequisites=tuple(track.prerequisites.splitlines()),
        outcomes=tuple(track.outcomes.splitlines()),
        published=track.published,
        contest=contest_of(track),
        stops=stops,
        coming=tuple(_planned_stop(plan) for plan in plans.values() if plan.slug not in live),
    )


def contest_of(track: Track) -> Contest | None:
    """Return the contest of `track`; None if it has none."""
    if track.contest_starts is None or track.contest_ends is None:
        return None
    return Contest(track.contest_starts, track.contest_ends)


def _stop(entry: Entry, plan: PlannedEntry | None) -> Stop:
    problem = entry.problem
    return Stop(
        slug=problem.slug,
        title=problem.title,
        summary=problem.summary,
        difficulty=problem.difficulty,
        day=entry.day,
        position=entry.position,
        topic=plan.topic if plan else "",
        section=plan.section if plan else "",
        solved_at=getattr(entry, "solved_at", None),
        latest=getattr(entry, "latest", None),
    )


def _quiz_stop(plan: PlannedEntry, quiz: LiveQuiz) -> Stop:
    return Stop(
        slug=quiz.slug,
        title=quiz.title,
        summary=quiz.summary,
        difficulty=quiz.difficulty,
        day=plan.day,
        position=plan.position,
        topic=plan.topic,
        section=plan.section,
        solved_at=quiz.solved_at,
        latest=quiz.latest,
        is_quiz=True,
    )


def _planned_stop(plan: PlannedEntry) -> PlannedStop:
    return PlannedStop(
        slug=plan.slug,
        title=plan.title,
        summary=plan.summary,
        day=plan.day,
        position=plan.position,
        topic=plan.topic,
        section=plan.section,
    )
