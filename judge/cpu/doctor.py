"""The doctor repeats failed GPU runs of CUDA programs in functional mode and reports findings.

Theory of operation. If a program makes an illegal access, a GPU reports little more than the error. It
reports nothing about a race that led to a wrong answer. Functional mode checks every access and names kernel,
block, thread, line and index. So a small case is drawn a second time and run on this host's processors,
within a short limit. The findings become diagnostics, marked as findings of the doctor. They never decide a
verdict, because the machine, the contents and the order of threads differ. There is one exception: if the GPU
cannot distinguish a trap from an illegal access, the doctor decides which of the two is reported
(`judge.evidence.faults.classified`).

The doctor also searches for races in programs that have not failed (`find_race`), since a GPU does not detect
races; see `judge.race_watch`. It also counts for the requirements of a problem (`count`); see
`judge.requirements`.

Functional mode is opened in the background, because its first start on a host is slow. If the doctor fails,
the error is logged, and the author only lacks an explanation.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from judge.cases import ORDERS, orders_for
from judge.cpu.orders import changes_between_calls, with_late_reads
from judge.cpu.races import race_among
from judge.cpu.referee import HostReferee
from judge.cpu.target import CpuSession, CpuTarget
from judge.drawn import layout
from judge.errors import JudgeError, JudgementCancelled
from judge.evidence.sums import Sums, parse_sums
from judge.report import CaseReport, Diagnostic
from problems.schema import Case, Problem
from problems.vocabulary import DiagnosticKind, Language, Severity, Verdict
from sandbox.backend import IsolationUnavailable
from sandbox.cpu.build import RuntimeBuildFailed
from sandbox.toolchain import ToolchainMissing
from sandbox.wire import RunFlag

_log = logging.getLogger(__name__)

MAX_CASE_BYTES = 4 << 20
_LIMIT_S = 8.0
_RACE_LIMIT_S = 30.0
_COUNT_LIMIT_S = 30.0
_CASE_S = 3.0
_Found = TypeVar("_Found")
_MARK = "On the CPU, in functional mode: "
_CANNOT = (JudgeError, IsolationUnavailable, ToolchainMissing, RuntimeBuildFailed, OSError)


class Doctor:
    """Opens functional mode with `open_cpu` and examines programs in it. Thread-safe."""

    def __init__(self, open_cpu: Callable[[], CpuTarget]) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="doctor")
        self._cpu: Future[CpuTarget] = self._thread.submit(open_cpu)

    @property
    def ready(self) -> bool:
        """Whether functional mode has started or failed to start."""
        return self._cpu.done()

    def examine(
        self, problem: Problem, source: str, case: Case, cancelled: Callable[[], bool]
    ) -> tuple[Diagnostic, ...]:
        """Return the doctor's findings for `case`, marked as such. Raises JudgementCancelled."""
        if not self.ready or layout(problem, case)[1] > MAX_CASE_BYTES:
            return ()
        found = self._ask(problem, source, [case], cancelled, _examine, limit_s=_LIMIT_S)
        return tuple(replace(diagnostic, message=_MARK + diagnostic.message) for diagnostic in found or ())

    def find_race(
        self, problem: Problem, source: str, cases: Sequence[Case], cancelled: Callable[[], bool]
    ) -> Diagnostic | None:
        """Return a race that provably changes an output in a small case. Raises JudgementCancelled."""
        small = [case for case in cases if len(orders_for(problem, case)) > 1]
        if not self.ready or not small:
            return None
        race = self._ask(problem, source, small, cancelled, _find_race, limit_s=_RACE_LIMIT_S)
        return replace(race, severity=Severity.ERROR, message=_MARK + race.message) if race else None

    def count(
        self, problem: Problem, source: str, cases: Sequence[Case], cancelled: Callable[[], bool]
    ) -> tuple[Sums, ...] | None:
        """Return the counts in each of `cases`; None if they are unknown. Raises JudgementCancelled."""
        if not self.ready:
            return None
        return self._ask(problem, source, cases, cancelled, _count, limit_s=_COUNT_LIMIT_S)

    def _ask(
        self,
        problem: Problem,
        source: str,
        cases: Sequence[Case],
        cancelled: Callable[[], bool],
        question: Callable[["_Patient"], _Found],
        *,
        limit_s: float,
    ) -> _Found | None:
        """Return the findings within `limit_s`, or None if functional mode is unavailable."""
        deadline = time.monotonic() + limit_s
        limits = replace(problem.limits, case_s=min(_CASE_S, problem.limits.case_s))
        brief = replace(problem, limits=limits)
        try:
            with _loaded(
                self._cpu.result(), brief, source, cases, lambda: cancelled() or time.monotonic() > deadline
            ) as patient:
                return question(patient) if patient else None
        except JudgementCancelled:
            if cancelled():
                raise
        except _CANNOT as error:
            _log.warning("doctor_failed: %s", error)
        return None

    def close(self) -> None:
        """End functional mode."""
        self._thread.shutdown()
        if self._cpu.exception() is None:
            self._cpu.result().close()


@dataclass(frozen=True, slots=True)
class _Patient:
    """A loaded program, and the cases to run."""

    session: CpuSession
    referee: HostReferee
    problem: Problem
    cases: Sequence[Case]

    def check(self, case: Case, flags: RunFlag) -> CaseReport:
        drawn, *_ = self.session.sets(case)
        return self.referee.check(drawn, flags)


@contextmanager
def _loaded(
    cpu: CpuTarget, problem: Problem, source: str, cases: Sequence[Case], stop: Callable[[], bool]
) -> Iterator[_Patient | None]:
    """Yield the program loaded in functional mode, or None if it does not compile or load there."""
    with closing(cpu.session(problem, Language.CUDA, cases, stop)) as session:
        built = cpu.build(problem, source, Language.CUDA, stop)
        with closing(session.start_referee()) as referee:
            referee.ready()
            if built.failure or referee.load(*built.contents):
                yield None
            else:
                yield _Patient(session, referee, problem, cases)


def _examine(patient: _Patient) -> tuple[Diagnostic, ...]:
    patient.check(patient.cases[0], ORDERS[0])
    return tuple(found for found in patient.referee.diagnostics if found.kind != DiagnosticKind.LAUNCH)


def _count(patient: _Patient) -> tuple[Sums, ...] | None:
    for case in patient.cases:
        patient.check(case, ORDERS[0] | RunFlag.COUNT | RunFlag.SUMS)
        if not patient.referee.alive:
            return None
    return parse_sums(patient.referee.diagnostics)


def _find_race(patient: _Patient) -> Diagnostic | None:
    """Return a race in a case whose outputs are right only in some orders, or None.

    If the outputs change between calls in the same order, a race is not the cause, so the result is None.
    """
    for case in patient.cases:
        before = len(patient.referee.diagnostics)
        verdicts = []
        for order in with_late_reads(patient.referee, ORDERS):
            verdicts.append(patient.check(case, order).verdict)
            if not patient.referee.alive:
                return None
        race = race_among(patient.referee.diagnostics[before:])
        if race is None or set(verdicts) != {Verdict.ACCEPTED, Verdict.WRONG_ANSWER}:
            continue
        kept = verdicts[0] is Verdict.ACCEPTED and changes_between_calls(partial(patient.check, case))
        if not kept and patient.referee.alive:
            return race
    return None
