"""The speed of a submission on its page: how it compares, and what limits it."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse
from django.utils.safestring import SafeString

from judge.report import CaseReport, Placement, Report, Score
from web.accounts.visibility import reads_all
from web.charts.histogram import histogram
from web.charts.roofline import Point, Roof, roofline
from web.charts.scale import short
from web.leaderboards.queries import baselines
from web.results import peer_scores
from web.results.peer_scores import MIN_PEERS, PeerScores
from web.results.tiers import Tiers, tiers_of
from web.submissions.models import Submission
from web.submissions.queries import Viewer


@dataclass(frozen=True, slots=True)
class Comparison:
    """A score that this one is compared with. `address` is empty if the viewer may not open its page.

    `factor` says how many times as fast this submission is. If the intervals overlap (`tied`), it is
    meaningless.
    """

    name: str
    score: Score
    url: str
    factor: float
    tied: bool


@dataclass(frozen=True, slots=True)
class Performance:
    """A ranked score next to others. `moved` describes cases without arithmetic, which have no roofline.

    `tiers` is None if the problem has none.
    """

    others: PeerScores
    comparisons: tuple[Comparison, ...]
    histogram: SafeString | None
    roofline: SafeString | None
    moved: tuple[str, ...]
    tiers: Tiers | None = None
    few: int = MIN_PEERS


def performance(submission: Submission, report: Report, viewer: Viewer) -> Performance | None:
    """Return the speed of `submission`, None without a ranked score. `report` is as `viewer` may see it."""
    score = report.score
    if score is None:
        return None
    found = peer_scores.peer_scores(submission, score)
    mine = "you" if submission.user_id == viewer.pk else "this submission"
    placed = [(case, case.timing.placement) for case in report.cases if case.timing and case.timing.placement]
    return Performance(
        others=found,
        comparisons=tuple(_comparisons(submission, score, viewer)),
        histogram=_histogram(found, score, mine) if found.times_us else None,
        roofline=_roofline([(case, place) for case, place in placed if place.intensity]),
        moved=tuple(_moved(case, place) for case, place in placed if not place.intensity),
        tiers=tiers_of(submission),
    )


def _comparisons(submission: Submission, score: Score, viewer: Viewer) -> Iterator[Comparison]:
    report = submission.report
    for baseline in baselines(submission.problem, report.gpu_model, report.version, viewer=viewer):
        if baseline.public_id != submission.public_id:
            url = reverse("submission", args=[baseline.public_id]) if baseline.public_id else ""
            yield _compare(baseline.label, score, baseline.score, url)
    # Other users may see this submission if it is shared, but not the author's other submissions.
    may_know = submission.user_id == viewer.pk or reads_all(viewer)
    best = peer_scores.own_best(submission) if may_know else None
    if best is not None:
        other = Score(best.score_us, best.score_low_us, best.score_high_us)
        name = "Your best" if best.current else "Your previous best"
        yield _compare(name, score, other, reverse("submission", args=[best.submission.public_id]))


def _compare(name: str, score: Score, other: Score, url: str = "") -> Comparison:
    tied = score.low_us <= other.high_us and other.low_us <= score.high_us
    return Comparison(name, other, url, other.median_us / score.median_us, tied)


def _histogram(found: PeerScores, score: Score, mine: str) -> SafeString:
    return histogram(
        "spread",
        found.times_us,
        mine_us=score.median_us,
        mine=mine,
        title="Best scores of other users",
        who="users",
    )


def _roofline(placed: list[tuple[CaseReport, Placement]]) -> SafeString | None:
    if not placed:
        return None
    first = placed[0][1]
    return roofline(
        "roofline",
        Roof(first.peak_bytes_per_s, first.peak_operations_per_s),
        [Point(case.name, place.intensity, place.bytes_per_s) for case, place in placed],
        title="Roofline of this GPU",
    )


def _moved(case: CaseReport, place: Placement) -> str:
    """Describe a case whose formulas count no operations."""
    percent = 100 * place.bytes_per_s / place.peak_bytes_per_s
    reached, possible = short(place.bytes_per_s), short(place.peak_bytes_per_s)
    return f"{case.name}: {reached}B/s of {possible}B/s, {percent:.0f} %"
