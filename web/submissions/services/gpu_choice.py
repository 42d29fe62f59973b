"""The GPU model that judges a submission."""

from problems.schema import suits_gpu
from web.catalog.models import Problem
from web.fleet.queries import offered_gpu_models
from web.submissions.models import Submission
from web.submissions.services.refusals import GpuNotOffered


def chosen_gpu(problem: Problem, gpu_model: str) -> str:
    """Return the model to judge on, empty for any. A problem may be limited to some models.

    Raises:
        GpuNotOffered: no GPU of the model that was requested, or that the problem needs, is in use.
    """
    offered = offered_gpu_models()
    if gpu_model and gpu_model not in offered:
        choices = (
            f"Available GPUs: {', '.join(offered)}. Choose one of them, or any."
            if offered
            else "No GPU is available. Submit without a GPU model."
        )
        raise GpuNotOffered(f"{gpu_model} is not available. {choices}")
    words, together = problem.gpu_words, problem.gpu_count
    # Without a GPU nothing is ranked, but users can still try the problem.
    if not offered or (not words and together == 1):
        return gpu_model
    fitting = _fitting(problem)
    if not fitting or (gpu_model and gpu_model not in fitting):
        there = f"Available: {', '.join(fitting)}" if fitting else "None of them is available"
        if together > 1:
            there = f"Nodes with {together} of them: {', '.join(fitting)}" if fitting else "No node has them"
        raise GpuNotOffered(f"{problem.title} is judged on {_wanted_gpus(problem)}. {there}.")
    return gpu_model or fitting[0]


def _fitting(problem: Problem) -> list[str]:
    """Return the available models on which the problem can be judged."""
    offered = offered_gpu_models(together=problem.gpu_count)
    return [model for model in offered if suits_gpu(problem.gpu_words, model)]


def _wanted_gpus(problem: Problem) -> str:
    words = " or ".join(problem.gpu_words)
    return (
        f"{problem.gpu_count} GPUs of one node{f', {words}' if words else ''}"
        if problem.gpu_count > 1
        else words
    )


def suiting_gpu(submission: Submission) -> str:
    """Return the model for a rejudge. Its problem may now be limited to some models."""
    problem = submission.problem
    fitting = _fitting(problem)
    limited = bool(problem.gpu_words) or problem.gpu_count > 1
    if not limited or not fitting or submission.gpu_model in fitting:
        return submission.gpu_model
    return fitting[0]
