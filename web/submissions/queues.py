"""The queues of jobs, one per class of hardware, and who is served by which worker.

Theory of operation. A job's queue is decided when it is handed in: `gpu.<model>` when it asks for a model,
`gpu` when it asks for none and some GPU is in use, else `cpu`. A worker serves the queues that its hardware
fits: one without a GPU serves `cpu` alone; one with GPUs serves those of its models, `gpu`, and `cpu`, so
that it never idles while anybody waits. The column of the job is the truth. The broker has a queue for each
of these too, so that a ring reaches a worker that can do something about it.
"""

from collections.abc import Collection

from django.utils.text import slugify

from web.fleet.queries import offered_gpu_models
from web.jobs.models import CPU, QUEUE_CHARACTERS

GPU = "gpu"


def queue_for(gpu_model: str) -> str:
    """The queue of a job that is handed in now and asks for a GPU of `gpu_model`; empty for any hardware."""
    if gpu_model:
        return queue_of_model(gpu_model)
    return GPU if offered_gpu_models() else CPU


def queue_of_model(gpu_model: str) -> str:
    """Return the queue of those who ask for a GPU of `gpu_model`: `gpu.nvidia-h200`."""
    return f"{GPU}.{slugify(gpu_model)}"[:QUEUE_CHARACTERS]


def served_by(gpu_models: Collection[str]) -> tuple[str, ...]:
    """The queues that a worker serves which has GPUs of these models; those of the rarest hardware first."""
    if not gpu_models:
        return (CPU,)
    return (*dict.fromkeys(queue_of_model(model) for model in gpu_models), GPU, CPU)
