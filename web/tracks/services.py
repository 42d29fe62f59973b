"""Writes to tracks."""

from collections.abc import Iterable, Mapping

from django.db import transaction

from problems.track import TrackFile
from web.catalog.models import Problem
from web.tracks.models import Entry, Track

DAYS = "hundred-days"
_DAYS_TITLE = "A hundred days"
_DAYS_SUMMARY = "A problem a day, each a small step further than the one before."


@transaction.atomic
def sync(files: Iterable[TrackFile]) -> int:
    """Update the tracks from `files` and the problems' track days. Return how many there are.

    New tracks are published. Existing ones keep the choice of staff, also if their file is missing or broken:
    then they have no problems and are hidden. Tracks that staff wrote stay as they are, and a file with the
    slug of one of them is skipped. Call it after the problems are synced.
    """
    written = set(Track.objects.filter(from_files=False).values_list("slug", flat=True))
    problems = {problem.slug: problem for problem in Problem.objects.only("slug", "track_day")}
    days = [problem for problem in problems.values() if problem.track_day is not None]
    days.sort(key=lambda problem: (problem.track_day, problem.slug))
    wanted = [file for file in files if file.slug not in {DAYS, *written}]
    for file in wanted:
        columns = {"title": file.title, "summary": file.summary, "order": file.order}
        columns["description"] = file.description
        _sync(file.slug, columns, [problems[slug] for slug in file.problems if slug in problems], days=False)
    if days:
        columns = {"title": _DAYS_TITLE, "summary": _DAYS_SUMMARY, "order": 0}
        _sync(DAYS, columns, days, days=True)
    known = {file.slug for file in wanted} | ({DAYS} if days else set())
    Entry.objects.filter(track__from_files=True).exclude(track__slug__in=known).delete()
    return len(known)


def _sync(slug: str, columns: Mapping[str, object], problems: Iterable[Problem], *, days: bool) -> None:
    track, _ = Track.objects.update_or_create(slug=slug, defaults=dict(columns))
    set_problems(track, problems, days=days)


def set_problems(track: Track, problems: Iterable[Problem], *, days: bool = False) -> None:
    """Make `problems`, in this order, the content of `track`. With `days`, each keeps its track day."""
    Entry.objects.filter(track=track).delete()
    Entry.objects.bulk_create(
        Entry(track=track, problem=problem, position=place, day=problem.track_day if days else None)
        for place, problem in enumerate(problems, start=1)
    )
