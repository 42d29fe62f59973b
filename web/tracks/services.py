"""Writes to tracks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q

from problems.curriculum import Curriculum, PlannedProblem
from problems.track import DAYS, TrackFile
from web.catalog.models import Problem
from web.tracks.models import Entry, PlannedEntry, Track

_SITE = "site"  # equals web.packages.models.Origin.SITE, which is in a higher layer
_DAYS_FILE = TrackFile(
    DAYS, "A hundred days", "A problem a day, each a small step further than the one before.", (), order=1
)


@dataclass(frozen=True, slots=True)
class _Place:
    """A place on a track: a problem, or its description in the curriculum, or both."""

    problem: Problem | None
    planned: PlannedProblem | None
    day: int | None = None
    section: str = ""


@transaction.atomic
def sync(files: Iterable[TrackFile], curriculum: Curriculum | None = None) -> int:
    """Update the tracks from `files`, `curriculum` and the problems' track days. Return how many there are.

    New tracks are published. Existing ones keep the choice of staff, also if their file is missing or broken:
    then they have no problems and are hidden. Tracks that staff wrote stay as they are, and a file with the
    slug of one of them is skipped. Problems of other authors are left out, because those authors choose their
    names and days freely. Call it after the problems are synced.
    """
    curriculum = curriculum or Curriculum()
    written = set(Track.objects.filter(from_files=False).values_list("slug", flat=True))
    problems = {problem.slug: problem for problem in _of_the_site()}
    planned = {problem.slug: problem for problem in curriculum.problems}
    wanted = {file.slug: file for file in files if file.slug not in written}
    days = _days(problems, curriculum)
    if days:
        wanted.setdefault(DAYS, _DAYS_FILE)
    else:
        wanted.pop(DAYS, None)
    for file in wanted.values():
        places = [_Place(problems.get(slug), planned.get(slug)) for slug in file.problems]
        track, _ = Track.objects.update_or_create(slug=file.slug, defaults=dict(_columns(file)))
        _place(track, days if file.slug == DAYS else places)
    for entries in (Entry, PlannedEntry):
        entries.objects.filter(track__from_files=True).exclude(track__slug__in=wanted).delete()
    return len(wanted)


def set_problems(track: Track, problems: Iterable[Problem]) -> None:
    """Make `problems`, in this order, the content of `track`."""
    _place(track, [_Place(problem, None) for problem in problems])


def _of_the_site() -> Iterable[Problem]:
    """Return the problems that are live from a folder of the site, or that the site or staff began."""
    first = Q(versions__number=1)
    begun = first & (Q(versions__origin=_SITE) | Q(versions__by__is_staff=True))
    live = Q(package__origin=_SITE)
    known = Problem.objects.filter(Q(versions__isnull=True) | live | begun)
    return known.distinct().only("slug", "track_day")


def _days(problems: Mapping[str, Problem], curriculum: Curriculum) -> list[_Place]:
    """Return the problems with a day and the planned days, in order.

    The day of a problem precedes that of the curriculum.
    """
    planned = {problem.slug: problem for problem in curriculum.days}
    days = {slug: problem.day for slug, problem in planned.items()}
    days |= {slug: problem.track_day for slug, problem in problems.items() if problem.track_day is not None}
    ordered = sorted((day, slug) for slug, day in days.items() if day is not None)
    return [
        _Place(problems.get(slug), planned.get(slug), day, curriculum.section_of(day))
        for day, slug in ordered
    ]


def _place(track: Track, places: Sequence[_Place]) -> None:
    numbered = [*enumerate(places, start=1)]
    Entry.objects.filter(track=track).delete()
    PlannedEntry.objects.filter(track=track).delete()
    Entry.objects.bulk_create(
        Entry(track=track, problem=place.problem, position=position, day=place.day)
        for position, place in numbered
        if place.problem
    )
    PlannedEntry.objects.bulk_create(
        PlannedEntry(
            track=track,
            position=position,
            slug=place.planned.slug,
            title=place.planned.title,
            summary=place.planned.summary,
            day=place.day,
            topic=place.planned.topic if place.day else "",
            section=place.section,
        )
        for position, place in numbered
        if place.planned
    )


def _columns(file: TrackFile) -> Mapping[str, object]:
    return {
        "title": file.title,
        "summary": file.summary,
        "description": file.description,
        "order": file.order,
        "hours": file.hours,
        "prerequisites": "\n".join(file.prerequisites),
        "outcomes": "\n".join(file.outcomes),
    }
