"""Writes of submissions by users and staff: submit, cancel, rejudge."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import structlog
from django.db import transaction
from django.db.models import Subquery

from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from web.accounts.models import User
from web.catalog.models import Problem
from web.jobs import wakeup
from web.jobs.fair_share import open_jobs
from web.jobs.models import CPU, JobState, personal_queue
from web.site import metrics, origin
from web.site.clock import DatabaseNow, read_clock
from web.submissions.models import EventKind, Job, Priority, Submission
from web.submissions.models import Report as StoredReport
from web.submissions.queues import queue_for
from web.submissions.services import checks
from web.submissions.services.gpu_choice import chosen_gpu, suiting_gpu
from web.submissions.services.journal import OLD_VERDICT, append, conclude
from web.submissions.services.progress import settle
from web.submissions.services.refusals import KeyReused, SubmissionRefused
from web.tracks.queries import in_contest

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a user wants to have judged, after the checks that need no lock."""

    problem: Problem
    language: Language
    source: str
    mode: Mode
    sizes: dict[str, int] | None
    values: dict[str, list[float | str]] | None
    seed: int | None
    gpu_model: str
    personal_node: bool
    profiled: bool


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a submission waits: the model of its GPU, empty for any, and the queue and rank of its job."""

    gpu_model: str
    queue: str
    fair_share_rank: int


@contextmanager
def _counted() -> Iterator[None]:
    try:
        yield
    except SubmissionRefused as refusal:
        metrics.SUBMISSIONS_REFUSED.labels(reason=type(refusal).__name__).inc()
        raise


@_counted()
def submit(  # noqa: PLR0913 - a user, a problem and eight options by name
    user: User,
    problem: Problem,
    *,
    language: Language,
    source: str,
    mode: Mode = Mode.SUBMIT,
    sizes: Mapping[str, int] | None = None,
    values: Mapping[str, object] | None = None,
    seed: int | None = None,
    gpu_model: str = "",
    personal_node: bool = False,
    profiled: bool = False,
    idempotency_key: str | None = None,
) -> Submission:
    """Store a submission with its job in one transaction, and wake a worker after the commit.

    The caller has checked that `user` may see `problem`. `sizes`, `values` and `seed` are for runs. `values`
    maps arguments to a text, a number, or a list that may be nested. They may determine sizes. The seed only
    determines the contents of public cases. `gpu_model` is empty for any GPU, or a CPU if there is no GPU.
    With `personal_node`, only a personal node of the user judges the run, and the verdict does not count
    (`web.fleet.personal`). A `profiled` run of a CUDA program is profiled on a GPU. If the idempotency key
    was already used for the same program, return the earlier submission.

    Raises:
        SubmissionRefused: see `web.submissions.services.refusals`.
    """
    source = source.replace("\r\n", "\n")
    checks.check_source(source, problem)
    own_sizes, own_values = checks.read_custom(sizes, values, mode, problem)
    checks.check_seed(seed, mode)
    checks.check_language(language, problem)
    wanted = _Wanted(
        problem=problem,
        language=language,
        source=source,
        mode=mode,
        sizes=own_sizes,
        values=own_values,
        seed=seed,
        gpu_model=gpu_model,
        personal_node=personal_node,
        profiled=profiled,
    )
    with transaction.atomic():
        # The user's row is the lock under which submissions are counted; SQLite has one writer anyway.
        User.objects.select_for_update().get(pk=user.pk)
        if earlier := _earlier(user, wanted, idempotency_key):
            return earlier
        place = _admit(user, wanted)
        submission = _store(user, wanted, place, idempotency_key)
        transaction.on_commit(partial(_tell, submission, place.queue))
        transaction.on_commit(partial(wakeup.wake, place.queue))
    return submission


@transaction.atomic
def cancel(submission: Submission, *, message: str = "Cancelled by its author.") -> bool:
    """Cancel `submission`. Return False if it is over already.

    A queued job is over at once, with `message` for its author. A running job is marked: its worker sees that
    at the next heartbeat, kills the sandboxes and records the verdict `cancelled`.
    """
    job = Job.objects.select_for_update().get(submission=submission)
    report = Report(Verdict.CANCELLED, message)
    if job.state == JobState.QUEUED:
        return conclude(job, report)
    marked = Job.objects.filter(pk=job.pk, state=JobState.LEASED).update(cancel_requested=True)
    return marked > 0


@transaction.atomic
def rejudge(submission: Submission) -> bool:
    """Rejudge `submission` by the live version, and delete its current report.

    The site then judges a run of a personal node. Return False while it is being judged.
    """
    gpu_model = suiting_gpu(submission)
    queue = queue_for(gpu_model)
    reset = Job.objects.filter(submission=submission, state=JobState.DONE).update(
        state=JobState.QUEUED,
        user=submission.user_id,
        queue=queue,
        tries=0,
        cancel_requested=False,
        queued=DatabaseNow(),
        priority=Priority.REJUDGE,
        fair_share_rank=0,
        worker="",
        excluded_hosts={},
    )
    if not reset:
        return False
    live = Problem.objects.filter(pk=submission.problem_id).values("package")
    Submission.objects.filter(pk=submission.pk).update(
        package=Subquery(live), gpu_model=gpu_model, personal_node=False
    )
    old = StoredReport.objects.filter(submission=submission)
    before = {OLD_VERDICT: old.values_list("verdict", flat=True).first() or ""}
    old.delete()
    append(submission.pk, EventKind.QUEUED, {"text": "Waiting to be rejudged", **before, **origin.here()})
    settle(submission.pk)
    transaction.on_commit(partial(wakeup.wake, queue))
    return True


def _tell(submission: Submission, queue: str) -> None:
    shown = "personal" if submission.personal_node else queue  # one label value per user would be too many
    metrics.SUBMISSIONS.labels(mode=submission.mode, queue=shown).inc()
    log.info("submitted", submission_id=submission.public_id, mode=submission.mode, queue=queue)


def _earlier(user: User, wanted: _Wanted, key: str | None) -> Submission | None:
    """Return the submission with the idempotency key, or None.

    Raises:
        KeyReused: the key was used for a different request.
    """
    earlier = Submission.objects.filter(user=user, idempotency_key=key).first() if key else None
    if earlier is None:
        return None
    if not _is_same(wanted, earlier):
        raise KeyReused("This idempotency key was already used for a different request. Use a new one.")
    return earlier


def _is_same(wanted: _Wanted, earlier: Submission) -> bool:
    """Return whether `earlier` is what is wanted now. Without a GPU model, any may have judged it."""
    before = replace(
        wanted,
        language=Language(earlier.language),
        source=earlier.source,
        mode=Mode(earlier.mode),
        sizes=earlier.sizes or None,
        values=earlier.values or None,
        seed=earlier.seed,
        personal_node=earlier.personal_node,
        profiled=earlier.profiled,
    )
    same_gpu = wanted.gpu_model in {"", earlier.gpu_model}
    return same_gpu and wanted.problem.pk == earlier.problem_id and wanted == before


def _admit(user: User, wanted: _Wanted) -> _Place:
    """Check the limits of the user, whose row is locked, and return where the submission waits."""
    gpu_model = "" if wanted.personal_node else chosen_gpu(wanted.problem, wanted.gpu_model)
    rank = open_jobs(Job.objects.filter(user=user)).count()
    checks.check_limits(user, rank)
    if wanted.personal_node:
        checks.check_personal_node(user, wanted.problem, wanted.mode)
    queue = personal_queue(user.pk) if wanted.personal_node else queue_for(gpu_model)
    if wanted.profiled:
        checks.check_profile(user, wanted.language, wanted.mode, queue)
    if queue != CPU and not wanted.personal_node:
        checks.check_gpu_time(user)
    return _Place(gpu_model, queue, rank)


def _store(user: User, wanted: _Wanted, place: _Place, key: str | None) -> Submission:
    """Store the submission with its job and its first event."""
    problem = wanted.problem
    submission = Submission.objects.create(
        user=user,
        problem=problem,
        version=problem.version,
        package_id=problem.package_id,
        language=wanted.language.value,
        mode=wanted.mode.value,
        source=wanted.source,
        sizes=wanted.sizes,
        values=wanted.values,
        seed=wanted.seed,
        gpu_model=place.gpu_model,
        personal_node=wanted.personal_node,
        profiled=wanted.profiled,
        idempotency_key=key or None,
    )
    Job.objects.create(
        submission=submission,
        user=user,
        queue=place.queue,
        priority=_priority(wanted.mode, problem),
        fair_share_rank=place.fair_share_rank,
        queued=read_clock(),  # the sweep compares it with the database's clock
    )
    text = "Waiting for your node" if wanted.personal_node else "Waiting for a worker"
    append(submission.pk, EventKind.QUEUED, {"text": text, **origin.here()})
    return submission


def _priority(mode: Mode, problem: Problem) -> Priority:
    if mode is Mode.RUN:
        return Priority.RUN
    return Priority.CONTEST if in_contest(problem) else Priority.SUBMIT
