"""Checks of what a user wants to submit. All of them raise `SubmissionRefused`; see `refusals`."""

from collections.abc import Mapping
from datetime import timedelta

from django.conf import settings
from django.utils import timezone
from django.utils.timesince import timeuntil

from judge.sizes import MAX_SEED, SizesInvalid, check_size_values
from judge.value_text import ValuesInvalid
from judge.values import check_values, read_values, to_json
from problems.vocabulary import Language, Mode
from web.accounts.models import User
from web.catalog.models import Problem
from web.fleet.personal import serves
from web.submissions.gpu_time import tightest
from web.submissions.models import Submission
from web.submissions.queues import GPU
from web.submissions.services.refusals import (
    LanguageUnavailable,
    LimitReached,
    PersonalNodeUnavailable,
    ProfileUnavailable,
    SeedUnacceptable,
    SizesUnacceptable,
    SourceUnacceptable,
    ValuesUnacceptable,
)

_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def check_language(language: Language, problem: Problem) -> None:
    """Require a language in which the problem is offered."""
    if language.value not in problem.languages:
        raise LanguageUnavailable(f"{problem.title} takes {' and '.join(problem.languages)}.")


def check_source(source: str, problem: Problem) -> None:
    """Require text of at most the length that the problem allows."""
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


def read_custom(
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
            check_size_values(problem.size_limits, sizes)
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
    found, read = read_values(arguments, values, sizes, limits=problem.size_limits, most=most)
    check_values(arguments, found, read, checker=problem.has_checker)
    return found, to_json(read)


def check_seed(seed: int | None, mode: Mode) -> None:
    """Require that only a run has a seed, and that it is in range."""
    if seed is None:
        return
    if mode is not Mode.RUN:
        raise SeedUnacceptable("A custom seed is only for runs. Submissions use secret seeds.")
    if not 0 <= seed <= MAX_SEED:
        raise SeedUnacceptable(f"The seed must be from 0 to {MAX_SEED}, not {seed}.")


def check_personal_node(user: User, problem: Problem, mode: Mode) -> None:
    """Require a run, a problem that allows personal nodes, and a node of `user` that is running."""
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


def check_profile(user: User, language: Language, mode: Mode, queue: str) -> None:
    """Require a run of CUDA C++ on a GPU, and that `user` has not profiled too many."""
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


def check_limits(user: User, in_flight: int) -> None:
    """Require that `user`, who has `in_flight` unfinished submissions, has not made too many."""
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


def check_gpu_time(user: User) -> None:
    """Require that `user` has GPU time left."""
    use = tightest(user)
    if use is not None and use.used_up:
        raise LimitReached(f"{use.text} {use.reset_text}")
