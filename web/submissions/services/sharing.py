"""Who may read a program besides its author."""

from web.submissions.models import Submission


def share(submission: Submission) -> None:
    """Let those who solved the problem read `submission`. The caller acts for its author."""
    _set(submission, shared=True)


def withdraw(submission: Submission) -> None:
    """Take `submission` back: from now on it does not exist for others. What they copied they have."""
    _set(submission, shared=False)


def _set(submission: Submission, *, shared: bool) -> None:
    Submission.objects.filter(pk=submission.pk).update(shared=shared)
    submission.shared = shared
