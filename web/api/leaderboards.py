"""Leaderboards."""

from datetime import datetime
from typing import Any

from ninja import Router, Schema

from problems.vocabulary import Language
from web.api.auth import PUBLIC, ApiRequest
from web.api.errors import documented
from web.api.problems import Slug, find
from web.leaderboards import queries

router = Router(auth=PUBLIC)


class StandingOut(Schema):
    """One user's first accepted submission in one language."""

    username: str
    language: Language
    solved: datetime


class StandingsOut(Schema):
    """The standings of a problem. `note` says what they mean."""

    ranked: bool
    note: str
    rows: list[StandingOut]


@router.get(
    "/{slug}", response={200: StandingsOut, **documented(401, 404, 422)}, summary="Show a leaderboard"
)
def show(request: ApiRequest, slug: Slug) -> Any:
    """Who solved the problem. Nothing is ranked without a GPU."""
    return queries.standings(find(request, slug))
