"""Scores to compare a score with: the best of others, its author's own, and the baselines."""

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from judge.report import Score
from web.accounts.visibility import ranked_users
from web.submissions.models import Best, Submission

MIN_PEERS = 5


@dataclass(frozen=True, slots=True)
class PeerScores:
    """The best scores of all other users on the same board, shortest first.

    `times_us` is empty if there are fewer than `MIN_OTHERS` scores, because so few scores would reveal single
    users. `slower` counts the scores that this score beats.
    """

    count: int
    times_us: tuple[float, ...]
    slower: int

    @property
    def percentile(self) -> int:
        """Return the percentage of the others that are slower."""
        return round(100 * self.slower / len(self.times_us))


def peer_scores(submission: Submission, score: Score) -> PeerScores:
    """Return the other scores on the board of `submission`, whose score is `score`.

    The author and users who opted out of rankings are left out.
    """
    rows = _board(submission).filter(ranked_users("user"), current=True).exclude(user=submission.user_id)
    times_us = tuple(rows.order_by("score_us").values_list("score_us", flat=True))
    if len(times_us) < MIN_PEERS:
        return PeerScores(len(times_us), (), 0)
    return PeerScores(len(times_us), times_us, sum(time_us > score.median_us for time_us in times_us))


def own_best(submission: Submission) -> Best | None:
    """Return the author's best on the same board; for the best itself, the best submitted before it."""
    rows = _board(submission).filter(user=submission.user_id).exclude(submission=submission.pk)
    known = rows.filter(Q(current=True) | Q(handed_in__lt=submission.created))
    return known.select_related("submission").order_by("-current", "score_us", "handed_in").first()


def _board(submission: Submission) -> QuerySet[Best]:
    return Best.objects.filter(
        problem=submission.problem_id,
        version=submission.report.version,
        gpu_model=submission.report.gpu_model,
        language=submission.language,
    )
