"""Finds the common parts of two sequences as difflib does, with a bounded number of steps."""

from collections.abc import Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate

STEPS = 400_000


class Budget:
    """The remaining steps, about a tenth of a second in total.

    The budget is spent once a call requests more than remain.
    """

    def __init__(self, steps: int = STEPS) -> None:
        self.left = steps

    def spend(self, steps: int) -> bool:
        """Return whether `steps` may run. After the first refusal all further steps are refused."""
        self.left = self.left - steps if steps <= self.left else 0
        return self.left > 0


class Matcher(SequenceMatcher[int]):
    """Finds difflib's matches until `budget` is spent. The unread rest counts as different."""

    b2j: dict[int, list[int]]  # of difflib: the positions of each element in the second sequence

    def __init__(
        self, old: Sequence[str], new: Sequence[str], budget: Budget, *, popular_are_junk: bool = False
    ) -> None:
        # Compare numbers instead of texts, because this takes one step regardless of the length.
        numbers: dict[str, int] = {}
        before, after = ([numbers.setdefault(text, len(numbers)) for text in side] for side in (old, new))
        super().__init__(None, before, after, autojunk=popular_are_junk)
        self._budget = budget
        meetings = (1 + len(self.b2j.get(number, ())) for number in before)
        self._steps_to = [0, *accumulate(meetings)]

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        """As in difflib, which visits all pairs of equal elements with the old one in `alo` to `ahi`."""
        end = len(self._steps_to) - 1 if ahi is None else ahi
        if not self._budget.spend(1 + self._steps_to[end] - self._steps_to[alo]):
            return Match(alo, blo, 0)
        return super().find_longest_match(alo, ahi, blo, bhi)
