"""The one way from a source to a report.

Theory of operation. The oracle draws the cases in a thread of its own while the program compiles: two
sandboxes that know nothing of each other. Then the referee runs the cases in order against one runner.
A wrong answer does not stop the others; a runner that died does. The verdict is that of the first case
that was not accepted.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event

from judge.diagnostics import clean
from judge.errors import JudgementCancelled
from judge.oracle import Drawn, Oracle, inputs
from judge.referee import Referee
from judge.report import CaseReport, Diagnostic, Progress, Report, Stage
from judge.sizes import bytes_of, check_sizes
from judge.target import Built, Target
from problems.schema import Case, Problem
from problems.vocabulary import Group, Language, Mode, Verdict
from sandbox.wire import Flag

MAX_OUTPUT_CHARACTERS = 64 * 1024
_TRACED_BYTES = 256 * 1024  # cases with less data run slowly and tell more


@dataclass(slots=True)
class _Judgement:
    """One evaluation under way."""

    problem: Problem
    source: str
    language: Language
    mode: Mode
    target: Target
    cases: tuple[Case, ...]
    on_progress: Callable[[Progress], None]
    cancelled: Callable[[], bool]
    stages: list[Stage] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time what happens inside as the stage `name`."""
        started = time.monotonic()
        try:
            yield
        finally:
            self.stages.append(Stage(name, (time.monotonic() - started) * 1000))


def evaluate(
    problem: Problem,
    source: str,
    *,
    language: Language,
    mode: Mode,
    target: Target,
    sizes: Mapping[str, int] | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Event | None = None,
) -> Report:
    """Judge `source` against `problem` on `target`.

    `sizes` replaces the cases by one of the user's own, in `run` mode only. `on_progress` is called
    from this thread. When `cancelled` is set the sandboxes are killed and the verdict is `cancelled`.

    Raises:
        judge.sizes.SizesInvalid: `sizes` do not fit the problem.
        sandbox.backend.IsolationUnavailable: this host cannot isolate programs.
        judge.errors.JudgeError: the judge itself failed; the user is not to be charged.
    """
    judgement = _Judgement(
        problem=problem,
        source=source,
        language=language,
        mode=mode,
        target=target,
        cases=select_cases(problem, mode, sizes, ranked=target.ranks),
        on_progress=on_progress,
        cancelled=cancelled.is_set if cancelled else lambda: False,
    )
    try:
        return _judge(judgement)
    except JudgementCancelled:
        return _finish(judgement, Verdict.CANCELLED, "Cancelled.")


def select_cases(
    problem: Problem, mode: Mode, sizes: Mapping[str, int] | None, *, ranked: bool
) -> tuple[Case, ...]:
    """The cases to judge on: a user's own sizes, the public ones, or all that this target runs."""
    if sizes is not None:
        check_sizes(problem, sizes)
        return (Case("custom", Group.SAMPLE, dict(sizes)),)
    if mode is Mode.RUN:
        return tuple(case for case in problem.cases if case.public)
    return tuple(case for case in problem.cases if ranked or case.group is not Group.TIMED)


def _judge(judgement: _Judgement) -> Report:
    gave_up = Event()
    with ThreadPoolExecutor(1, thread_name_prefix="oracle") as thread:
        drawing = _Drawing(judgement, lambda: gave_up.is_set() or judgement.cancelled())
        futures = [thread.submit(drawing.draw, case) for case in judgement.cases]
        try:
            judgement.on_progress(Progress("compiling", "Compiling"))
            with judgement.stage("compile"):
                built = judgement.target.build(
                    judgement.problem, judgement.source, judgement.language, judgement.cancelled
                )
            if built.failure:
                return _finish(judgement, built.failure, built.message, log=built.log)
            judgement.on_progress(Progress("compiled", "Compiled"))
            return _check(judgement, built, futures)
        finally:
            gave_up.set()
            for future in futures:
                future.cancel()
            thread.submit(drawing.close)


class _Drawing:
    """The oracle, started by the thread that uses it, at its first case."""

    def __init__(self, judgement: _Judgement, cancelled: Callable[[], bool]) -> None:
        self._judgement = judgement
        self._cancelled = cancelled
        self._oracle: Oracle | None = None

    def draw(self, case: Case) -> Drawn:
        if self._oracle is None:
            process = self._judgement.target.start_oracle()
            self._oracle = Oracle(self._judgement.problem, process, self._cancelled)
        return self._oracle.draw(case)

    def close(self) -> None:
        if self._oracle:
            self._oracle.close()


def _check(judgement: _Judgement, built: Built, futures: list[Future[Drawn]]) -> Report:
    reports: list[CaseReport] = []
    with judgement.stage("start"):
        process = judgement.target.start_runner(judgement.problem, judgement.language)
    with Referee(judgement.problem, process, judgement.cancelled) as referee:
        with judgement.stage("load"):
            failed = referee.load(*built.contents)
        if failed:
            return _finish(judgement, *failed, log=built.log, diagnostics=referee.diagnostics)
        with judgement.stage("check"):
            for index, (case, future) in enumerate(zip(judgement.cases, futures, strict=True)):
                _announce(judgement, index)
                reports.append(referee.check(future.result(), _flags(judgement.problem, case)))
                if not referee.alive:
                    break
        referee.finish()
        verdict, message = _overall(reports)
        return _finish(
            judgement,
            verdict,
            message,
            cases=tuple(reports),
            diagnostics=referee.diagnostics,
            log=built.log,
            output=_shown(judgement, referee.output),
        )


def _announce(judgement: _Judgement, index: int) -> None:
    total = len(judgement.cases)
    text = f"Case {index + 1} of {total}"
    judgement.on_progress(Progress("case", text, index=index + 1, total=total))


def _flags(problem: Problem, case: Case) -> Flag:
    """Small cases run in one fixed order and are watched for races; odd ones in the reverse order."""
    if sum(bytes_of(argument, case.sizes) for argument in inputs(problem)) > _TRACED_BYTES:
        return Flag.NONE
    flags = Flag.DETERMINISTIC | Flag.RACES
    return flags | Flag.REVERSED if case.group is Group.ODD else flags


def _overall(reports: list[CaseReport]) -> tuple[Verdict, str]:
    failed = [report for report in reports if report.verdict is not Verdict.ACCEPTED]
    if not failed:
        return Verdict.ACCEPTED, ""
    return failed[0].verdict, failed[0].message


def _shown(judgement: _Judgement, output: bytes) -> str:
    """What the program printed, where it printed about public cases only."""
    if judgement.mode is not Mode.RUN:
        return ""
    return clean(output.decode("utf-8", "replace"), MAX_OUTPUT_CHARACTERS)


def _finish(
    judgement: _Judgement,
    verdict: Verdict,
    message: str,
    *,
    cases: tuple[CaseReport, ...] = (),
    diagnostics: tuple[Diagnostic, ...] = (),
    log: str = "",
    output: str = "",
) -> Report:
    judgement.on_progress(Progress("finished", verdict.value))
    return Report(
        verdict=verdict,
        message=message,
        stages=tuple(judgement.stages),
        cases=cases,
        diagnostics=diagnostics,
        log=log,
        output=output,
        environment=judgement.target.environment(judgement.language),
    )
