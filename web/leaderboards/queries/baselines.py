"""Baselines: what others are compared with, measured by the same clock."""

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef

from judge.report import Score
from problems.vocabulary import BaselineKind, Verdict
from web.catalog.models import Problem
from web.leaderboards.models import Baseline as StoredBaseline
from web.submissions.queries import Viewer, visible_submissions


@dataclass(frozen=True, slots=True)
class Baseline:
    """A figure to compare with, on one board. `pk` is that of the stored one.

    `public_id` is the submission's where the viewer may read it, else empty.
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
) -> tuple[Baseline, ...]:
    """The baselines of `problem` that were timed on `gpu_model`, fastest first. One query.

    By default of the present version and in every language. Without a viewer nobody's source is linked.
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
    visible = visible_submissions(viewer or AnonymousUser())
    rows = rows.annotate(readable=Exists(visible.filter(pk=OuterRef("submission"))))
    found = rows.order_by(f"{report}__score_us", "pk").values_list(
        *("pk", "kind", "label", f"{report}__gpu_model", "submission__language", f"{report}__version"),
        *(f"{report}__score_us", f"{report}__score_low_us", f"{report}__score_high_us"),
        *(f"{report}__roofline_percent", f"{report}__driver", f"{report}__toolkit"),
        *("submission__public_id", "readable"),
    )
    return tuple(
        Baseline(
            row[0], BaselineKind(row[1]), *row[2:6], Score(*row[6:9]), *row[9:12], row[12] if row[13] else ""
        )
        for row in found
    )
