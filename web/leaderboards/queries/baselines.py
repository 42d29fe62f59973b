"""Baselines: what others are compared with, measured by the same clock."""

from dataclasses import dataclass

from judge.report import Score
from problems.vocabulary import BaselineKind, Verdict
from web.catalog.models import Problem
from web.leaderboards.models import Baseline as StoredBaseline


@dataclass(frozen=True, slots=True)
class Baseline:
    """A figure to compare with, on one board. `submission_id` is the submission's key, for its page."""

    pk: int
    kind: BaselineKind
    label: str
    gpu: str
    language: str
    version: str
    score: Score
    roofline_percent: float | None
    driver: str
    toolkit: str
    submission_id: int
    public_id: str


def baselines(
    problem: Problem, gpu_model: str, version: str | None = None, *, language: str | None = None
) -> tuple[Baseline, ...]:
    """The baselines of `problem` that were timed on `gpu_model`, fastest first. One query.

    By default of the present version and in every language.
    """
    rows = StoredBaseline.objects.filter(
        problem=problem,
        submission__report__ranked=True,
        submission__report__verdict=Verdict.ACCEPTED.value,
        submission__report__gpu_model=gpu_model,
        submission__report__version=problem.version if version is None else version,
    )
    if language is not None:
        rows = rows.filter(submission__language=language)
    report = "submission__report"
    found = rows.order_by(f"{report}__score_us", "pk").values_list(
        *("pk", "kind", "label", f"{report}__gpu_model", "submission__language", f"{report}__version"),
        *(f"{report}__score_us", f"{report}__score_low_us", f"{report}__score_high_us"),
        *(f"{report}__roofline_percent", f"{report}__driver", f"{report}__toolkit"),
        *("submission", "submission__public_id"),
    )
    return tuple(
        Baseline(row[0], BaselineKind(row[1]), *row[2:6], Score(*row[6:9]), *row[9:]) for row in found
    )
