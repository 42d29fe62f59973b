"""Reads of baselines: scores to compare with, measured by the same clock."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef

from judge.report import Score
from problems.vocabulary import BaselineKind, Verdict
from web.catalog.models import Problem
from web.leaderboards.models import Baseline as StoredBaseline
from web.submissions.queries import Viewer, visible_submissions

_REPORT = "submission__report__"
_FIGURES = ("score_us", "score_low_us", "score_high_us", "roofline_percent")
_COLUMNS = (
    *("pk", "kind", "label", "submission__language", "submission__public_id", "readable"),
    *(_REPORT + name for name in (*_FIGURES, "gpu_model", "version", "driver", "toolkit")),
)


@dataclass(frozen=True, slots=True)
class BaselineScore:
    """A baseline's score on one board. `pk` is the key of the stored baseline.

    `public_id` is the submission's if the viewer may read it, else empty.
    """

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
    public_id: str


def baselines(
    problem: Problem,
    gpu_model: str,
    version: str | None = None,
    *,
    language: str | None = None,
    viewer: Viewer | None = None,
) -> tuple[BaselineScore, ...]:
    """Return the baselines of `problem` that were timed on `gpu_model`, fastest first. One query.

    By default, return those of the current version, in every language. Without a viewer, no source is linked.
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
    visible = visible_submissions(viewer or AnonymousUser())
    readable = Exists(visible.filter(pk=OuterRef("submission")))
    found = rows.annotate(readable=readable).order_by("submission__report__score_us", "pk")
    return tuple(_baseline(row) for row in found.values(*_COLUMNS))


def _baseline(row: Mapping[str, Any]) -> BaselineScore:
    report = {name.removeprefix(_REPORT): value for name, value in row.items() if name.startswith(_REPORT)}
    return BaselineScore(
        pk=row["pk"],
        kind=BaselineKind(row["kind"]),
        label=row["label"],
        gpu=report["gpu_model"],
        language=row["submission__language"],
        version=report["version"],
        score=Score(report["score_us"], report["score_low_us"], report["score_high_us"]),
        roofline_percent=report["roofline_percent"],
        driver=report["driver"],
        toolkit=report["toolkit"],
        public_id=row["submission__public_id"] if row["readable"] else "",
    )
