"""Provides the contents of a submission's cases on a GPU: from the secret pool, or drawn on demand.

Theory of operation. A thread asks the secret pool for all cases, which takes milliseconds. It reserves
missing sets there and has an oracle fill them, but only while the submission holds a share of the GPU
(`permit`): the author's code runs on the device too. For sets that another client is filling it waits, for a
limited time. Cases that are checked come first; those that are timed follow while the first are checked.
`lacking` reports what the secret pool needs for the next submissions. Sets for timing are used only once. A
case with sizes, values or a seed of the user's own is drawn for that submission only and not kept.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing
from threading import Event, Thread

from judge.drawn import CaseData, layout
from judge.errors import JudgementCancelled
from judge.gpu.oracles import Filler, Lender
from judge.gpu.permit import Permit
from judge.gpu.pool.client import SecretPool, SecretPoolUnavailable
from problems.schema import Case, Problem
from problems.vocabulary import Group

_log = logging.getLogger(__name__)

CHECK_SETS = 1
TIMED_SETS = 97  # one to warm up; each of the others is timed once and never again, see judge.clock.session
LEAST_TIMED_SETS = 8
_TIMED_BYTES = 24 << 30  # for the sets of a case, unless there would be too few
_KEPT_CHECKS = 4  # judgements that find fresh contents waiting
_KEPT_TIMED_BYTES = 1 << 30
_LARGE_BYTES = 64 << 20
_POLL_S = 0.02
_OTHERS_S = 2.0  # in which another judgement should have filled what it reserved


def sets_of(problem: Problem, case: Case) -> int:
    """Return the number of sets of `case` that a judgement needs."""
    if case.group is not Group.TIMED:
        return CHECK_SETS
    return _within(_TIMED_BYTES, problem, case, least=LEAST_TIMED_SETS)


def kept_of(problem: Problem, case: Case) -> int:
    """Return the number of unused sets of `case` to keep in stock for later judgements."""
    if case.group is Group.TIMED:
        return _within(_KEPT_TIMED_BYTES, problem, case, least=0)
    if layout(problem, case)[1] > _LARGE_BYTES:
        return CHECK_SETS
    return _KEPT_CHECKS * CHECK_SETS


def _within(budget_bytes: int, problem: Problem, case: Case, *, least: int) -> int:
    return max(least, min(TIMED_SETS, budget_bytes // max(1, layout(problem, case)[1])))


class PooledCaseData:
    """Gets contents for each of `cases`. Close it once the referees that use them are closed."""

    def __init__(
        self,
        problem: Problem,
        cases: Sequence[Case],
        secret_pool: SecretPool,
        oracles: Lender,
        cancelled: Callable[[], bool],
        *,
        permit: Permit,
        seed: int | None = None,
    ) -> None:
        self._problem = problem
        self._cases = tuple(sorted(cases, key=lambda case: case.group is Group.TIMED))
        self._seed = seed
        # Contents that a user could predict must never reach another submission, nor may those of a case that
        # is only this submission's, whatever its name.
        known = () if seed is not None else problem.cases
        self._pooled = {case.name for case in cases if case in known}
        # Sets for timing are used only once.
        self._handed_on = self._pooled - {case.name for case in cases if case.group is Group.TIMED}
        self._secret_pool = secret_pool
        self._oracles = oracles
        self._cancelled = cancelled
        self._permit = permit
        self._gave_up = Event()
        self._made: list[CaseData] = []
        self._lacking: dict[str, int] = {}
        self._futures: dict[str, Future[tuple[CaseData, ...]]] = {case.name: Future() for case in cases}
        self._thread = Thread(target=self._run, name="draws", daemon=True)
        self._thread.start()

    @property
    def lacking(self) -> Mapping[str, int]:
        """The number of sets to make for later, by case. Complete after `close`."""
        return dict(self._lacking)

    def sets(self, case: Case) -> tuple[CaseData, ...]:
        """The contents of `case`, as soon as they are there; see `judge.target.JudgingSession`."""
        future = self._futures[case.name]
        while True:
            try:
                return future.result(_POLL_S)
            except TimeoutError:
                if future.done():
                    return future.result()
                if self._cancelled():
                    raise JudgementCancelled from None

    def close(self) -> None:
        """Release the contents. A draw in progress finishes; no further draw starts."""
        self._gave_up.set()
        self._thread.join()
        while self._made:
            self._made.pop().close()

    def _run(self) -> None:
        try:
            missing = [case for case in self._cases if not self._found(case)]
            if missing:
                self._draw(missing)
        except BaseException as error:  # noqa: BLE001 - the boundary of a thread: the caller raises it
            for future in self._futures.values():
                if not future.done():
                    future.set_exception(error)

    def _found(self, case: Case) -> bool:
        """Take what the secret pool has of `case`. Whether that is enough."""
        if case.name not in self._pooled:
            return False
        count = sets_of(self._problem, case)
        once = case.group is Group.TIMED
        sets, lacking = self._secret_pool.take(
            self._problem, case, count, keep=kept_of(self._problem, case), once=once
        )
        _log.debug("secret_pool_taken: %s/%s: %d of %d", self._problem.slug, case.name, len(sets), count)
        self._made += sets
        if lacking:
            self._lacking[case.name] = lacking
        if len(sets) < count:
            return False
        self._futures[case.name].set_result(sets)
        return True

    def _draw(self, missing: Sequence[Case]) -> None:
        self._oracles.prepare(self._problem)
        for case in missing:
            sets = [drawn for drawn in self._made if drawn.case.name == case.name]
            if not sets:
                sets = self._from_others(case)
            missing_sets = sets_of(self._problem, case) - len(sets)
            if missing_sets > 0:
                with self._permit.held(self._stop_asking):
                    sets += self._fill(case, missing_sets)
            self._futures[case.name].set_result(tuple(sets))

    def _from_others(self, case: Case) -> list[CaseData]:
        """Return the sets that other clients were filling, if they arrive in time."""
        deadline = time.monotonic() + _OTHERS_S
        wanted = sets_of(self._problem, case)
        while case.name in self._handed_on and self._secret_pool.coming(self._problem, case) >= wanted:
            if time.monotonic() > deadline:
                break
            if self._stop_asking():
                raise JudgementCancelled
            time.sleep(_POLL_S)
        else:
            return self._take_late(case)
        return []

    def _take_late(self, case: Case) -> list[CaseData]:
        """Return sets that arrived after `case` was found missing: all that are needed, or none."""
        if case.name not in self._handed_on:
            return []
        sets = self._secret_pool.take_all(self._problem, case, sets_of(self._problem, case))
        self._made += sets
        return list(sets)

    def _fill(self, case: Case, count: int) -> list[CaseData]:
        """Draw `count` sets. Raises JudgementCancelled if the judgement was cancelled."""
        started = time.monotonic()
        sets: list[CaseData] = []
        with closing(self._oracles.lend(self._problem, self._stop_asking)) as oracle:
            for _ in range(count):
                if self._stop_asking():
                    raise JudgementCancelled
                sets.append(self._fill_one(oracle, case))
        took_ms = 1000 * (time.monotonic() - started)
        _log.debug("secret_pool_filled: %s/%s: %d in %.1f ms", self._problem.slug, case.name, count, took_ms)
        return sets

    def _fill_one(self, oracle: Filler, case: Case) -> CaseData:
        reservation = self._secret_pool.reserve(self._problem, case)
        if reservation is None:
            raise SecretPoolUnavailable(f"the secret pool could not generate a set of case {case.name}")
        self._made.append(reservation.drawn)
        if case.name not in self._handed_on:
            self._secret_pool.drop(reservation)
        oracle.fill(reservation.drawn, self._seed)
        self._secret_pool.commit(reservation, used=True)
        return reservation.drawn

    def _stop_asking(self) -> bool:
        return self._gave_up.is_set() or self._cancelled()
