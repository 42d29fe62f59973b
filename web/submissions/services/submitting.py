"""Writes of submissions by users and staff: submit, cancel, rejudge.

SubmissionRefused
+-- SourceUnacceptable     empty, too long, or not text
+-- LanguageUnavailable    the problem is not offered in it
+-- SizesUnacceptable      custom sizes that the problem does not have
+-- ValuesUnacceptable     custom values that do not fit the problem
+-- SeedUnacceptable       a custom seed for a submit, or out of range
+-- PersonalNodeUnavailable  no node of the user is running, or it may not judge this
+-- GpuNotOffered          no GPU of the model that was requested is in use
+-- LimitReached           too many at a time, in a minute, or in a day, or no GPU time left
+-- KeyReused              the idempotency key belongs to another submission
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from functools import partial

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Subquery
from django.utils import timezone
from django.utils.timesince import timeuntil

from judge.report import Report
from judge.sizes import MAX_SEED, SizesInvalid, check_size_values
from judge.value_text import ValuesInvalid
from judge.values import check_values, read_values, to_json
from problems.schema import suits_gpu
from problems.vocabulary import Language, Mode, Verdict
from web.accounts.models import User
from web.catalog.models import Problem
from web.fleet.personal import serves
from web.fleet.queries import offered_gpu_models
from web.jobs import wakeup
from web.jobs.fair_share import open_jobs
from web.jobs.models import CPU, JobState, personal_queue
from web.site import metrics, origin
from web.site.clock import DatabaseNow, read_clock
from web.submissions.gpu_time import tightest
from web.submissions.models import EventKind, Job, Priority, Submission
from web.submissions.models import Report as StoredReport
from web.submissions.queues import GPU, queue_for
from web.submissions.services.journal import OLD_VERDICT, append, conclude
from web.submissions.services.progress import settle
from web.tracks.queries import in_contest

log = structlog.get_logger(__name__)

_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


class SubmissionRefused(Exception):
    """Base class of the reasons to refuse a submission. The message is for its author."""


class SourceUnacceptable(SubmissionRefused):
    """Raised when the source is empty, too long, or holds NUL characters."""


class LanguageUnavailable(SubmissionRefused):
    """Raised when the problem cannot be solved in the language."""


class SizesUnacceptable(SubmissionRefused):
    """Raised when sizes are given for a submit, or do not name the problem's sizes."""


class ValuesUnacceptable(SubmissionRefused):
    """Raised when values are given for a submit, or do not fit the problem."""


class SeedUnacceptable(SubmissionRefused):
    """Raised when a seed is given for a submit, or is not a 63-bit number."""


class GpuNotOffered(SubmissionRefused):
    """Raised when no node has a GPU of the requested model in use."""


class PersonalNodeUnavailable(SubmissionRefused):
    """Raised when the user's node is not running, or may not judge what was requested."""


class ProfileUnavailable(SubmissionRefused):
    """Raised when a program cannot be profiled: it is not a run, not CUDA C++, or there is no GPU for it."""


class LimitReached(SubmissionRefused):
    """Raised when the user has too many unfinished submissions, made too many, or used up the GPU time."""


class KeyReused(SubmissionRefused):
    """Raised when the idempotency key was used for another program."""


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
        SubmissionRefused: see the tree above.
    """
    source = source.replace("\r\n", "\n")
    _check_source(source, problem)
    custom = _read_custom(sizes, values, mode, problem)
    _check_seed(seed, mode)
    if language.value not in problem.languages:
        raise LanguageUnavailable(f"{problem.title} takes {' and '.join(problem.languages)}.")
    with transaction.atomic():
        # The user's row is the lock under which submissions are counted; SQLite has one writer anyway.
        User.objects.select_for_update().get(pk=user.pk)
        earlier = (
            idempotency_key and Submission.objects.filter(user=user, idempotency_key=idempotency_key).first()
        )
        if earlier:
            asked = (problem.pk, language.value, mode.value, source, *custom, seed, personal_node, profiled)
            if asked == _request_of(earlier) and gpu_model in {"", earlier.gpu_model}:
                return earlier
            raise KeyReused("This idempotency key was already used for a different request. Use a new one.")
        gpu_model = "" if personal_node else _chosen_gpu(problem, gpu_model)
        rank = open_jobs(Job.objects.filter(user=user)).count()
        _check_limits(user, rank)
        if personal_node:
            _check_personal_node(user, problem, mode)
        queue = personal_queue(user.pk) if personal_node else queue_for(gpu_model)
        if profiled:
            _check_profile(user, language, mode, queue)
        if queue != CPU and not personal_node:
            _check_gpu_time(user)
        submission = Submission.objects.create(
            user=user,
            problem=problem,
            version=problem.version,
            package_id=problem.package_id,
            language=language.value,
            mode=mode.value,
            source=source,
            sizes=custom[0],
            values=custom[1],
            seed=seed,
            gpu_model=gpu_model,
            personal_node=personal_node,
            profiled=profiled,
            idempotency_key=idempotency_key or None,
        )
        Job.objects.create(
            submission=submission,
            user=user,
            queue=queue,
            priority=_priority(mode, problem),
            fair_share_rank=rank,
            queued=read_clock(),  # the sweep compares it with the database's clock
        )
        append(
            submission.pk,
            EventKind.QUEUED,
            {"text": "Waiting for your node" if personal_node else "Waiting for a worker", **origin.here()},
        )
        transaction.on_commit(partial(_tell, submission, queue))
        transaction.on_commit(partial(wakeup.wake, queue))
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
    gpu_model = _suiting(submission)
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


def _request_of(submission: Submission) -> tuple[object, ...]:
    """Return the parameters of a submission, except for the GPU."""
    asked = submission.problem_id, submission.language, submission.mode, submission.source
    return (
        *asked,
        submission.sizes or None,
        submission.values or None,
        submission.seed,
        submission.personal_node,
        submission.profiled,
    )


def _check_source(source: str, problem: Problem) -> None:
    if not source.strip():
        raise SourceUnacceptable("The source is empty.")
    if "\0" in source:
        raise SourceUnacceptable("The source contains NUL characters.")
    try:
        length = len(source.encode())
    except UnicodeEncodeError as error:
        raise SourceUnacceptable("The source contains lone surrogates.") from error
    if length > problem.source_limit_bytes:
        raise SourceUnacceptable(
            f"The source has {length} bytes. The limit of {problem.title} is {problem.source_limit_bytes}."
        )


def _read_custom(
    sizes: Mapping[str, int] | None, values: Mapping[str, object] | None, mode: Mode, problem: Problem
) -> tuple[dict[str, int] | None, dict[str, list[float | str]] | None]:
    """Return the sizes and the values of a user's own case as they are stored, None for none."""
    if mode is not Mode.RUN and sizes:
        raise SizesUnacceptable("Custom sizes are only for runs.")
    if mode is not Mode.RUN and values:
        raise ValuesUnacceptable("Custom values are only for runs.")
    if problem.asks_for_tests and (sizes or values):
        raise SizesUnacceptable(
            f"{problem.title} has no custom cases, because its programs are fixed. Run the samples."
        )
    try:
        if values:
            return _read_values(sizes or {}, values, problem)
        if sizes:
            check_size_values(problem.size_names, sizes)
    except SizesInvalid as error:
        raise SizesUnacceptable(str(error)) from error
    except ValuesInvalid as error:
        raise ValuesUnacceptable(str(error)) from error
    return dict(sizes) if sizes else None, None


def _read_values(
    sizes: Mapping[str, int], values: Mapping[str, object], problem: Problem
) -> tuple[dict[str, int], dict[str, list[float | str]]]:
    most = settings.WARPCOURT.max_custom_values
    if not most:
        raise ValuesUnacceptable("This site does not accept custom values. Remove them.")
    arguments = problem.arguments
    found, read = read_values(arguments, values, sizes, names=problem.size_names, most=most)
    check_values(arguments, found, read, checker=problem.has_checker)
    return found, to_json(read)


def _check_seed(seed: int | None, mode: Mode) -> None:
    if seed is None:
        return
    if mode is not Mode.RUN:
        raise SeedUnacceptable("A custom seed is only for runs. Submissions use secret seeds.")
    if not 0 <= seed <= MAX_SEED:
        raise SeedUnacceptable(f"The seed must be from 0 to {MAX_SEED}, not {seed}.")


def _check_personal_node(user: User, problem: Problem, mode: Mode) -> None:
    if mode is not Mode.RUN:
        raise PersonalNodeUnavailable("Your node judges only runs. Submit the program without it.")
    if not problem.on_personal_nodes:
        raise PersonalNodeUnavailable(
            f"{problem.title} does not allow runs on personal nodes, which would get its reference. "
            "Run the program on the site's nodes."
        )
    if not serves(user):
        raise PersonalNodeUnavailable(
            "None of your nodes is running. Start one, or run the program on the site's nodes."
        )


def _check_profile(user: User, language: Language, mode: Mode, queue: str) -> None:
    if mode is not Mode.RUN:
        raise ProfileUnavailable("Only runs are profiled. Run the program, or submit it without a profile.")
    if language is not Language.CUDA:
        raise ProfileUnavailable("Only CUDA C++ programs can be profiled.")
    if not queue.startswith(GPU):
        raise ProfileUnavailable("No GPU of this site is available for a profile. Run without a profile.")
    most = settings.WARPCOURT.profiles_per_hour
    made = Submission.objects.filter(user=user, profiled=True, created__gt=timezone.now() - _HOUR)
    if made.count() >= most:
        raise LimitReached(f"You profiled {most} runs in the last hour, the maximum. Run without a profile.")


def _chosen_gpu(problem: Problem, gpu_model: str) -> str:
    """Return the model to judge on, empty for any. A problem may be limited to some models."""
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


def _suiting(submission: Submission) -> str:
    """Return the model for a rejudge. Its problem may now be limited to some models."""
    problem = submission.problem
    fitting = _fitting(problem)
    limited = bool(problem.gpu_words) or problem.gpu_count > 1
    if not limited or not fitting or submission.gpu_model in fitting:
        return submission.gpu_model
    return fitting[0]


def _check_limits(user: User, in_flight: int) -> None:
    limits = settings.WARPCOURT
    if in_flight >= limits.max_in_flight:
        raise LimitReached(
            f"You have {in_flight} submissions in progress, the maximum. Wait until one is judged."
        )
    made = Submission.objects.filter(user=user)
    if made.filter(created__gt=timezone.now() - _MINUTE).count() >= limits.submits_per_minute:
        raise LimitReached(
            f"You made {limits.submits_per_minute} submissions in the last minute, the maximum. Wait a bit."
        )
    lately = made.filter(created__gt=timezone.now() - _DAY).order_by("-created")
    oldest = lately.values_list("created", flat=True)[limits.submits_per_day - 1 :].first()
    if oldest is not None:
        raise LimitReached(
            f"You made {limits.submits_per_day} submissions in the last day, the maximum. "
            f"You can submit again in {timeuntil(oldest + _DAY, depth=1)}."
        )


def _check_gpu_time(user: User) -> None:
    use = tightest(user)
    if use is not None and use.used_up:
        raise LimitReached(f"{use.text} {use.reset_text}")


def _priority(mode: Mode, problem: Problem) -> Priority:
    if mode is Mode.RUN:
        return Priority.RUN
    return Priority.CONTEST if in_contest(problem) else Priority.SUBMIT
