"""Cases that the oracle generates for a single submission while the program compiles.

Theory of operation. A thread starts the oracle at the first case, draws one case after the other, and ends
the oracle while the program still runs. A caller that needs a case waits for its future. Cancelling ends the
oracle. A seed of a user applies only to public cases, see `judge.evaluate.evaluate`; a seed of `judge.seeds`
applies to all cases. The case of `judge.cases.redrawn_case` is drawn twice.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain
from threading import Event

from judge.cases import redrawn_case
from judge.drawn import CaseData, allocate
from judge.oracle import Oracle
from judge.seeds import seed_of
from problems.schema import Case, Problem

StartOracle = Callable[[Problem, Callable[[], bool]], Oracle]


class OracleDraws:
    """Draws each of `cases` in host memory. Callers must close it."""

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
        redrawn = redrawn_case(problem, cases)
        self._futures: dict[str, tuple[Future[CaseData], ...]] = {
            case.name: tuple(
                self._thread.submit(self._draw, case, number) for number in range(2 if case is redrawn else 1)
            )
            for case in cases
        }
        self._ended = self._thread.submit(self._end_oracle)

    def sets(self, case: Case) -> tuple[CaseData, ...]:
        """Wait for the contents of `case` and return them; see `judge.target.JudgingSession`."""
        return tuple(future.result() for future in self._futures[case.name])

    def close(self) -> None:
        """Release the contents, and end a draw in progress."""
        self._gave_up.set()
        for future in chain.from_iterable(self._futures.values()):
            future.cancel()
        self._ended.cancel()
        self._thread.shutdown()
        self._end_oracle()
        while self._made:
            self._made.pop().close()

    def _draw(self, case: Case, number: int) -> CaseData:
        if self._oracle is None:
            self._oracle = self._start(self._problem, self._stop_asking)
        drawn = allocate(self._problem, case)
        self._made.append(drawn)
        self._oracle.fill(drawn, seed_of(self._seed, case, number))
        return drawn

    def _end_oracle(self) -> None:
        if self._oracle:
            self._oracle.close()

    def _stop_asking(self) -> bool:
        return self._gave_up.is_set() or self._cancelled()
