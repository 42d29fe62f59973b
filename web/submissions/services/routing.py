"""Puts jobs into another queue where nobody would take them from theirs.

Theory of operation. A queue is chosen by what the fleet offers when a job is handed in, and the fleet
changes. What asks for no model goes to GPUs where there are some, since only there it can be ranked. When it
has waited for GPU_PATIENCE and no GPU is in use, it goes to whoever judges at all. What asks for a model
waits for it: its author chose.

A web server of an older version, in the minutes of an upgrade, hands in jobs without a queue; they get theirs
here.
"""

from collections import defaultdict
from datetime import timedelta

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery

from web.clock import DatabaseNow
from web.fleet.queries import offered_gpu_models
from web.jobs.models import CPU, JobState
from web.submissions.models import Job, Submission
from web.submissions.queues import GPU, queue_for

GPU_PATIENCE = timedelta(minutes=10)
_AT_ONCE = 500


def route() -> int:
    """Give every job a queue that somebody may come to. Returns how many were moved. May be run by many."""
    return _give_queues() + _leave_gpus()


def _give_queues() -> int:
    # One state at a time, since each has an index that begins with the queue.
    without = [Job.objects.filter(state=state, queue="") for state in (JobState.QUEUED, JobState.LEASED)]
    moved = 0
    for jobs in without:
        while given := _give_some(jobs):
            moved += given
    return moved


@transaction.atomic
def _give_some(jobs: QuerySet[Job]) -> int:
    """Those that another sweep is at are left to it."""
    rows = jobs.select_for_update(skip_locked=True, of=("self",)).values_list("pk", "submission__gpu_model")
    by_model: defaultdict[str, list[int]] = defaultdict(list)
    for pk, model in rows[:_AT_ONCE]:
        by_model[model].append(pk)
    user = Subquery(Submission.objects.filter(pk=OuterRef("submission")).values("user"))
    for model, keys in by_model.items():
        Job.objects.filter(pk__in=keys).update(queue=queue_for(model), user=user)
    return sum(map(len, by_model.values()))


def _leave_gpus() -> int:
    waiting = Job.objects.filter(state=JobState.QUEUED, queue=GPU)
    if not waiting.exists() or offered_gpu_models():
        return 0
    return waiting.filter(queued__lt=DatabaseNow() - GPU_PATIENCE).update(queue=CPU)
