"""Tracks: ordered paths of problems."""

from typing import Any

from django.http import Http404
from ninja import Router, Schema

from problems.vocabulary import Difficulty
from web.api.auth import PUBLIC, ApiRequest
from web.api.errors import documented
from web.api.problems import Slug
from web.tracks import queries

router = Router(auth=PUBLIC)


class StopOut(Schema):
    """A problem or quiz on a track, with your progress. `day` is null if the track has no days."""

    slug: str
    title: str
    difficulty: Difficulty
    day: int | None
    solved: bool
    attempted: bool
    is_quiz: bool


class PlannedStopOut(Schema):
    """An entry of a track that is still to come. `day` is null and `topic` empty if the track has no days."""

    slug: str
    title: str
    summary: str
    day: int | None
    topic: str


class TrackOut(Schema):
    """A track with its problems in order; `solved` counts those that you solved."""

    slug: str
    title: str
    summary: str
    solved: int
    stops: list[StopOut]


class TrackDetailOut(TrackOut):
    """A track with its description, as Markdown.

    `coming` are the entries that are still to come. `hours` is the estimated time for all entries, 0 if there
    is no estimate.
    """

    description: str
    hours: int
    prerequisites: list[str]
    outcomes: list[str]
    coming: list[PlannedStopOut]


@router.get("", response={200: list[TrackOut], **documented(401)}, summary="List tracks")
def list_tracks(request: ApiRequest) -> Any:
    """Return the published tracks in the order of the site."""
    return queries.list_paths(request.user)


@router.get("/{slug}", response={200: TrackDetailOut, **documented(401, 404, 422)}, summary="Show a track")
def show_track(request: ApiRequest, slug: Slug) -> Any:
    """Return a track with its problems and your progress."""
    path = queries.find_path(request.user, slug)
    if path is None:
        raise Http404
    return path
