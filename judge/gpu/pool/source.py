"""Provides the contents of a submission's cases on a GPU, from the secret pool or drawn on demand.

Theory of operation. A thread requests sets of all cases from the secret pool, which takes milliseconds. It
reserves missing sets there and lets an oracle fill them, but only while the submission holds a share of the
GPU (`permit`), because the author's code runs on the device too. If another client is filling a set, the
thread waits for it for a limited time. `lacking` reports how many sets the secret pool needs for later
submissions. Sets for timing are used only once. If the user gives sizes, values or a seed, the case is drawn
only for this submission and not kept. The same applies to problems that are ranked by their checker's score
(`judge.seeds`).

Checked cases come first. Timed cases follow while the first cases are being checked. The sets of timed cases
can fill half of the GPU. So only one judgement of a GPU draws them in advance, in a sixth of its memory
(`AheadTurn`). Other judgements draw them when they have the GPU alone. Sets that do not fit are drawn then
too. If a reference is slow, a timed case gets fewer sets, but at least LEAST_TIMED_SETS.
"""

import logging
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing
from threading import Event, Thread

from judge.cases import redrawn_case
from judge.drawn import CaseData, layout
from judge.errors import JudgementCancelled
from judge.gpu.oracles import Filler, Lender
from judge.gpu.permit import AheadTurn, Permit
from judge.gpu.pool.client import SecretPool, SecretPoolUnavailable
from judge.seeds import seed_of
from problems.schema import Case, Problem
from problems.vocabulary import Group

_log = logging.getLogger(__name__)

CHECK_SETS = 1
TIMED_SETS = 97  # one to warm up, and one for each timed call; see judge.clock.session
LEAST_TIMED_SETS = 8
TIMED_BYTES = 24 << 30  # limit for the sets of a case, unless these would be too few
_TIMED_SHARE = 2  # divisor: at most half of the GPU for the sets of all timed cases
_TIMED_DRAW_S = 2.0  # limit for the sets of a timed case, unless these would be too few
_AHEAD_SHARE = 6  # divisor: a sixth of the GPU for sets that are drawn in advance
_KEPT_CHECKS = 4  # judgements for which unused contents are kept in stock
_KEPT_TIMED_BYTES = 1 << 30
_LARGE_BYTES = 64 << 20
_POLL_S = 0.02
_OTHERS_S = 2.0  # to wait for sets that another judgement reserved


def sets_of(problem: Problem, case: Case, *, timed_bytes: int = TIMED_BYTES) -> int:
    """Return how many sets of `case` a judgement needs. Sets of a timed case must fit in `timed_bytes`.

    This does not include the additional set of a case that is checked twice; see `judge.cases.redrawn_case`.
    """
    if case.group is not Group.TIMED:
        return CHECK_SETS
    return _within(timed_bytes, problem, case, least=LEAST_TIMED_SETS)


def timed_bytes_on(memory_mib: int, cases: Sequence[Case]) -> int:
    """Return the memory for the sets of each timed case of `cases` on a GPU of `memory_mib`, 0 if unknown."""
    timed = sum(case.group is Group.TIMED for case in cases)
    if not memory_mib or not timed:
        return TIMED_BYTES
    return min(TIMED_BYTES, (memory_mib << 20) // (_TIMED_SHARE * timed))


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
    """Provides contents for each of `cases`. Close it after the referees that use them."""

    def __init__(  # noqa: PLR0913 - a submission's cases, and what its draws may use, by name
        self,
        problem: Problem,
        cases: Sequence[Case],
        secret_pool: SecretPool,
        oracles: Lender,
        cancelled: Callable[[], bool],
        *,
        permit: Permit,
        ahead: AheadTurn,
        memory_mib: int = 0,
        seed: int | None = None,
    ) -> None:
        """`memory_mib` is the memory of the GPU, 0 if unknown."""
        self._problem = problem
        self._cases = tuple(sorted(cases, key=lambda case: case.group is Group.TIMED))
        self._seed = seed
        self._redrawn = redrawn_case(problem, cases)
        # Contents that a user could predict must never reach another submission. Neither must contents of a
        # case that exists only in this submission, whatever its name.
        known = () if seed is not None else problem.cases
        self._pooled = {case.name for case in cases if case in known}
        # Sets for timing are used only once.
        self._handed_on = self._pooled - {case.name for case in cases if case.group is Group.TIMED}
        self._secret_pool = secret_pool
        self._oracles = oracles
        self._cancelled = cancelled
        self._permit = permit
        self._ahead = ahead
        self._ahead_bytes = (memory_mib << 20) // _AHEAD_SHARE if memory_mib else sys.maxsize
        self._timed_bytes = timed_bytes_on(memory_mib, cases)
        self._gave_up = Event()
        self._made: list[CaseData] = []
        self._lacking: dict[str, int] = {}
        self._futures: dict[str, Future[tuple[CaseData, ...]]] = {case.name: Future() for case in cases}
        self._thread = Thread(target=self._run, name="draws", daemon=True)
        self._thread.start()

    @property
    def lacking(self) -> Mapping[str, int]:
        """The number of sets to make for later submissions, by case. Complete after `close`."""
        return dict(self._lacking)

    def sets(self, case: Case) -> tuple[CaseData, ...]:
        """Wait for the contents of `case` and return them; see `judge.target.JudgingSession`."""
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
        try:
            while self._made:
                self._made.pop().close()
        finally:
            self._ahead.give_back()

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
        """Take sets of `case` from the secret pool. Returns whether these are enough."""
        if case.name not in self._pooled:
            return False
        count = self._sets_of(case)
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
            missing_sets = self._sets_of(case) - len(sets)
            ahead = self._sets_ahead(case, missing_sets)
            for count, alone in ((ahead, False), (missing_sets - ahead, True)):
                if count > 0:
                    with self._permit.held(self._stop_asking, alone=alone):
                        if not self._fill(case, sets, count):
                            break
            self._futures[case.name].set_result(tuple(sets))

    def _sets_of(self, case: Case) -> int:
        more = 1 if case is self._redrawn else 0
        return sets_of(self._problem, case, timed_bytes=self._timed_bytes) + more

    def _sets_ahead(self, case: Case, missing: int) -> int:
        """Return how many of the `missing` sets may be drawn before the submission has the GPU alone."""
        if case.group is not Group.TIMED or missing <= 0:
            return missing
        if not self._ahead.take():
            return 0
        each = max(1, layout(self._problem, case)[1])
        count = min(missing, self._ahead_bytes // each)
        self._ahead_bytes -= count * each
        return count

    def _from_others(self, case: Case) -> list[CaseData]:
        """Return the sets that other clients were filling, if they arrive in time."""
        deadline = time.monotonic() + _OTHERS_S
        wanted = self._sets_of(case)
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
        """Return sets that arrived after `case` was found to lack sets: all that are needed, or none."""
        if case.name not in self._handed_on:
            return []
        sets = self._secret_pool.take_all(self._problem, case, self._sets_of(case))
        self._made += sets
        return list(sets)

    def _fill(self, case: Case, sets: list[CaseData], count: int) -> bool:
        """Draw `count` further sets into `sets`, or fewer if the reference is slow.

        Returns whether all were drawn.

        Raises JudgementCancelled if the judgement was cancelled.
        """
        spent_s = 0.0
        with closing(self._oracles.lend(self._problem, self._stop_asking)) as oracle:
            for _ in range(count):
                if self._stop_asking():
                    raise JudgementCancelled
                if len(sets) >= LEAST_TIMED_SETS and spent_s > _TIMED_DRAW_S:
                    return False
                started = time.monotonic()
                sets.append(self._fill_one(oracle, case, len(sets)))
                spent_s += time.monotonic() - started
        _log.debug("secret_pool_filled: %s/%s: %.3f s", self._problem.slug, case.name, spent_s)
        return True

    def _fill_one(self, oracle: Filler, case: Case, number: int) -> CaseData:
        reservation = self._secret_pool.reserve(self._problem, case)
        if reservation is None:
            raise SecretPoolUnavailable(f"the secret pool could not generate a set of case {case.name}")
        self._made.append(reservation.drawn)
        if case.name not in self._handed_on:
            self._secret_pool.drop(reservation)
        oracle.fill(reservation.drawn, seed_of(self._seed, case, number))
        self._secret_pool.commit(reservation, used=True)
        return reservation.drawn

    def _stop_asking(self) -> bool:
        return self._gave_up.is_set() or self._cancelled()
