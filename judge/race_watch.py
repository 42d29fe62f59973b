"""Looks for races while a program is judged on a GPU, so that one that passes by luck does not rank.

Theory of operation. A GPU sees no races: a sum that loses additions now and then is right most of the time.
The target's doctor runs the small cases in functional mode, in all orders of blocks and threads
(`judge.cpu.orders`), in a thread of its own while the program is checked on the GPU. Before the program is
ranked, the judgement asks for the result. Only a proof counts: a race between two lines, and two orders of
which one gives the right outputs and the other does not. A program that functional mode cannot run, or does
not finish in time, is not rejected.
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
    """Looks for a race in `source` in the background, if the target supports it. Close it."""

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
        """The race that changes an output, if there is one; waits until that is known.

        Raises judge.errors.JudgementCancelled.
        """
        return self._found.result()

    def close(self) -> None:
        """Stop looking."""
        self._over.set()
        self._thread.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
