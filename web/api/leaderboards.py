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
    """Results that may be compared: of one version of the problem, one GPU model and one language.

    `users` counts those ranked, `latest` is when the newest of their scores was handed in.
    """

    gpu: str
    language: Language
    users: int
    version: str
    latest: datetime | None


class StandingOut(Schema):
    """One user's best score, or first accepted submission where nothing is ranked.

    `rank` is shared in a tie. `score` is in microseconds with its 95 % interval, `roofline_percent` the
    part of this GPU's speed that it reaches. `driver`, `toolkit` and the problem's `version` stamp it.
    `public_id` is the submission's where you may read it, else empty.
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
    public_id: str


class BaselineOut(Schema):
    """What to compare with: a plain reference program or a vendor's library, measured by the same clock."""

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
    """A page of the standings of a problem. `note` says what they mean.

    `rows` belong to `board`, which has `total` places; `boards` are all that there are. `mine` is your own
    place, whichever page it is on. `records` are scores that were surely better than all before them, newest
    first. `next` is the value of `after` that gives the next page, null on the last.
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
    """Which board to show; of the present version the one with most users by default."""

    gpu: Annotated[str, StringConstraints(max_length=120, pattern=r"^[^\x00]*$")] | None = None
    language: Language | None = None
    version: Annotated[str, StringConstraints(max_length=64, pattern=r"^[0-9a-z]*$")] | None = None
    after: Annotated[str, StringConstraints(max_length=80, pattern=r"^[^\x00]*$")] = ""
    limit: Annotated[int, Field(ge=1, le=100)] = 50


@router.get(
    "/{slug}", response={200: StandingsOut, **documented(401, 404, 422)}, summary="Show a leaderboard"
)
def show(request: ApiRequest, slug: Slug, wanted: Query[WantedBoard]) -> Any:
    """Who solved the problem, ranked for each GPU model and language. Nothing is ranked without a GPU."""
    return queries.standings(
        find(request, slug),
        request.user,
        gpu=wanted.gpu,
        language=wanted.language,
        version=wanted.version,
        after=wanted.after,
        limit=wanted.limit,
    )
