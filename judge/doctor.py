"""The doctor: runs a CUDA program that failed on a GPU once more in functional mode, and says what it sees.

Theory of operation. A GPU says of an illegal access little more than that there was one, and nothing of a
race that led to a wrong answer. Functional mode checks every access and names kernel, block, thread, line and
index. So a case that is small enough is drawn again and run on this host's processors, within a short limit.
What is found there becomes diagnostics, marked as such, and no verdict: another machine, other contents,
another order of threads. Only where the GPU itself could not tell a trap from a bad access does it decide
which of the two is said (`judge.faults.classified`).

Functional mode is opened in the background, since its first time on a host takes a while. Whatever goes
wrong here is logged and costs the author nothing but an explanation.
"""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from judge.cpu_target import CpuTarget
from judge.drawn import layout
from judge.errors import JudgeError, JudgementCancelled
from judge.report import Diagnostic
from problems.schema import Case, Problem
from problems.vocabulary import Language
from sandbox.backend import IsolationUnavailable
from sandbox.cpu.build import RuntimeBuildFailed
from sandbox.toolchain import ToolchainMissing
from sandbox.wire import Flag

_log = logging.getLogger(__name__)

MAX_CASE_BYTES = 4 << 20
_LIMIT_S = 8.0
_CASE_S = 3.0
_MARK = "On the CPU, in functional mode: "
_CANNOT = (JudgeError, IsolationUnavailable, ToolchainMissing, RuntimeBuildFailed, OSError)


class Doctor:
    """Opens functional mode with `open_cpu` and examines programs on it. Safe between threads."""

    def __init__(self, open_cpu: Callable[[], CpuTarget]) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="doctor")
        self._cpu: Future[CpuTarget] = self._thread.submit(open_cpu)

    @property
    def ready(self) -> bool:
        """Whether functional mode has come up, or failed to."""
        return self._cpu.done()

    def examine(
        self, problem: Problem, source: str, case: Case, cancelled: Callable[[], bool]
    ) -> tuple[Diagnostic, ...]:
        """What it finds in `case`, marked as found by it. Raises JudgementCancelled."""
        if not self.ready or layout(problem, case)[1] > MAX_CASE_BYTES:
            return ()
        deadline = time.monotonic() + _LIMIT_S
        limits = replace(problem.limits, case_s=min(_CASE_S, problem.limits.case_s))
        brief = replace(problem, limits=limits)
        try:
            found = _examine(
                self._cpu.result(), brief, source, case, lambda: cancelled() or time.monotonic() > deadline
            )
        except JudgementCancelled:
            if cancelled():
                raise
            return ()
        except _CANNOT as error:
            _log.warning("doctor_failed: %s", error)
            return ()
        return tuple(replace(diagnostic, message=_MARK + diagnostic.message) for diagnostic in found)

    def close(self) -> None:
        """End functional mode."""
        self._thread.shutdown()
        if self._cpu.exception() is None:
            self._cpu.result().close()


def _examine(
    cpu: CpuTarget, problem: Problem, source: str, case: Case, stop: Callable[[], bool]
) -> tuple[Diagnostic, ...]:
    seat = cpu.seat(problem, Language.CUDA, [case], stop)
    try:
        built = cpu.build(problem, source, Language.CUDA, stop)
        referee = seat.start_referee()
        try:
            referee.ready()
            if built.failure or referee.load(*built.contents):
                return ()
            (drawn,) = seat.sets(case)
            referee.check(drawn, Flag.DETERMINISTIC | Flag.RACES)
            return tuple(found for found in referee.diagnostics if found.kind != "launch")
        finally:
            referee.close()
    finally:
        seat.close()
