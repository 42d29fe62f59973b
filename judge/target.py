"""The interfaces of `judge.evaluate` to its backends: targets, judging sessions, referees.

Theory of operation. A target compiles programs, and opens a judging session for each submission. The session
provides the contents of the cases and, one after the other, the referees of the runs. Compiling, drawing
cases and preparing a runner are independent and overlap. A referee represents one new runner, which is used
once and then destroyed. On a GPU, the referee also represents a share of the device and the referee process,
which owns the memory and the clock. `judge.wiring` opens targets.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from judge.built import Built
from judge.drawn import CaseData
from judge.evidence.sums import Sums
from judge.oracle import Oracle
from judge.replay.recorded import Trace
from judge.report import CaseReport, Diagnostic
from problems.schema import Case, Problem
from problems.vocabulary import Language, Verdict
from sandbox.backend import Process
from sandbox.gpu.tool import Tool
from sandbox.wire import RunFlag


class Referee(Protocol):
    """Checks the cases of one program with one runner. Callers must close it.

    Every method that sends a request to the runner raises judge.errors.Disturbed if another program on the
    GPU may have ended the run, and JudgementCancelled if the judgement was cancelled. After a case that ended
    the runner, `alive` is false and no further case can be checked.
    """

    @property
    def alive(self) -> bool:
        """Whether the runner can handle another request."""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All findings about the program until now."""

    @property
    def output(self) -> bytes:
        """The output of the program. Available after the runner has ended."""

    @property
    def profile_report(self) -> bytes | None:
        """The report of Nsight Compute, if it profiled the runner. Available after the runner has ended.

        It comes from the sandbox of the program, which can forge it.
        """

    @property
    def trace(self) -> Trace | None:
        """The trace of the last call with the flag TRACE, in functional mode; None if unknown."""

    def ready(self) -> None:
        """Wait until the runner is ready and, on a GPU, holds a share of it.

        Must be called once, before all else.

        Raises:
            judge.errors.RunnerUnusable: no runner starts.
            judge.errors.GpuUnavailable: no GPU can be used.
            judge.errors.JudgementCancelled: the judgement was cancelled.
        """

    def load(self, *contents: bytes) -> tuple[Verdict, str] | None:
        """Load the program. Returns None, or the verdict and message of a program that did not load."""

    def check(self, drawn: CaseData, flags: RunFlag) -> CaseReport:
        """Run one case and check all of its outputs."""

    def promote(self) -> bool:
        """Try to get the GPU exclusively without waiting. Returns whether that succeeded.

        This run then continues.
        """

    def rank(self, sets: Sequence[CaseData]) -> CaseReport:
        """Time one case with the trusted clock, and check every call.

        The run must hold the GPU exclusively.
        """

    def overdrawn(self) -> tuple[Verdict, str] | None:
        """Return the verdict for a program that holds more GPU memory than allowed, None if it does not.

        Called if the judge itself has failed, perhaps because the GPU had no free memory.
        """

    def finish(self) -> None:
        """Let the runner exit, and keep its output in `output`."""

    def close(self) -> None:
        """End the runner and release everything. On a GPU, this finishes in the background."""


class JudgingSession(Protocol):
    """The session of a submission on a target: contents of its cases, and referees. Callers must close it."""

    @property
    def environment(self) -> Mapping[str, str]:
        """Return what produces the results: target, hardware, toolchain and versions."""

    def start_referee(self, *, alone: bool = False) -> Referee:
        """Return a referee that begins to prepare a new runner. Returns at once; `Referee.ready` waits.

        With `alone`, it holds the GPU exclusively from `ready` until it is closed. The previous referee must
        be closed first.
        """

    def start_race_check(self) -> Referee | None:
        """Return a referee whose runner detects races, alone on the GPU; None if the target has none.

        Functional mode detects races in every run.
        """

    def sets(self, case: Case) -> tuple[CaseData, ...]:
        """Wait for the contents of `case` and return them.

        There is one set. A timed case has several, and the case of `judge.cases.redrawn_case` has one more.

        Call this only while a referee is ready, because drawing on a GPU needs a share of it.

        Raises:
            judge.errors.OracleFailed: the author's code fails or takes too long.
            judge.errors.JudgementCancelled: the judgement was cancelled.
        """

    def close(self) -> None:
        """Release the contents, and end draws in progress. The referees must be closed before."""


class Target(Protocol):
    """Judges programs on CPUs or GPUs. Open one target per process, and close it at the end. Thread-safe."""

    @property
    def name(self) -> str:
        """`cpu` or `gpu`."""

    @property
    def ranks(self) -> bool:
        """Whether times on this target are ranked."""

    @property
    def gpu_models(self) -> tuple[str, ...]:
        """The models of GPUs that can judge now, with the driver's names; none on a CPU."""

    @property
    def metrics(self) -> Mapping[str, int]:
        """Return counters since the start, such as `pool_hits_cuda` and `secret_pool_misses`."""

    def build(
        self, problem: Problem, source: str, language: Language, cancelled: Callable[[], bool]
    ) -> Built:
        """Compile `source` in a sandbox, or return the result in the cache.

        Raises:
            judge.errors.JudgementCancelled: `cancelled` became true.
            judge.errors.CompilerBroken: the toolchain failed, and the program is not at fault.
            judge.errors.LanguageMissing: this installation lacks the language.
        """

    @property
    def tools(self) -> Collection[Tool]:
        """The tools under which programs can run on this target."""

    def session(
        self,
        problem: Problem,
        language: Language,
        cases: Sequence[Case],
        cancelled: Callable[[], bool],
        *,
        tool: Tool | None = None,
        seed: int | None = None,
        gpu_model: str = "",
    ) -> JudgingSession:
        """Open a session for a submission that will be judged on `cases`, and begin to draw their contents.

        Returns at once. With `tool`, its runners run under this tool, if the target has GPUs. Findings of a
        sanitizer become diagnostics. If `seed` is given, the contents follow from it and are only for this
        session; otherwise seeds are random. With `gpu_model`, the session gets a GPU of that model. Raises
        judge.errors.GpuUnavailable, or GpusMissing if the problem needs more GPUs.
        """

    def examine(
        self, problem: Problem, source: str, language: Language, case: Case, cancelled: Callable[[], bool]
    ) -> tuple[Diagnostic, ...]:
        """Run a program that failed `case` in another way, and return the findings, which may be empty.

        Never changes a verdict. Raises judge.errors.JudgementCancelled.
        """

    def find_race(
        self,
        problem: Problem,
        source: str,
        language: Language,
        cases: Sequence[Case],
        cancelled: Callable[[], bool],
    ) -> Diagnostic | None:
        """Return a data race that changes an output in one of the small `cases`, or None if none is found.

        Raises judge.errors.JudgementCancelled.
        """

    def count(
        self,
        problem: Problem,
        source: str,
        language: Language,
        cases: Sequence[Case],
        cancelled: Callable[[], bool],
    ) -> tuple[Sums, ...] | None:
        """Return the counts of functional mode in `cases`, for a target that does not count; None if unknown.

        Raises judge.errors.JudgementCancelled.
        """

    def start_oracle(self, problem: Problem, cancelled: Callable[[], bool]) -> Oracle:
        """Return the loaded reference of `problem` on the host, for proofs. The caller must close it.

        Raises:
            judge.errors.RunnerUnusable: the sandbox does not start.
            judge.errors.OracleFailed: the reference does not load.
        """

    def start_checker(self, problem: Problem) -> Process:
        """Return a sandbox on the host for an author's checker, for proofs. The caller must close it.

        Raises judge.errors.RunnerUnusable.
        """

    def close(self) -> None:
        """End all background work."""
