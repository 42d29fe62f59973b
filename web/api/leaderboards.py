"""Leaderboards."""

from datetime import datetime
from typing import Annotated, Any

from ninja import Query, Router, Schema
from pydantic import Field, StringConstraints

from judge.report import Score
from problems.vocabulary import BaselineKind, Language
from web.api.auth import PUBLIC, ApiRequest
from web.api.errors import documented
from web.api.problems import Slug, find
from web.leaderboards import queries

router = Router(auth=PUBLIC)


class BoardOut(Schema):
    """Comparable results: of one problem version, one GPU model and one language.

    `users` counts the ranked users. `latest` is the submission time of the newest score.
    """

    gpu: str
    language: Language
    users: int
    version: str
    latest: datetime | None


class StandingOut(Schema):
    """A user's best score, or the first accepted submission if nothing is ranked.

    Tied users share a `rank`. `score` is in microseconds, with its 95 % interval. `roofline_percent` is the
    share of the GPU's limit that it reaches. `driver`, `toolkit` and the problem's `version` are those of the
    measurement. If the problem ranks by the score of its checker, that is `checker_score`, and there is no
    `score`. `public_id` is empty if you can't read the submission.
    """

    username: str
    language: Language
    solved: datetime
    rank: int | None
    tied: bool
    score: Score | None
    checker_score: float | None
    roofline_percent: float | None
    driver: str
    toolkit: str
    version: str
    public_id: str


class BaselineOut(Schema):
    """A score to compare with: a simple program or a vendor library, timed with the same clock."""

    kind: BaselineKind
    label: str
    gpu: str
    language: Language
    version: str
    score: Score
    roofline_percent: float | None
    driver: str
    toolkit: str
    public_id: str


class StandingsOut(Schema):
    """A page of the standings of a problem. `note` explains them.

    `rows` belong to `board`, which has `total` places. `boards` lists all boards. `mine` is your own place,
    on whichever page it is. `records` are scores that were significantly better than all earlier scores,
    newest first. `next` is the value of `after` for the next page; null on the last page.
    """

    ranked: bool
    note: str
    board: BoardOut | None
    boards: list[BoardOut]
    total: int
    rows: list[StandingOut]
    mine: StandingOut | None
    records: list[StandingOut]
    baselines: list[BaselineOut]
    next: str | None


class WantedBoard(Schema):
    """The board to show. Default: the board of the current version with the most users."""

    gpu: Annotated[str, StringConstraints(max_length=120, pattern=r"^[^\x00]*$")] | None = None
    language: Language | None = None
    version: Annotated[str, StringConstraints(max_length=64, pattern=r"^[0-9a-z]*$")] | None = None
    after: Annotated[str, StringConstraints(max_length=80, pattern=r"^[^\x00]*$")] = ""
    limit: Annotated[int, Field(ge=1, le=100)] = 50


@router.get(
    "/{slug}", response={200: StandingsOut, **documented(401, 404, 422)}, summary="Show a leaderboard"
)
def show(request: ApiRequest, slug: Slug, wanted: Query[WantedBoard]) -> Any:
    """Return the users who solved the problem, ranked by GPU model and language if there is a GPU."""
    return queries.standings(
        find(request, slug),
        request.user,
        gpu=wanted.gpu,
        language=wanted.language,
        version=wanted.version,
        after=wanted.after,
        limit=wanted.limit,
    )
