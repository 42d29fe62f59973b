"""Which places of the boards a new version would change, by what a preview found of it."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from judge.report import Score
from judge.scoring import rank
from problems.vocabulary import Verdict
from web.staff.models import HiddenRun, Rejudge

Board = tuple[str, str]
_UNREAD = ("body", "listings", "submission__source")


@dataclass(frozen=True, slots=True)
class RankChange:
    """The place of somebody on a board now, and under the new version; None where they have none."""

    username: str
    language: str
    gpu_model: str
    before: int | None
    now: int | None


def rank_changes(rejudge: Rejudge) -> tuple[RankChange, ...]:
    """Every place that would change, by board and present place. Boards are of one language and GPU model."""
    runs = list(
        rejudge.runs.exclude(change="").select_related("submission__user").defer(*_UNREAD).order_by("pk")
    )
    old = _places(runs, old=True)
    new = _places(runs, old=False)
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


def _places(runs: Iterable[HiddenRun], *, old: bool) -> dict[Board, dict[str, int]]:
    """The place of everybody's best accepted submission, by board and name."""
    bests: dict[Board, dict[str, Score]] = defaultdict(dict)
    for run in runs:
        score = _score(run, old=old)
        if score is None:
            continue
        board = (run.submission.language, run.old_gpu_model if old else run.gpu_model)
        name = run.submission.user.username
        best = bests[board].get(name)
        if best is None or score.median_us < best.median_us:
            bests[board][name] = score
    return {
        board: dict(zip(scores, rank(list(scores.values())), strict=True)) for board, scores in bests.items()
    }


def _score(run: HiddenRun, *, old: bool) -> Score | None:
    verdict = run.old_verdict if old else run.verdict
    figures = (
        (run.old_score_us, run.old_low_us, run.old_high_us)
        if old
        else (run.score_us, run.low_us, run.high_us)
    )
    median, low, high = figures
    if verdict != Verdict.ACCEPTED.value or median is None or low is None or high is None:
        return None
    return Score(median_us=median, low_us=low, high_us=high)
