"""Generates the problems, users and submissions of `benchmarks.site_data`.

All rows are drawn with a seed, so two databases of the same size differ only in their dates. Some users
submit often and most of them rarely. Likewise, some problems are popular. A third of the submissions are
runs. Three in five accepted submissions were timed, on two GPU models. There are no listings and no events.

Only the first twenty thousand submissions are drawn. The database copies them within seconds. The copies have
the same programs and outcomes, other users or other problems, and slightly later dates.
"""

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from itertools import accumulate, islice
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils import timezone

from benchmarks.site_copies import ALPHABET, NotFresh, Pattern, copy_code
from judge.report import CaseReport, Report, Score, Timing
from judge.report_json import to_json
from problems.loader import load_all, problems_root
from problems.schema import Problem as Package
from problems.track import TrackFile
from problems.vocabulary import Difficulty, Group, Language, Mode, Verdict
from web.accounts.models import User
from web.catalog.models import Problem
from web.jobs.models import JobState
from web.packages import catalogue as catalog
from web.submissions import services
from web.submissions.models import CaseResult, Job, Submission
from web.submissions.models import Report as StoredReport
from web.submissions.services.journal import case_result
from web.tracks import services as tracks

GPU_MODELS = ("NVIDIA H100 80GB HBM3", "NVIDIA H200")
BATCH = 5000
PATTERN = 20_000
TRACK_LENGTH = 40
_SPAN_S = 2 * 365 * 86_400
_DAYS = 100
_WORDS = ("Blocked", "Strided", "Fused", "Masked", "Batched", "Sparse", "Tiled", "Streaming", "Persistent")
_TOPICS = (
    "attention",
    "graph",
    "quantised",
    "linear algebra",
    "random numbers",
    "filter",
    "search",
    "pooling",
)
# Most users write CUDA C++.
_LANGUAGES = (Language.CUDA, Language.CUDA, Language.CUDA, Language.TRITON)
_FAILURES = {
    Verdict.WRONG_ANSWER: 45,
    Verdict.COMPILE_ERROR: 25,
    Verdict.ILLEGAL_ACCESS: 10,
    Verdict.RUNTIME_ERROR: 8,
    Verdict.TIME_LIMIT: 6,
    Verdict.REJECTED: 2,
    Verdict.CANCELLED: 3,
    Verdict.INTERNAL_ERROR: 1,
}
_SPREAD = (0.5, 2.0)  # times of the two timed cases, relative to the score, which is their geometric mean


@dataclass(frozen=True, slots=True)
class Size:
    """The number of rows to generate. The problems include the shipped ones."""

    problems: int
    users: int
    submissions: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """A submission with its outcome. `score` is None if it was not timed."""

    submission: Submission
    verdict: Verdict
    finished: datetime
    gpu_model: str
    score: Score | None


def fill(
    size: Size, *, seed: int = 1, password: str | None = None, say: Callable[[str], None] = lambda _: None
) -> None:
    """Create problems, tracks, users, and submissions with jobs and reports. Report progress to `say`.

    Raises:
        NotFresh: the database was used before.
    """
    if Submission.objects.exists():
        raise NotFresh("This database has submissions already. Name an empty one.")
    rng = random.Random(seed)
    started = time.monotonic()
    problems = make_problems(size.problems)
    users = make_users(size.users, password)
    say(f"{len(problems)} problems, {len(users)} users")
    drawn = draw(rng, min(size.submissions, PATTERN), problems, users)
    while batch := list(islice(drawn, BATCH)):
        store(batch)
        say(f"{Submission.objects.count()} of {size.submissions} submissions")
    pattern = Pattern.of([problem.pk for problem in problems], users)
    for number in range(1, -(-size.submissions // PATTERN)):
        pattern.copy(number, most=size.submissions - number * PATTERN)
        say(f"{min((number + 1) * PATTERN, size.submissions)} of {size.submissions} submissions")
    progress, _ = services.recount()
    say(f"progress of {progress} people with a problem; {time.monotonic() - started:.0f} s in all")


def make_problems(count: int) -> list[Problem]:
    """Load the shipped problems, and copy them under other names until there are `count` problems."""
    shipped = load_all(problems_root())
    copies = [_copy(shipped[number % len(shipped)], number) for number in range(len(shipped), count)]
    for package in (*shipped, *copies):
        catalog.enter(package)
    Problem.objects.update(published=True)
    slugs = [package.slug for package in copies]
    paths = [slugs[first : first + TRACK_LENGTH] for first in range(0, len(slugs), TRACK_LENGTH)]
    tracks.sync(
        TrackFile(f"made-up-{place}", f"Made-up track {place}", "Made-up problems.", tuple(path), order=place)
        for place, path in enumerate(paths[:10], start=1)
    )
    return list(Problem.objects.filter(published=True).order_by("pk"))


def make_users(count: int, password: str | None) -> list[int]:
    """Create users named user00001 and so on, and return their keys.

    Without a password, they can't sign in.
    """
    hashed = make_password(password)
    made = User.objects.bulk_create(
        (User(username=f"user{number:05}", password=hashed) for number in range(1, count + 1)),
        batch_size=BATCH,
    )
    return [user.pk for user in made]


def draw(
    rng: random.Random, count: int, problems: Sequence[Problem], users: Sequence[int]
) -> Iterator[Drawn]:
    """Yield `count` random submissions over the last two years, oldest first."""
    began = timezone.now() - timedelta(seconds=_SPAN_S)
    skills = [rng.betavariate(3, 4) for _ in users]
    speeds_us = [rng.lognormvariate(4.5, 1.2) for _ in problems]
    people, chosen = _picks(rng, len(users)), _picks(rng, len(problems))
    for number in range(count):
        person, place = next(people), next(chosen)
        created = began + timedelta(seconds=_SPAN_S * (number + rng.random()) / count)
        submission = _submission(rng, number, users[person], problems[place], created)
        verdict = _verdict(rng, skills[person])
        timed = submission.mode == Mode.SUBMIT and verdict is Verdict.ACCEPTED and rng.random() < 0.6
        yield Drawn(
            submission,
            verdict,
            created + timedelta(seconds=0.5 + rng.expovariate(0.4)),
            rng.choice(GPU_MODELS) if timed else "",
            _score(rng, speeds_us[place], skills[person]) if timed else None,
        )


@transaction.atomic
def store(batch: Iterable[Drawn]) -> None:
    """Store submissions with the jobs, reports and case results that judging them would create."""
    drawn = list(batch)
    Submission.objects.bulk_create(one.submission for one in drawn)
    Job.objects.bulk_create(
        Job(
            submission=one.submission,
            state=JobState.DONE,
            attempt=1,
            tries=1,
            queued=one.submission.created,
            worker="made-up",
        )
        for one in drawn
    )
    reports = StoredReport.objects.bulk_create(_report(one) for one in drawn)
    CaseResult.objects.bulk_create(
        case_result(report, position, case)
        for report, one in zip(reports, drawn, strict=True)
        for position, case in enumerate(_cases(one.verdict, one.score))
    )


def _copy(package: Package, number: int) -> Package:
    word, topic = _WORDS[number % len(_WORDS)], _TOPICS[number % len(_TOPICS)]
    return replace(
        package,
        slug=f"{package.slug}-{number:04}",
        title=f"{word} {package.title.lower()} {number}",
        difficulty=list(Difficulty)[number % 3],
        tags=tuple(dict.fromkeys((*package.tags[:2], topic))),
        track_day=number + 1 if number < _DAYS else None,
    )


def _picks(rng: random.Random, count: int) -> Iterator[int]:
    """Yield indices below `count` by Zipf's law, in a shuffled order."""
    order = list(range(count))
    rng.shuffle(order)
    weights = list(accumulate(1 / (rank + 10) for rank in range(count)))
    while True:
        yield from rng.choices(order, cum_weights=weights, k=BATCH)


def _submission(
    rng: random.Random, number: int, user: int, problem: Problem, created: datetime
) -> Submission:
    run = rng.random() < 1 / 3
    language = rng.choice([known for known in _LANGUAGES if known in problem.starters] or problem.languages)
    return Submission(
        public_id="".join(rng.choices(ALPHABET, k=9)) + copy_code(0),
        user_id=user,
        problem_id=problem.pk,
        version=problem.version,
        language=language,
        mode=(Mode.RUN if run else Mode.SUBMIT).value,
        source=f"{problem.starters[language]}\n// Made up: number {number}.\n",
        shared=not run and rng.random() < 0.2,
        created=created,
    )


def _verdict(rng: random.Random, skill: float) -> Verdict:
    if rng.random() < skill:
        return Verdict.ACCEPTED
    return rng.choices(list(_FAILURES), weights=list(_FAILURES.values()))[0]


def _score(rng: random.Random, speed_us: float, skill: float) -> Score:
    median_us = speed_us * (1 + rng.expovariate(0.5 + 2 * skill))
    half_us = median_us * rng.uniform(0.001, 0.01)
    return Score(median_us, median_us - half_us, median_us + half_us)


def _report(one: Drawn) -> StoredReport:
    score = one.score
    return StoredReport(
        submission=one.submission,
        attempt=1,
        verdict=one.verdict.value,
        version=one.submission.version,
        gpu_model=one.gpu_model,
        driver="580.159.03" if score else "",
        toolkit="nvcc 13.0.88",
        ranked=score is not None,
        score_us=score.median_us if score else None,
        score_low_us=score.low_us if score else None,
        score_high_us=score.high_us if score else None,
        roofline_percent=35.0 if score else None,
        body=_body(one) if score else _plain_body(one.verdict),
        finished=one.finished,
    )


def _cases(verdict: Verdict, score: Score | None) -> tuple[CaseReport, ...]:
    if verdict in {Verdict.COMPILE_ERROR, Verdict.CANCELLED, Verdict.INTERNAL_ERROR}:
        return ()
    sample = CaseReport("example", Group.SAMPLE, public=True, verdict=verdict, wall_ms=1.5, checked=4)
    timed = tuple(
        CaseReport(
            f"timed-{place}", Group.TIMED, public=False, verdict=verdict, timing=_timing(score, factor)
        )
        for place, factor in enumerate(_SPREAD if score else ())
        if score
    )
    return (sample, *timed)


def _timing(score: Score, factor: float) -> Timing:
    median_us, low_us, high_us = (
        figure * factor for figure in (score.median_us, score.low_us, score.high_us)
    )
    return Timing(median_us, low_us, high_us, repetitions=24)


def _body(one: Drawn) -> dict[str, Any]:
    stamp = {"target": "gpu", "gpu": one.gpu_model, "driver": "580.159.03", "nvcc": "13.0.88"}
    cases = _cases(one.verdict, one.score)
    return to_json(Report(one.verdict, cases=cases, environment=stamp, score=one.score))


@cache
def _plain_body(verdict: Verdict) -> dict[str, Any]:
    return to_json(Report(verdict, cases=_cases(verdict, None), environment={"target": "gpu"}))
