"""Reads of the overall ranking. `web.leaderboards.ranking` defines the points."""

from dataclasses import dataclass

from django.db.models import F, Q, QuerySet

from web.accounts import visibility as profiles
from web.accounts.visibility import Viewer
from web.leaderboards.models import Place, Ranking

MAX_ROWS = 50


@dataclass(frozen=True, slots=True)
class Ranked:
    """A user's place. Equal points share a `rank`; `full` counts the problems with all points."""

    username: str
    rank: int
    points: float
    problems: int
    full: int
    profiled: bool


@dataclass(frozen=True, slots=True)
class RankingPage:
    """A page of a ranking, and the list of all rankings: per GPU model, all problems first.

    `ranking` is None if nothing was timed yet. `mine` is the viewer's own place on any page, and `around_me`
    the cursor of a page with it. `next` is a cursor, None on the last page.
    """

    rankings: tuple[Ranking, ...]
    ranking: Ranking | None = None
    rows: tuple[Ranked, ...] = ()
    mine: Ranked | None = None
    around_me: str = ""
    continued: bool = False
    next: str | None = None


def ranking_page(
    viewer: Viewer,
    *,
    gpu: str | None = None,
    track: str | None = None,
    after: str = "",
    limit: int = MAX_ROWS,
) -> RankingPage:
    """Return the page of the ranking of `gpu` and `track` that begins after the cursor's row.

    The default is the ranking of all problems with the most users, also for a track without a ranking. Takes
    three queries.
    """
    rankings = tuple(
        Ranking.objects.filter(Q(track__isnull=True) | Q(track__published=True))
        .select_related("track")
        .order_by("gpu_model", F("track__order").asc(nulls_first=True), "track__slug")
    )
    chosen = _choose(rankings, gpu, track)
    if chosen is None:
        return RankingPage(rankings)
    places = Place.objects.filter(profiles.ranked_users("user"), ranking=chosen).select_related("user")
    begun = _parse(after)
    page = list(_from(places, begun)[: limit + 1])
    mine = places.filter(user=viewer.pk).first() if viewer.is_authenticated else None
    shown = tuple(_ranked(place, viewer) for place in page[:limit])
    return RankingPage(
        rankings=rankings,
        ranking=chosen,
        rows=shown,
        mine=_ranked(mine, viewer) if mine else None,
        around_me=_around(mine.rank) if mine else "",
        continued=begun is not None,
        next=f"{shown[-1].rank}~{shown[-1].username}" if len(page) > limit else None,
    )


def _choose(rankings: tuple[Ranking, ...], gpu: str | None, track: str | None) -> Ranking | None:
    """Return the matching ranking with the most users; None if there is none."""
    of_gpu = [ranking for ranking in rankings if gpu in {None, ranking.gpu_model}] or list(rankings)
    of_track = [ranking for ranking in of_gpu if track == (ranking.track.slug if ranking.track else None)]
    return max(of_track or of_gpu, key=lambda ranking: ranking.people, default=None)


def _from(places: QuerySet[Place], begun: tuple[int, str] | None) -> QuerySet[Place]:
    if begun:
        rank, name = begun
        places = places.filter(rank__gte=rank).filter(Q(rank__gt=rank) | Q(user__username__gt=name))
    return places.order_by("rank", "user__username")


def _around(rank: int) -> str:
    """Return the cursor of a page that begins a little before `rank`."""
    return f"{max(rank - MAX_ROWS // 2, 0)}~" if rank > MAX_ROWS else ""


def _ranked(place: Place, viewer: Viewer) -> Ranked:
    return Ranked(
        place.user.username,
        place.rank,
        place.points,
        place.problems,
        place.full,
        profiles.may_see_profile(viewer, place.user),
    )


def _parse(cursor: str) -> tuple[int, str] | None:
    text, _, name = cursor.replace("\0", "").partition("~")
    return (int(text), name) if text.isascii() and text.isdigit() and len(text) < 10 else None
