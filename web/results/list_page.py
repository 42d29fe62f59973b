"""The list of a user's submissions: a page of it, by cursor, and its filters."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.http import urlencode

from judge.report import Score
from web.accounts.models import User
from web.accounts.visibility import reads_all
from web.results.filters import LANGUAGES, MODES, VERDICTS
from web.submissions.models import Best, Progress, Submission
from web.submissions.queries import first_rows, list_submissions, score_of, verdict_of

ROWS = 30
_CURSORS = ("before", "after")
_MAX_PROBLEMS = 1000


@dataclass(frozen=True, slots=True)
class SubmissionRow:
    """A submission in the list. `best`: it is its author's best on its board."""

    submission: Submission
    verdict: str | None
    score: Score | None
    best: bool


@dataclass(frozen=True, slots=True)
class SubmissionListPage:
    """A page of the list. `newer` and `older` are query strings of the adjacent pages, empty without one.

    `author` is the user whose submissions it lists; None if the chosen user does not exist. `chooses` says
    whether the viewer may list the submissions of other users.
    """

    author: User | None
    chooses: bool

    rows: tuple[SubmissionRow, ...]
    narrowed: bool
    newer: str
    older: str
    problems: tuple[tuple[str, str], ...]
    verdicts: tuple[tuple[str, str], ...] = VERDICTS
    modes: tuple[tuple[str, str], ...] = MODES
    languages: tuple[tuple[str, str], ...] = LANGUAGES


def list_page(viewer: User, chosen: Mapping[str, str]) -> SubmissionListPage:
    """Return the submissions under the filters `chosen`, newest first. At most six queries.

    They are those of `viewer`. Viewers who may see every submission can choose another user.
    """
    chooses = reads_all(viewer)
    narrowing = {name: value for name, value in chosen.items() if name not in _CURSORS}
    if not chooses:
        narrowing.pop("user", None)
    name = narrowing.get("user")
    author = User.objects.filter(username__iexact=name).first() if name else viewer
    if author is None:
        return SubmissionListPage(None, chooses, rows=(), narrowed=True, newer="", older="", problems=())
    before, after = (_place(author, chosen.get(name)) for name in _CURSORS)
    rows = list_submissions(
        viewer,
        author=author,
        problem_slug=chosen.get("problem"),
        verdict=chosen.get("verdict"),
        mode=chosen.get("mode"),
        language=chosen.get("language"),
        before=before,
        after=after,
    )
    backwards = before is None and after is not None
    found = first_rows(rows, ROWS + 1)
    more = len(found) > ROWS
    shown = found[:ROWS][::-1] if backwards else found[:ROWS]
    begins_later = (backwards and more) or before is not None
    bests = set(
        Best.objects.filter(current=True, submission__in=[row.pk for row in shown]).values_list(
            "submission", flat=True
        )
    )
    return SubmissionListPage(
        author,
        chooses,
        rows=tuple(SubmissionRow(row, verdict_of(row), score_of(row), row.pk in bests) for row in shown),
        narrowed=bool(narrowing),
        newer=_query(narrowing, "after", shown[0]) if shown and begins_later else "",
        older=_query(narrowing, "before", shown[-1]) if shown and (more or backwards) else "",
        problems=_problems(author),
    )


def _place(author: User, public_id: str | None) -> tuple[datetime, int] | None:
    """Return the position in the list of the author's submission with that id."""
    if public_id is None:
        return None
    return Submission.objects.filter(user=author.pk, public_id=public_id).values_list("created", "pk").first()


def _problems(author: User) -> tuple[tuple[str, str], ...]:
    """Return the problems that `author` has attempted."""
    tried = Progress.objects.filter(user=author.pk).order_by("problem__title")
    return tuple(tried.values_list("problem__slug", "problem__title")[:_MAX_PROBLEMS])


def _query(narrowing: Mapping[str, str], cursor: str, row: Submission) -> str:
    return "?" + urlencode({**narrowing, cursor: row.public_id})
