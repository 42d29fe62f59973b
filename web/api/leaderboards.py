"""Leaderboards."""

from datetime import datetime
from typing import Annotated, Any

from ninja import Query, Router, Schema
from pydantic import StringConstraints

from judge.report import Score
from problems.vocabulary import Language
from web.api.auth import PUBLIC, ApiRequest
from web.api.errors import documented
from web.api.problems import Slug, find
from web.leaderboards import queries

router = Router(auth=PUBLIC)


class BoardOut(Schema):
    """Results that may be compared: of one GPU model and one language. `users` counts those ranked."""

    gpu: str
    language: Language
    users: int


class StandingOut(Schema):
    """One user's best score, or first accepted submission where nothing is ranked.

    `rank` is shared in a tie. `score` is in microseconds with its 95 % interval, `roofline_percent` the
    part of this GPU's speed that it reaches. `driver`, `toolkit` and the problem's `version` stamp it.
    """

    username: str
    language: Language
    solved: datetime
    rank: int | None
    tied: bool
    score: Score | None
    roofline_percent: float | None
    driver: str
    toolkit: str
    version: str


class StandingsOut(Schema):
    """The standings of a problem. `note` says what they mean.

    `rows` belong to `board`; `boards` are all that there are. `records` are scores that were surely better
    than all before them, newest first, `older` those on earlier versions of the problem, which rank no more.
    """

    ranked: bool
    note: str
    board: BoardOut | None
    boards: list[BoardOut]
    rows: list[StandingOut]
    records: list[StandingOut]
    older: list[StandingOut]


class Wanted(Schema):
    """Which board to show; the one with most users by default."""

    gpu: Annotated[str, StringConstraints(max_length=120, pattern=r"^[^\x00]*$")] | None = None
    language: Language | None = None


@router.get(
    "/{slug}", response={200: StandingsOut, **documented(401, 404, 422)}, summary="Show a leaderboard"
)
def show(request: ApiRequest, slug: Slug, wanted: Query[Wanted]) -> Any:
    """Who solved the problem, ranked for each GPU model and language. Nothing is ranked without a GPU."""
    username = request.user.get_username()
    problem = find(request, slug)
    return queries.standings(problem, gpu=wanted.gpu, language=wanted.language, username=username)
