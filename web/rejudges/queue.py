"""The queue of hidden runs. The rest is in `web.jobs.queue`.

Theory of operation. A worker takes a hidden run only when no visible job waits. The result of a run is stored
in its own row, so queries about submissions never return it, and the visible verdict does not change. A run
whose submission was judged on a GPU waits for a GPU, as long as any GPU is in use.
"""

import json
import zlib
from collections.abc import Collection, Mapping
from dataclasses import replace

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from judge.report import Report
from judge.report_json import from_json, to_json
from problems.vocabulary import Verdict
from web.fleet.queries import offered_gpu_models
from web.jobs.models import CPU, OPEN
from web.jobs.queue import Failure, JobQueue
from web.packages.models import PackageVersion
from web.rejudges.models import Change, HiddenRun, Rejudge, RejudgeState
from web.submissions.models import STAMP_CHARACTERS, EventKind
from web.submissions.queues import GPU, queue_of_model, served_by

_MESSAGES = {
    Failure.TRIES_USED: "The judge failed on this submission several times.",
    Failure.WORKER_HUNG: "The judge could not read this source in time.",
    Failure.NO_HOST: "No worker has everything that this submission needs.",
}


class HiddenQueue(JobQueue[HiddenRun]):
    """Hidden runs of rejudges. When a rejudge is cancelled, its runs end."""

    model = HiddenRun

    def served_by(self, gpu_models: Collection[str]) -> tuple[str, ...]:
        """Return the queues of the worker's hardware; also the queue `gpu` if no GPU is in use."""
        served = served_by(gpu_models)
        return served if gpu_models or offered_gpu_models() else (GPU, *served)

    def rows(self) -> QuerySet[HiddenRun]:
        """Return the runs with the submission, its problem and its job."""
        return HiddenRun.objects.select_related("submission__problem", "submission__job")

    def claimed(self, job: HiddenRun) -> None:
        """Set the run's version on the submission, only in memory: the stored submission keeps its own."""
        job.submission.package_id = job.package_id

    def wakeup_queue(self, queue: str) -> str:
        """Return `cpu` for the queue `gpu`, because every worker may take its runs if no GPU is in use."""
        return CPU if queue == GPU else queue

    def add_event(self, job: HiddenRun, kind: EventKind, payload: Mapping[str, object]) -> None:  # noqa: ARG002 - those of a visible job
        """Store no event: no page shows the steps of a hidden run.

        Raises:
            LeaseLost: the run is no longer this worker's.
        """
        self.tell(job)

    @transaction.atomic
    def record(self, job: HiddenRun, report: Report) -> bool:
        """Store the report in the run's row. Return False if the lease was lost: then nothing is stored."""
        # Only one transaction may find that it records the last run. The rejudge's row is the lock.
        rejudge = Rejudge.objects.select_for_update().filter(pk=job.rejudge_id).first()
        if rejudge is None or not self.finish(job, **_columns(job, report)):
            return False
        if not rejudge.runs.filter(state__in=OPEN).exists():
            Rejudge.objects.filter(pk=rejudge.pk).update(state=RejudgeState.READY)
        self.wake(job.queue)
        return True

    def fail(self, job: HiddenRun, failure: Failure) -> bool:
        """Record that the judge failed on the run."""
        return self.record(job, Report(Verdict.INTERNAL_ERROR, _MESSAGES[failure]))


def queue_for_run(gpu_model: str, old_gpu_model: str) -> str:
    """Return the queue of a run whose submission requested `gpu_model` and was judged on `old_gpu_model`."""
    if gpu_model:
        return queue_of_model(gpu_model)
    return GPU if old_gpu_model else CPU


def stored_report(run: HiddenRun) -> Report:
    """Return the report of a judged run, with its listings."""
    listings = json.loads(zlib.decompress(run.listings)) if run.listings else {}
    return replace(from_json(run.body or {}), listings=listings)


def _columns(run: HiddenRun, report: Report) -> dict[str, object]:
    score = report.score
    return {
        "verdict": report.verdict.value,
        "message": report.message,
        "version": report.environment.get("problem_version") or _version(run),
        "gpu_model": report.environment.get("gpu", "")[:STAMP_CHARACTERS],
        "score_us": score.median_us if score else None,
        "low_us": score.low_us if score else None,
        "high_us": score.high_us if score else None,
        "change": _change(run, report),
        "body": to_json(replace(report, listings={})),
        "listings": zlib.compress(json.dumps(dict(report.listings)).encode()) if report.listings else None,
        "finished": timezone.now(),
    }


def _version(run: HiddenRun) -> str:
    """Return the version of the run, for a judge that loads no package."""
    if run.package_id is None:
        return run.submission.version
    return PackageVersion.objects.values_list("version", flat=True).get(pk=run.package_id)


def _change(run: HiddenRun, report: Report) -> Change:
    if report.verdict in {Verdict.INTERNAL_ERROR, Verdict.CANCELLED}:
        return Change.FAILED
    if report.verdict.value != run.old_verdict:
        return Change.VERDICT
    if report.score is None or run.old_low_us is None or run.old_high_us is None:
        return Change.SAME
    if report.environment.get("gpu", "") != run.old_gpu_model:
        return Change.OTHER_GPU
    if report.score.high_us < run.old_low_us:
        return Change.FASTER
    return Change.SLOWER if report.score.low_us > run.old_high_us else Change.SAME


queue = HiddenQueue()
