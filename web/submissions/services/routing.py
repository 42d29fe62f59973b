"""Puts jobs into another queue where nobody would take them from theirs.

Theory of operation. A queue is chosen by what the fleet offers when a job is handed in, and the fleet
changes. What asks for no model goes to GPUs where there are some, since only there it can be ranked. When it
has waited for GPU_PATIENCE and no GPU is in use, it goes to whoever judges at all. What asks for a model
waits for it: its author chose.
"""

from datetime import timedelta

from web.fleet.queries import offered_gpu_models
from web.jobs.models import CPU, JobState
from web.site.clock import DatabaseNow
from web.submissions.models import Job
from web.submissions.queues import GPU

GPU_PATIENCE = timedelta(minutes=10)


def route() -> int:
    """Give every job a queue that somebody may come to. Returns how many were moved. May be run by many."""
    waiting = Job.objects.filter(state=JobState.QUEUED, queue=GPU)
    if not waiting.exists() or offered_gpu_models():
        return 0
    return waiting.filter(queued__lt=DatabaseNow() - GPU_PATIENCE).update(queue=CPU)
