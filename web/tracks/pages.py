"""The contents of the page of a track."""

from dataclasses import dataclass

from django.http import Http404
from django.utils import timezone
from django.utils.safestring import SafeString

from web.catalog.markdown import render
from web.catalog.queries import Viewer
from web.tracks import queries
from web.tracks.queries import VisibleTrack


@dataclass(frozen=True, slots=True)
class TrackPage:
    """A track with its description rendered. `contest` is its state; empty if it has no contest."""

    path: VisibleTrack
    description: SafeString
    contest: str


def track_page(viewer: Viewer, slug: str) -> TrackPage:
    """Return the page of the track with that slug.

    Raises:
        Http404: there is none that `viewer` may see.
    """
    path = queries.find_path(viewer, slug)
    if path is None:
        raise Http404("Track not found.")
    contest = path.contest.state(timezone.now()) if path.contest else ""
    return TrackPage(path, render(path.description), contest)
