"""Searches for races while a program is judged on a GPU, so that programs that pass by luck do not rank.

Theory of operation. A GPU does not detect races: a sum that rarely loses additions is right most of the time.
While the program is checked on the GPU, the target's doctor runs the small cases in functional mode, in all
orders of blocks and threads (`judge.cpu.orders`), in a separate thread. The judgement gets the result before
it ranks the program. Only a proof counts: a race between two lines, with right outputs in one order and wrong
outputs in another. A program that functional mode cannot run, or does not finish in time, is not rejected.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Self

from judge.report import Diagnostic
from judge.target import Target
from problems.schema import Case, Problem
from problems.vocabulary import Language


class RaceWatch:
    """Searches for a race in `source` in the background, if the target supports it. Callers must close it."""

    def __init__(
        self,
        target: Target,
        problem: Problem,
        source: str,
        language: Language,
        cases: Sequence[Case],
        cancelled: Callable[[], bool],
    ) -> None:
        self._over = Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="race-watch")
        self._found: Future[Diagnostic | None] = self._thread.submit(
            target.find_race, problem, source, language, cases, lambda: self._over.is_set() or cancelled()
        )

    def found(self) -> Diagnostic | None:
        """Wait for the result. Returns a race that changes an output, or None.

        Raises judge.errors.JudgementCancelled.
        """
        return self._found.result()

    def close(self) -> None:
        """Stop the search."""
        self._over.set()
        self._thread.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
