"""The state of an evaluation that the steps of `judge.evaluate` share, and the result of a run."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from judge.cases import counted_cases, required_cases
from judge.race_watch import RaceWatch
from judge.replay.packed import pack
from judge.replay.races import races_in
from judge.replay.recorded import Trace
from judge.report import (
    CaseReport,
    Diagnostic,
    ProgressEvent,
    Replay,
    RequirementReport,
    Score,
    StageTime,
)
from judge.target import JudgingSession, Referee, Target
from problems.schema import Case, Problem
from problems.vocabulary import Group, Language, Mode, Stage, Step, Verdict
from sandbox.gpu.tool import Tool

_MOST_TRACED = 4  # cases of a run


@dataclass(slots=True)
class Judgement:
    """The state of an evaluation.

    Owns its judging session and the referee of the current run until `close`.
    """

    problem: Problem
    source: str
    language: Language
    mode: Mode
    target: Target
    cases: tuple[Case, ...]
    on_progress: Callable[[ProgressEvent], None]
    on_stage: Callable[[StageTime], None]
    cancelled: Callable[[], bool]
    tool: Tool | None
    profile_missing: str
    seed: int | None
    gpu_model: str
    stages: list[StageTime] = field(default_factory=list)
    attempts: int = 1
    said_before: int | None = None  # number of findings when the first hidden case began, None before that
    replay: Replay | None = None
    _session: JudgingSession | None = None
    _referee: Referee | None = None
    _shown: tuple[bool, int] = (False, 0)  # of the kept replay: whether the case failed, event count

    @property
    def session(self) -> JudgingSession:
        """Its judging session on the target, opened at first use."""
        if self._session is None:
            self._session = self.target.session(
                self.problem,
                self.language,
                self.cases,
                self.cancelled,
                tool=self.tool,
                seed=self.seed,
                gpu_model=self.gpu_model,
            )
        return self._session

    @property
    def checked(self) -> list[Case]:
        """The cases of the check stage."""
        return [case for case in self.cases if case.group is not Group.TIMED]

    @property
    def counted(self) -> tuple[str, ...]:
        """The names of the cases on which functional mode counts memory traffic."""
        return counted_cases(self.problem, self.checked, self.mode)

    @property
    def traced(self) -> tuple[str, ...]:
        """The names of the cases for which functional mode records a trace, the first of a run."""
        if self.mode is not Mode.RUN or self.language is not Language.CUDA or self.tool:
            return ()
        return tuple(case.name for case in self.checked if case.public)[:_MOST_TRACED]

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the cases that count for the requirements of the problem."""
        if not self.problem.requirements:
            return ()
        names = required_cases(self.problem, self.language)
        return tuple(case.name for case in self.checked if case.name in names)

    @property
    def timed(self) -> list[Case]:
        """The cases of the rank stage."""
        return [case for case in self.cases if case.group is Group.TIMED]

    @contextmanager
    def stage(self, name: Stage) -> Iterator[None]:
        """Time the block as the stage `name`."""
        started = time.monotonic()
        try:
            yield
        finally:
            stage = StageTime(name, (time.monotonic() - started) * 1000)
            self.stages.append(stage)
            self.on_stage(stage)

    def tell(self, kind: Step, text: str, *, index: int | None = None, total: int | None = None) -> None:
        """Report a step to `on_progress`."""
        self.on_progress(ProgressEvent(kind, text, index=index, total=total))

    def new_run(self, *, alone: bool) -> Referee:
        """End the current run, if any, and begin another with a new runner."""
        self.end_run()
        self.said_before = None
        self.replay, self._shown = None, (False, 0)
        self._referee = self.session.start_referee(alone=alone)
        return self._referee

    def new_race_check(self) -> Referee | None:
        """End the current run, and begin one that detects races.

        Returns None if the target has no such run.
        """
        self.end_run()
        self._referee = self.session.start_race_check()
        return self._referee

    def watch(self) -> RaceWatch | nullcontext[None]:
        """Start a race watch if the program is to be ranked, else return a null context."""
        if self.mode is not Mode.SUBMIT or not self.timed:
            return nullcontext()
        return RaceWatch(self.target, self.problem, self.source, self.language, self.checked, self.cancelled)

    def end_run(self) -> None:
        """End the current run, if any."""
        referee, self._referee = self._referee, None
        if referee is not None:
            referee.close()

    def overdrawn(self) -> tuple[Verdict, str] | None:
        """Return the verdict for a program that left the judge no GPU memory, None if it did not."""
        return self._referee.overdrawn() if self._referee is not None else None

    def begin_case(self, case: Case, referee: Referee) -> bool:
        """Record that `case` begins. Returns whether a hidden case has begun before in this run."""
        after = self.said_before is not None
        if not after and not case.public:
            self.said_before = len(referee.diagnostics)
        return after

    def keep_replay(
        self, case: Case, report: CaseReport, trace: Trace | None, diagnostics: Iterable[Diagnostic]
    ) -> None:
        """Keep the replay of `case` with this `report` if it shows more than the kept replay.

        The first case that is not accepted is preferred, else the case in which the program did most. The
        replay marks the races among `diagnostics`.
        """
        if trace is None:
            return
        shows = (report.verdict is not Verdict.ACCEPTED, len(trace.events))
        if self._shown[0] or shows <= self._shown:
            return
        packed = pack(trace, self.problem, case, races_in(trace, diagnostics))
        if packed:
            self.replay, self._shown = Replay(case.name, packed), shows

    def close(self) -> None:
        """End the current run and close the judging session."""
        self.end_run()
        if self._session is not None:
            self._session.close()


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The result of running the program."""

    verdict: Verdict
    message: str
    cases: tuple[CaseReport, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    output: bytes = b""
    score: Score | None = None
    requirements: tuple[RequirementReport, ...] = ()
    profile_report: bytes | None = None
