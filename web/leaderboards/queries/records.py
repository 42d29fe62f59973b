"""Records: scores that were significantly better than all earlier scores on their board."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from judge.report import Score
from web.accounts import visibility as profiles
from web.accounts.models import User
from web.accounts.visibility import Viewer
from web.submissions.models import Best

MAX_RECORDS = 100
_COLUMNS = (
    *("user__username", "problem__slug", "problem__title", "gpu_model", "language", "version"),
    *("score_us", "score_low_us", "score_high_us", "handed_in", "submission__public_id", "beaten"),
)


@dataclass(frozen=True, slots=True)
class Record:
    """A score that beat all earlier scores when it was submitted. `stands` until another record beats it.

    `slug` and `title` are the problem's; `gpu`, `language` and `version` are its board. `public_id` is the
    submission's, whose page only permitted users can open.
    """

    username: str
    slug: str
    title: str
    gpu: str
    language: str
    version: str
    score: Score
    handed_in: datetime
    public_id: str
    stands: bool


def recent_records(limit: int = 5) -> list[Record]:
    """Return the newest records on the current versions of published problems, newest first. One query."""
    return _read(Q(), limit)


def records_of(user: User, viewer: Viewer, limit: int = MAX_RECORDS) -> list[Record]:
    """Return the records of `user` on the current versions of published problems, newest first. One query.

    Return none if the viewer may not see the profile of `user`.
    """
    return _read(Q(user=user), limit) if profiles.may_see_profile(viewer, user) else []


def _read(condition: Q, limit: int) -> list[Record]:
    shown = Best.objects.filter(
        condition,
        profiles.ranked_users("user"),
        record=True,
        problem__published=True,
        version=F("problem__version"),
    )
    rows = shown.annotate(beaten=Exists(_later())).order_by("-handed_in", "-submission_id")
    return [_record(row) for row in rows.values(*_COLUMNS)[:limit]]


def _record(row: Mapping[str, Any]) -> Record:
    return Record(
        username=row["user__username"],
        slug=row["problem__slug"],
        title=row["problem__title"],
        gpu=row["gpu_model"],
        language=row["language"],
        version=row["version"],
        score=Score(row["score_us"], row["score_low_us"], row["score_high_us"]),
        handed_in=row["handed_in"],
        public_id=row["submission__public_id"],
        stands=not row["beaten"],
    )


def _later() -> QuerySet[Best]:
    """Return the records of the same board that came after a row."""
    board = {name: OuterRef(name) for name in ("problem", "version", "gpu_model", "language")}
    later = Q(handed_in__gt=OuterRef("handed_in"))
    later |= Q(handed_in=OuterRef("handed_in"), submission__gt=OuterRef("submission"))
    return Best.objects.filter(later, record=True, **board)
