"""The changes of places on leaderboards that a new version would cause, computed from a preview.

Learners see the board of the version that was live when the preview began. Submissions that older versions
judged are on their own boards. The new board has the submissions that the preview judged. If the new version
was live before, the board also has those that it judged then.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from judge.report import Score
from judge.scoring import rank
from problems.vocabulary import Mode, Verdict
from web.accounts.visibility import ranked_users
from web.packages.queries import find_version
from web.rejudges.models import HiddenRun, Rejudge, RejudgeState
from web.submissions.models import Report

Board = tuple[str, str]
_UNREAD = ("body", "listings", "submission__source")


@dataclass(frozen=True, slots=True)
class RankChange:
    """The place of a user on a board now and under the new version. None: the user has no place."""

    username: str
    language: str
    gpu_model: str
    before: int | None
    now: int | None


@dataclass(frozen=True, slots=True)
class _Entry:
    """A timed submission on a board."""

    board: Board
    username: str
    score: Score


def ranks_known(rejudge: Rejudge) -> bool:
    """Return whether everything was judged and is still stored. Otherwise, places would be incomplete."""
    unknown = {RejudgeState.RUNNING, RejudgeState.CANCELLED}
    return rejudge.state not in unknown and rejudge.runs.exists()


def rank_changes(rejudge: Rejudge) -> tuple[RankChange, ...]:
    """Return all changes of places, sorted by board and current place.

    A board has one language and GPU model.
    """
    judged = rejudge.runs.exclude(change="").filter(ranked_users("submission__user"))
    runs = list(judged.select_related("submission__user").defer(*_UNREAD).order_by("pk"))
    old = _places(_before(rejudge, runs))
    new = _places([*_after(runs), *_there_already(rejudge)])
    found = [
        RankChange(name, *board, old.get(board, {}).get(name), new.get(board, {}).get(name))
        for board in {*old, *new}
        for name in {*old.get(board, {}), *new.get(board, {})}
    ]
    changed = [change for change in found if change.before != change.now]
    return tuple(
        sorted(
            changed,
            key=lambda row: (row.language, row.gpu_model, row.before or row.now or 0, row.username),
        )
    )


def _places(entries: Iterable[_Entry]) -> dict[Board, dict[str, int]]:
    """Return the place of each user's best submission, by board and username."""
    bests: dict[Board, dict[str, Score]] = defaultdict(dict)
    for entry in entries:
        best = bests[entry.board].get(entry.username)
        if best is None or entry.score.median_us < best.median_us:
            bests[entry.board][entry.username] = entry.score
    return {
        board: dict(zip(scores, rank(list(scores.values())), strict=True)) for board, scores in bests.items()
    }


def _before(rejudge: Rejudge, runs: Iterable[HiddenRun]) -> Iterator[_Entry]:
    against = _version_before(rejudge)
    for run in runs:
        score = _score(run.old_verdict, run.old_score_us, run.old_low_us, run.old_high_us)
        if score is not None and against in {None, run.old_version}:
            yield _Entry((run.submission.language, run.old_gpu_model), run.submission.user.username, score)


def _after(runs: Iterable[HiddenRun]) -> Iterator[_Entry]:
    for run in runs:
        score = _score(run.verdict, run.score_us, run.low_us, run.high_us)
        if score is not None:
            yield _Entry((run.submission.language, run.gpu_model), run.submission.user.username, score)


def _there_already(rejudge: Rejudge) -> Iterator[_Entry]:
    """Yield the submissions that the new version judged before the preview began."""
    if rejudge.package is None:
        return
    reports = Report.objects.filter(
        ranked_users("submission__user"),
        ranked=True,
        verdict=Verdict.ACCEPTED.value,
        version=rejudge.package.version,
        submission__mode=Mode.SUBMIT.value,
        submission__problem=rejudge.package.problem_id,
        submission__created__lte=rejudge.created,
    ).exclude(submission__in=rejudge.runs.values("submission"))
    columns = ("submission__language", "gpu_model", "submission__user__username")
    for language, gpu_model, name, *figures in reports.values_list(
        *columns, "verdict", "score_us", "score_low_us", "score_high_us"
    ):
        score = _score(*figures)
        if score is not None:
            yield _Entry((language, gpu_model), name, score)


def _version_before(rejudge: Rejudge) -> str | None:
    """Return the name of the version that was live, or None if the preview did not record it."""
    number = rejudge.chosen.get("against")
    if rejudge.package is None or not number:
        return None
    before = find_version(rejudge.package.problem.slug, number)
    return before.version if before else None


def _score(verdict: str, median: float | None, low: float | None, high: float | None) -> Score | None:
    if verdict != Verdict.ACCEPTED.value or median is None or low is None or high is None:
        return None
    return Score(median_us=median, low_us=low, high_us=high)
