"""The referee of the target `cpu`. It runs in this process, with arrays in host memory."""

from collections.abc import Callable, Sequence

from judge.drawn import CaseData
from judge.errors import JudgeError
from judge.replay.recorded import Trace
from judge.report import CaseReport, Diagnostic
from judge.runner.referee import RunnerReferee
from problems.schema import Problem
from problems.vocabulary import Verdict
from sandbox.backend import Process
from sandbox.wire import RunFlag


class HostReferee:
    """The referee of one program. Implements `judge.target.Referee`. `ready` takes a runner from the pool."""

    def __init__(
        self,
        problem: Problem,
        start: Callable[[], Process],
        cancelled: Callable[[], bool],
        start_checker: Callable[[], Process],
    ) -> None:
        self._problem = problem
        self._start_checker = start_checker
        self._start = start
        self._cancelled = cancelled
        self._referee: RunnerReferee | None = None

    @property
    def alive(self) -> bool:
        """Whether the runner can handle another request."""
        return self._referee is not None and self._referee.alive

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All findings of the runner about the program until now."""
        return self._referee.diagnostics if self._referee else ()

    @property
    def output(self) -> bytes:
        """The output of the program. Available after the runner has ended."""
        return self._referee.output if self._referee else b""

    @property
    def profile_report(self) -> bytes | None:
        """None: a CPU has no counters."""
        return None

    @property
    def trace(self) -> Trace | None:
        """The trace of the last call with the flag TRACE; see `judge.target.Referee`."""
        return self._referee.trace if self._referee else None

    def ready(self) -> None:
        """Take a runner. Raises RunnerUnusable."""
        self._referee = RunnerReferee(self._problem, self._start(), self._cancelled, self._start_checker)

    def load(self, *contents: bytes) -> tuple[Verdict, str] | None:
        """Load the program; see `judge.target.Referee`."""
        return self._running().load(*contents)

    def check(self, drawn: CaseData, flags: RunFlag) -> CaseReport:
        """Run one case and check it in full."""
        return self._running().check(drawn, flags)

    def promote(self) -> bool:
        """Return True: a CPU referee shares no device."""
        return True

    def rank(self, sets: Sequence[CaseData]) -> CaseReport:
        """Never called, because this target does not rank."""
        raise JudgeError(
            f"submissions judged on a CPU are not ranked, so timing is refused for these {len(sets)} sets"
        )

    def overdrawn(self) -> tuple[Verdict, str] | None:
        """Return None: the sandbox limits the memory."""
        return None

    def finish(self) -> None:
        """Let the runner exit, and keep its output in `output`."""
        self._running().finish()

    def close(self) -> None:
        """End the runner and release everything."""
        if self._referee:
            self._referee.close()

    def _running(self) -> RunnerReferee:
        if self._referee is None:
            raise JudgeError("the referee was not prepared")
        return self._referee
