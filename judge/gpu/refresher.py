"""Refills the secret pool after a submission has its verdict.

Theory of operation. When a submission has its verdict, the missing sets of its cases are queued. One thread
processes the queue and fills the sets that the secret pool still needs. For each set, it acquires a share of
the GPU, as a check does, and borrows the problem's oracle. Between two sets, other users can get the GPU and
the oracle. Several processes can refill the same pool: the secret pool rejects a reservation if another
process is already filling enough sets. If a draw fails, the error is logged, and the next judgement draws its
own sets.
"""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from threading import Condition, Thread

from judge.errors import JudgeError, JudgementCancelled
from judge.gpu.oracles import Lender
from judge.gpu.pool.client import SecretPool
from judge.gpu.pool.source import kept_of
from problems.schema import Case, Problem
from sandbox.backend import IsolationUnavailable

_log = logging.getLogger(__name__)

Share = Callable[[Callable[[], bool]], AbstractContextManager[object]]


class Refresher:
    """Fills the secret pool of one card in the background. Close it at the end."""

    def __init__(self, secret_pool: SecretPool, oracles: Lender, share: Share) -> None:
        """`share` waits for a share of the GPU for one set, and may raise JudgementCancelled."""
        self._secret_pool = secret_pool
        self._oracles = oracles
        self._share = share
        self._changed = Condition()
        self._line: dict[str, tuple[Problem, dict[str, Case]]] = {}
        self._closed = False
        self._busy = False
        self._thread: Thread | None = None

    def ask(self, problem: Problem, cases: list[Case]) -> None:
        """Queue missing sets of `cases`. Returns at once."""
        if not cases:
            return
        with self._changed:
            if self._closed:
                return
            _, wanted = self._line.setdefault(problem.version, (problem, {}))
            wanted.update({case.name: case for case in cases})
            if self._thread is None:
                self._thread = Thread(target=self._run, name="refresher", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def settle(self, timeout_s: float) -> bool:
        """Wait until the queue is empty. Returns False if it is not within `timeout_s`."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._line and not self._busy, timeout_s)

    def close(self) -> None:
        """Drop the queue, and end the current draw."""
        with self._changed:
            self._closed = True
            self._line.clear()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._closed or self._line)
                if self._closed:
                    return
                self._busy = True
                problem, wanted = self._line.pop(next(iter(self._line)))
            try:
                self._fill(problem, list(wanted.values()))
            except JudgementCancelled:
                continue
            except (JudgeError, IsolationUnavailable, OSError) as error:
                _log.warning("secret_pool_refresh_failed: %s: %s", problem.slug, error)

    def _fill(self, problem: Problem, cases: list[Case]) -> None:
        for case in cases:
            while self._secret_pool.fresh(problem, case) < kept_of(problem, case):
                self._oracles.prepare(problem)
                with self._share(self._stopped):
                    if not self._fill_one(problem, case):
                        break

    def _fill_one(self, problem: Problem, case: Case) -> bool:
        """Make one set. Returns False if the secret pool does not need it."""
        with closing(self._oracles.lend(problem, self._stopped)) as oracle:
            reservation = self._secret_pool.reserve(problem, case, keep=kept_of(problem, case))
            if reservation is None:
                return False
            with closing(reservation.drawn):
                oracle.fill(reservation.drawn)
                self._secret_pool.commit(reservation, used=False)
            return True

    def _stopped(self) -> bool:
        return self._closed
