"""Puts jobs into another queue where nobody would take them from theirs.

Theory of operation. A queue is chosen by what the fleet offers when a job is handed in, and the fleet
changes. What asks for no model goes to GPUs where there are some, since only there it can be ranked. When it
has waited for GPU_PATIENCE and no GPU is in use, it goes to whoever judges at all. What asks for a model
waits for it: its author chose.

A web server of an older version, in the minutes of an upgrade, hands in jobs without a queue; they get theirs
here.
"""

from datetime import timedelta

from web.clock import DatabaseNow
from web.fleet.queries import offered_gpu_models
from web.submissions.models import CPU, Job, Status
from web.submissions.queues import GPU, queue_for

GPU_PATIENCE = timedelta(minutes=10)
_AT_ONCE = 500


def route() -> int:
    """Give every job a queue that somebody may come to. Returns how many were moved. May be run by many."""
    return _give_queues() + _leave_gpus()


def _give_queues() -> int:
    moved = 0
    for status in (Status.QUEUED, Status.LEASED):  # one at a time: each has an index
        without = Job.objects.filter(status=status, queue="").select_related("submission")
        for job in without.only("submission__gpu_model", "submission__user")[:_AT_ONCE]:
            submission = job.submission
            mine = Job.objects.filter(pk=job.pk, queue="")
            moved += mine.update(queue=queue_for(submission.gpu_model), user=submission.user_id)
    return moved


def _leave_gpus() -> int:
    waiting = Job.objects.filter(status=Status.QUEUED, queue=GPU)
    if not waiting.exists() or offered_gpu_models():
        return 0
    return waiting.filter(queued__lt=DatabaseNow() - GPU_PATIENCE).update(queue=CPU)
