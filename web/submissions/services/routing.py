"""Moves jobs to another queue if no worker serves theirs.

Theory of operation. The queue of a job depends on the fleet at the time of submission, and the fleet changes.
A job without a requested model goes to GPUs if there are any, since only they can rank it. If it has waited
for GPU_PATIENCE and no GPU is in use, any worker may take it. A job with a requested model waits for it,
because its author chose the model.
"""

from datetime import timedelta

from web.fleet.queries import offered_gpu_models
from web.jobs.models import CPU, JobState
from web.site.clock import DatabaseNow
from web.submissions.models import Job
from web.submissions.queues import GPU

GPU_PATIENCE = timedelta(minutes=10)


def route() -> int:
    """Move each job to a queue that a worker may serve. Return how many moved. Any process may call it."""
    waiting = Job.objects.filter(state=JobState.QUEUED, queue=GPU)
    if not waiting.exists() or offered_gpu_models():
        return 0
    return waiting.filter(queued__lt=DatabaseNow() - GPU_PATIENCE).update(queue=CPU)
