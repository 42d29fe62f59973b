"""Reads of tracks, and of the viewer's progress on them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from django.db.models import (
    BooleanField,
    Exists,
    ExpressionWrapper,
    FilteredRelation,
    OuterRef,
    Q,
    QuerySet,
    Value,
)

from web.catalog.models import Problem
from web.catalog.queries import Viewer, visible_problems
from web.site.clock import DatabaseNow
from web.tracks.models import Entry, Track

_NO = Value(value=False, output_field=BooleanField())


@dataclass(frozen=True, slots=True)
class Stop:
    """A problem on a track, with the viewer's progress. `day` is None if the track has no days."""

    slug: str
    title: str
    summary: str
    difficulty: str
    day: int | None
    solved: bool
    attempted: bool

    @property
    def state(self) -> str:
        """Return `solved`, `attempted` or `new`."""
        return "solved" if self.solved else "attempted" if self.attempted else "new"


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
    """A track with the problems that the viewer may see; there is at least one."""

    slug: str
    title: str
    summary: str
    description: str
    published: bool
    contest: Contest | None
    stops: tuple[Stop, ...]

    @property
    def solved(self) -> int:
        """Return the number of its problems that the viewer has solved."""
        return sum(stop.solved for stop in self.stops)

    @property
    def started(self) -> bool:
        """Return whether the viewer has attempted any of them."""
        return any(stop.attempted for stop in self.stops)

    def after(self, slug: str) -> Stop | None:
        """Return the first unsolved problem after the one with `slug`, else the first unsolved one."""
        places = [place for place, stop in enumerate(self.stops) if stop.slug == slug]
        later = self.stops[places[0] + 1 :] if places else ()
        return next((stop for stop in later if not stop.solved), self.following)

    @property
    def following(self) -> Stop | None:
        """Return the first of its problems that the viewer has not solved; None if all are solved."""
        return next((stop for stop in self.stops if not stop.solved), None)


def list_paths(viewer: Viewer) -> tuple[VisibleTrack, ...]:
    """Return every track with problems that `viewer` may see, in order, in one query."""
    return tuple(_paths(_entries(viewer)))


def find_path(viewer: Viewer, slug: str) -> VisibleTrack | None:
    """Return the track with that slug; None if there is none that `viewer` may see. One query."""
    return next(_paths(_entries(viewer).filter(track__slug=slug)), None)


def paths_through(viewer: Viewer, problem: Problem) -> tuple[VisibleTrack, ...]:
    """Return the tracks with `problem` that `viewer` may see, in order. One query."""
    tracks = Entry.objects.filter(problem=problem).values("track")
    return tuple(_paths(_entries(viewer).filter(track__in=tracks)))


def track_titles(viewer: Viewer) -> dict[str, str]:
    """Return the titles of the tracks with problems, by their slugs, in order. One query."""
    leads = Exists(Entry.objects.filter(track=OuterRef("pk"), problem__in=visible_problems(viewer)))
    return dict(_visible(viewer).filter(leads).values_list("slug", "title"))


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
            *("day", "track__slug", "track__title", "track__summary", "track__description"),
            *("track__published", "track__contest_starts", "track__contest_ends"),
            *("problem__slug", "problem__title", "problem__summary"),
            "problem__difficulty",
        )
        .order_by("track__order", "track__slug", "position")
    )


def _with_marks(entries: QuerySet[Entry], viewer: Viewer) -> QuerySet[Entry]:
    if not viewer.is_authenticated:
        return entries.annotate(solved=_NO, attempted=_NO)
    own = FilteredRelation("problem__progress", condition=Q(problem__progress__user=viewer.pk))
    return entries.annotate(
        own=own,
        solved=ExpressionWrapper(Q(own__solved__isnull=False), output_field=BooleanField()),
        attempted=ExpressionWrapper(Q(own__pk__isnull=False), output_field=BooleanField()),
    )


def _paths(entries: Iterable[Entry]) -> Iterator[VisibleTrack]:
    for track, found in groupby(entries, key=lambda entry: entry.track):
        yield VisibleTrack(
            slug=track.slug,
            title=track.title,
            summary=track.summary,
            description=track.description,
            published=track.published,
            contest=contest_of(track),
            stops=tuple(_stop(entry) for entry in found),
        )


def contest_of(track: Track) -> Contest | None:
    """Return the contest of `track`; None if it has none."""
    if track.contest_starts is None or track.contest_ends is None:
        return None
    return Contest(track.contest_starts, track.contest_ends)


def _stop(entry: Entry) -> Stop:
    problem = entry.problem
    return Stop(
        slug=problem.slug,
        title=problem.title,
        summary=problem.summary,
        difficulty=problem.difficulty,
        day=entry.day,
        solved=bool(getattr(entry, "solved", False)),
        attempted=bool(getattr(entry, "attempted", False)),
    )
