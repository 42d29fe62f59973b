"""Shares programs with users who solved the problem."""

from web.submissions.models import Submission


def share(submission: Submission) -> None:
    """Let users who solved the problem read `submission`. The caller acts for its author."""
    _set(submission, shared=True)


def withdraw(submission: Submission) -> None:
    """Stop sharing `submission`: for other users it no longer exists. Existing copies are not affected."""
    _set(submission, shared=False)


def _set(submission: Submission, *, shared: bool) -> None:
    Submission.objects.filter(pk=submission.pk).update(shared=shared)
    submission.shared = shared
