"""The queues of jobs, one per class of hardware, and the workers that serve each.

Theory of operation. A job's queue is decided when it is submitted: `gpu.<model>` if it requests a model,
`gpu` if it requests none and some GPU is in use, else `cpu`. A worker serves the queues that its hardware
fits. One without a GPU serves only `cpu`; one with GPUs serves those of its models, `gpu`, and `cpu`, so that
it never idles while a job waits. The job's column decides. The broker also has a queue for each of these, so
that a wake-up message reaches a worker that can run the job.
"""

from collections.abc import Collection

from django.utils.text import slugify

from web.fleet.queries import offered_gpu_models
from web.jobs.models import CPU, QUEUE_CHARACTERS

GPU = "gpu"


def queue_for(gpu_model: str) -> str:
    """Return the queue of a job that is submitted now for a GPU of `gpu_model`; empty for any hardware."""
    if gpu_model:
        return queue_of_model(gpu_model)
    return GPU if offered_gpu_models() else CPU


def queue_of_model(gpu_model: str) -> str:
    """Return the queue of jobs that request a GPU of `gpu_model`: `gpu.nvidia-h200`."""
    return f"{GPU}.{slugify(gpu_model)}"[:QUEUE_CHARACTERS]


def served_by(gpu_models: Collection[str]) -> tuple[str, ...]:
    """Return the queues that a worker with GPUs of these models serves, the rarest hardware first."""
    if not gpu_models:
        return (CPU,)
    return (*dict.fromkeys(queue_of_model(model) for model in gpu_models), GPU, CPU)
