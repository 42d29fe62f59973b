"""The time that judging took: GPU seconds and CPU seconds, by user, class, node and in total.

A report stores two sums of its stages. `gpu_ms` is the wall time of the stages that need a GPU, even while
other programs share that GPU. `cpu_ms` is the wall time of compilers and of functional mode. Waiting counts
as neither of them. A class is a group of users (`django.contrib.auth`).

Reports from before version 0.3 have no sums. Attempts of lost workers, proofs, trials, previews, and runs
of a rejudge before it is applied are not counted, and neither are runs on personal nodes. A rejudge replaces
the times of its submissions.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Q, QuerySet, Sum

from judge.report import Report as JudgeReport
from problems.vocabulary import Stage
from web.jobs.queries import host_of
from web.submissions.models import Report

MAX_ROWS = 50_000
_ON_CPU = {Stage.COMPILE, Stage.EXAMINE}
_ON_TARGET = {Stage.LOAD, Stage.CHECK, Stage.DRAW, Stage.RANK}
_MOST_MS = 2**31 - 1  # the largest value of the column


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of one user, class or node. `name` is empty for submissions that have none."""

    name: str
    submissions: int = 0
    gpu_ms: int = 0
    cpu_ms: int = 0

    @property
    def gpu_s(self) -> float:
        """Return the GPU seconds."""
        return self.gpu_ms / 1000

    @property
    def cpu_s(self) -> float:
        """Return the CPU seconds."""
        return self.cpu_ms / 1000


def times_of(report: JudgeReport) -> tuple[int, int]:
    """Return the milliseconds of a judgement on a GPU and on CPUs."""
    target_ms = sum(stage.ms for stage in report.stages if stage.name in _ON_TARGET)
    cpu_ms = sum(stage.ms for stage in report.stages if stage.name in _ON_CPU)
    gpu_ms, cpu_ms = (target_ms, cpu_ms) if report.environment.get("gpu") else (0.0, cpu_ms + target_ms)
    return min(round(gpu_ms), _MOST_MS), min(round(cpu_ms), _MOST_MS)


def total(begin: datetime, end: datetime) -> Usage:
    """Return the usage of all submissions with a verdict from `begin` until before `end`."""
    found = _judged(begin, end).aggregate(n=Count("pk"), gpu=Sum("gpu_ms"), cpu=Sum("cpu_ms"))
    return Usage("", found["n"], found["gpu"] or 0, found["cpu"] or 0)


def by_user(begin: datetime, end: datetime) -> list[Usage]:
    """Return the usage of each user, the highest first. One query."""
    return _grouped(_judged(begin, end), "submission__user__username")


def by_class(begin: datetime, end: datetime) -> list[Usage]:
    """Return the usage of each class. A user in two classes counts in both. One query."""
    return _grouped(_judged(begin, end), "submission__user__groups__name")


def by_node(begin: datetime, end: datetime) -> list[Usage]:
    """Return the usage of each node, under an empty name where the worker is unknown. One query."""
    sums: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for worker in _grouped(_judged(begin, end), "submission__job__worker"):
        node = sums[host_of(worker.name)]
        for position, value in enumerate((worker.submissions, worker.gpu_ms, worker.cpu_ms)):
            node[position] += value
    return _sorted(Usage(name, *values) for name, values in sums.items())


def gpu_ms_of(owners: Q, begin: datetime) -> int:
    """Return the GPU time of judged submissions that the users `owners` made since `begin`.

    `owners` is a condition on submissions.
    """
    made = Report.objects.filter(owners, submission__created__gte=begin)
    return made.aggregate(sum=Sum("gpu_ms"))["sum"] or 0


def gpu_ms_of_node(name: str, begin: datetime) -> int:
    """Return the GPU time of submissions that a node has judged since `begin`."""
    worker = Q(submission__job__worker=name) | Q(submission__job__worker__startswith=f"{name}:")
    return Report.objects.filter(worker, finished__gte=begin).aggregate(sum=Sum("gpu_ms"))["sum"] or 0


def _judged(begin: datetime, end: datetime) -> QuerySet[Report]:
    ours = Report.objects.filter(submission__personal_node=False)
    return ours.filter(finished__gte=begin, finished__lt=end).order_by()


def _grouped(reports: QuerySet[Report], column: str) -> list[Usage]:
    rows = (
        reports.values(name=F(column))
        .annotate(n=Count("pk"), gpu=Sum("gpu_ms"), cpu=Sum("cpu_ms"))
        .order_by(F("gpu").desc(nulls_last=True), F("cpu").desc(nulls_last=True), "name")
        .values_list("name", "n", "gpu", "cpu")
    )
    return [Usage(name or "", n, gpu or 0, cpu or 0) for name, n, gpu, cpu in rows[:MAX_ROWS]]


def _sorted(usages: Iterable[Usage]) -> list[Usage]:
    return sorted(usages, key=lambda usage: (-usage.gpu_ms, -usage.cpu_ms, usage.name))
