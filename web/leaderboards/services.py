"""Writes of baselines, which are submissions to compare others with."""

from django.db import transaction

from problems.vocabulary import BaselineKind
from web.accounts.models import User
from web.accounts.services import system_account
from web.audit.models import AuditKind
from web.audit.services import log
from web.leaderboards.models import Baseline
from web.submissions.models import Submission

AUTHOR = "site:baselines"


def baseline_author() -> User:
    """Return the account that submits the site's baselines."""
    return system_account(AUTHOR)


@transaction.atomic
def set_baseline(actor: User | None, submission: Submission, *, kind: BaselineKind, label: str) -> Baseline:
    """Let boards show `submission` under `label` as soon as it is accepted and timed.

    It replaces the baseline with that label on its board. `actor` is None for the command line.
    """
    namesakes = Baseline.objects.filter(problem=submission.problem_id, label=label)
    for other in namesakes.select_related("submission__report"):
        if _board(other.submission) == _board(submission):
            other.delete()
    Baseline.objects.filter(submission=submission).delete()
    made = Baseline.objects.create(
        problem_id=submission.problem_id, submission=submission, kind=kind.value, label=label
    )
    log(actor, AuditKind.BASELINE_SET, submission, kind=kind.value, label=label)
    return made


@transaction.atomic
def remove_baseline(actor: User, baseline: Baseline) -> None:
    """Remove `baseline` from all boards. Its submission stays."""
    log(actor, AuditKind.BASELINE_REMOVE, baseline.submission, kind=baseline.kind, label=baseline.label)
    baseline.delete()


def _board(submission: Submission) -> tuple[str, str, str]:
    """Return the board on which it appears, or would appear, as far as known before it is judged."""
    if hasattr(submission, "report"):
        return submission.report.version, submission.report.gpu_model, submission.language
    return submission.version, submission.gpu_model, submission.language
