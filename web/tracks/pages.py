"""The contents of the pages of a track and of a certificate."""

from dataclasses import dataclass

from django.http import Http404
from django.utils import timezone
from django.utils.safestring import SafeString

from web.catalog.markdown import render
from web.catalog.queries import Viewer
from web.tracks import queries
from web.tracks.certificates import certificate_token
from web.tracks.queries import PlannedStop, Stop, VisibleTrack


@dataclass(frozen=True, slots=True)
class TrackSection:
    """Entries of a track that belong together. `title` is empty if the track has no sections."""

    title: str
    entries: tuple[Stop | PlannedStop, ...]

    @property
    def anchor(self) -> str:
        """Return the id of its heading."""
        return f"from-{self.entries[0].position}"

    @property
    def days(self) -> tuple[int, int] | None:
        """Return the first and the last day; None if the entries have no days."""
        days = [entry.day for entry in self.entries if entry.day]
        return (days[0], days[-1]) if days else None

    @property
    def live(self) -> int:
        """Return the number of problems that exist."""
        return sum(isinstance(entry, Stop) for entry in self.entries)

    @property
    def coming(self) -> int:
        """Return the number of entries that are still to come."""
        return len(self.entries) - self.live

    @property
    def solved(self) -> int:
        """Return the number of solved problems."""
        return sum(isinstance(entry, Stop) and entry.solved for entry in self.entries)


@dataclass(frozen=True, slots=True)
class TrackPage:
    """A track with its description rendered. `contest` is its state; empty if it has no contest.

    `certificate` is the token of the viewer's certificate; empty until the track is finished.
    """

    path: VisibleTrack
    description: SafeString
    contest: str
    sections: tuple[TrackSection, ...]
    certificate: str


def track_page(viewer: Viewer, slug: str) -> TrackPage:
    """Return the page of the track with that slug.

    Raises:
        Http404: there is none that `viewer` may see.
    """
    path = queries.find_path(viewer, slug)
    if path is None:
        raise Http404("Track not found.")
    contest = path.contest.state(timezone.now()) if path.contest else ""
    token = certificate_token(viewer, path)
    return TrackPage(path, render(path.description), contest, _sections(path), token)


def _sections(path: VisibleTrack) -> tuple[TrackSection, ...]:
    """Return the entries by section. An entry without a section belongs to that of the entry before."""
    found: list[tuple[str, list[Stop | PlannedStop]]] = []
    for entry in path.entries:
        if not found or entry.section not in {"", found[-1][0]}:
            found.append((entry.section, []))
        found[-1][1].append(entry)
    return tuple(TrackSection(title, tuple(entries)) for title, entries in found)
