"""Cases that the oracle generates for a single submission while the program compiles.

Theory of operation. A thread starts the oracle at the first case, draws one case after the other, and ends
the oracle while the program still runs. A caller that needs a case waits for its future. Cancelling ends the
oracle. A seed of a user applies only to public cases, see `judge.evaluate.evaluate`; a seed of `judge.seeds`
applies to all cases.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

from judge.drawn import CaseData, allocate
from judge.oracle import Oracle
from judge.seeds import seed_of
from problems.schema import Case, Problem

StartOracle = Callable[[Problem, Callable[[], bool]], Oracle]


class OracleDraws:
    """Draws each of `cases` once, in host memory. Callers must close it."""

    def __init__(
        self,
        problem: Problem,
        cases: Sequence[Case],
        start: StartOracle,
        cancelled: Callable[[], bool],
        *,
        seed: int | None = None,
    ) -> None:
        self._problem = problem
        self._seed = seed
        self._start = start
        self._gave_up = Event()
        self._cancelled = cancelled
        self._oracle: Oracle | None = None
        self._made: list[CaseData] = []
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="oracle")
        self._futures: dict[str, Future[CaseData]] = {
            case.name: self._thread.submit(self._draw, case) for case in cases
        }
        self._ended = self._thread.submit(self._end_oracle)

    def sets(self, case: Case) -> tuple[CaseData, ...]:
        """Wait for the contents of `case`, one set, and return them; see `judge.target.JudgingSession`."""
        return (self._futures[case.name].result(),)

    def close(self) -> None:
        """Release the contents, and end a draw in progress."""
        self._gave_up.set()
        for future in self._futures.values():
            future.cancel()
        self._ended.cancel()
        self._thread.shutdown()
        self._end_oracle()
        while self._made:
            self._made.pop().close()

    def _draw(self, case: Case) -> CaseData:
        if self._oracle is None:
            self._oracle = self._start(self._problem, self._stop_asking)
        drawn = allocate(self._problem, case)
        self._made.append(drawn)
        self._oracle.fill(drawn, seed_of(self._seed, case))
        return drawn

    def _end_oracle(self) -> None:
        if self._oracle:
            self._oracle.close()

    def _stop_asking(self) -> bool:
        return self._gave_up.is_set() or self._cancelled()
