"""The interfaces that `judge.evaluate` judges through: targets, judging sessions, referees.

Theory of operation. A target compiles, and gives a submission a judging session: the contents of its cases
and, one after the other, the referees of its runs. Compiling, drawing and getting a runner ready know nothing
of each other and overlap. A referee stands for one fresh runner, which is used once and then destroyed; on a
GPU it also stands for a share of the device, and for a process of ours that owns the memory and the clock.
`judge.wiring` opens them.
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
    """Judges one program's cases against one runner. Close it.

    Every method that asks the runner raises judge.errors.Disturbed when the run ended by what a neighbour
    on the GPU may have done, and JudgementCancelled when the judgement was cancelled. After a case that
    ended the runner, `alive` is false and no further case can be checked.
    """

    @property
    def alive(self) -> bool:
        """Whether the runner can be asked for more."""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The findings about the program, up to now."""

    @property
    def output(self) -> bytes:
        """The program's output; available after the runner has ended."""

    @property
    def profile_report(self) -> bytes | None:
        """The report of Nsight Compute, if it profiled the runner; available after the runner has ended.

        It comes from the sandbox of the program, which can forge it.
        """

    @property
    def trace(self) -> Trace | None:
        """What the last call with the flag TRACE did, in functional mode; None if that is unknown."""

    def ready(self) -> None:
        """Wait until the runner is up and, on a GPU, a share of it is held. Call it first, once.

        Raises:
            judge.errors.RunnerUnusable: a runner does not come up.
            judge.errors.GpuUnavailable: no GPU can be used.
            judge.errors.JudgementCancelled: the judgement was cancelled.
        """

    def load(self, *contents: bytes) -> tuple[Verdict, str] | None:
        """Load the program. Returns None, or the verdict and message of a program that did not load."""

    def check(self, drawn: CaseData, flags: RunFlag) -> CaseReport:
        """Run one case and check it in full."""

    def promote(self) -> bool:
        """Try to have the GPU alone without waiting; a run of our own goes on if so."""

    def rank(self, sets: Sequence[CaseData]) -> CaseReport:
        """Time one case by the trusted clock, checking every repetition. Needs the GPU alone."""

    def overdrawn(self) -> tuple[Verdict, str] | None:
        """The verdict for a program that holds more of the GPU's memory than it may, None when it does not.

        To be asked when the judge itself has failed: it may have found no memory left.
        """

    def finish(self) -> None:
        """Let the runner leave, and keep what it printed in `output`."""

    def close(self) -> None:
        """End the runner and release everything; on a GPU soon."""


class JudgingSession(Protocol):
    """A submission's place on a target: the contents of its cases, and its referees. Close it at the end."""

    @property
    def environment(self) -> Mapping[str, str]:
        """Return what produces the results: target, hardware, toolchain and versions."""

    def start_referee(self, *, alone: bool = False) -> Referee:
        """A referee that begins to get a fresh runner ready. Returns at once; `Referee.ready` waits.

        With `alone`, it holds the GPU exclusively from `ready` until it is closed. Close the previous referee
        first.
        """

    def start_race_check(self) -> Referee | None:
        """A referee whose runner looks for races in what one case runs, alone; None where there is none.

        Functional mode looks for races in every run.
        """

    def sets(self, case: Case) -> tuple[CaseData, ...]:
        """The contents of `case`, as soon as they are there: one set, or several for a timed case.

        Ask only while a referee is ready: on a GPU nothing is drawn without a share of it.

        Raises:
            judge.errors.OracleFailed: the author's code breaks or takes too long.
            judge.errors.JudgementCancelled: the judgement was cancelled.
        """

    def close(self) -> None:
        """Let go of the contents, and end what still draws. Close the referees before."""


class Target(Protocol):
    """A place to judge on. Open one per process, close it at the end. Safe to share between threads."""

    @property
    def name(self) -> str:
        """`cpu` or `gpu`."""

    @property
    def ranks(self) -> bool:
        """Whether times measured here count."""

    @property
    def gpu_models(self) -> tuple[str, ...]:
        """The models of its GPUs that can judge now, as the driver names them; none on a CPU."""

    @property
    def metrics(self) -> Mapping[str, int]:
        """Counters since it was opened, such as `pool_hits_cuda` and `secret_pool_misses`."""

    def build(
        self, problem: Problem, source: str, language: Language, cancelled: Callable[[], bool]
    ) -> Built:
        """Compile `source`, isolated, or take it from the cache.

        Raises:
            judge.errors.JudgementCancelled: `cancelled` became true.
            judge.errors.CompilerBroken: the toolchain failed on our account.
            judge.errors.LanguageMissing: this installation lacks the language.
        """

    @property
    def tools(self) -> Collection[Tool]:
        """The tools that can watch programs here."""

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
        """A place for a submission that will be judged on `cases`, whose contents begin to be drawn.

        Returns at once. With `tool` its runners work under that tool, if there are GPUs. What a sanitizer
        finds becomes diagnostics. The contents come of `seed` if one is given, and are then for
        this judging session alone; else of random seeds. With `gpu_model` it is a GPU of that
        model. Raises judge.errors.GpuUnavailable, or GpusMissing if the problem needs more GPUs.
        """

    def examine(
        self, problem: Problem, source: str, language: Language, case: Case, cancelled: Callable[[], bool]
    ) -> tuple[Diagnostic, ...]:
        """Return findings of another way to run a program that failed `case`; may be empty.

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
        """A data race that changes an output in one of the small `cases`, where this can be found out.

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
        """What functional mode counts in `cases`, for a target that does not count; None if unknown.

        Raises judge.errors.JudgementCancelled.
        """

    def start_oracle(self, problem: Problem, cancelled: Callable[[], bool]) -> Oracle:
        """The reference of `problem`, loaded, to be read on the host: for proofs. The caller closes it.

        Raises:
            judge.errors.RunnerUnusable: the sandbox does not come up.
            judge.errors.OracleFailed: the reference does not load.
        """

    def start_checker(self, problem: Problem) -> Process:
        """A sandbox of this host for an author's checker: for proofs. The caller closes it.

        Raises judge.errors.RunnerUnusable.
        """

    def close(self) -> None:
        """End what it keeps running."""
