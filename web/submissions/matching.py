"""What two sequences have in common, as difflib finds it, for a bounded number of steps."""

from collections.abc import Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate

STEPS = 400_000


class Budget:
    """Steps that are left: a tenth of a second of them, until one asks for more than there are."""

    def __init__(self, steps: int = STEPS) -> None:
        self.left = steps

    def spend(self, steps: int) -> bool:
        """Return whether `steps` may be done. Once they may not, none may."""
        self.left = self.left - steps if steps <= self.left else 0
        return self.left > 0


class Matcher(SequenceMatcher[int]):
    """Those of difflib, for texts, until `budget` is spent: what is not looked at by then differs."""

    b2j: dict[int, list[int]]  # of difflib: where each part of the second is

    def __init__(
        self, old: Sequence[str], new: Sequence[str], budget: Budget, *, popular_are_junk: bool = False
    ) -> None:
        # Numbers instead of texts: to compare two of them takes one step, however long the texts are.
        numbers: dict[str, int] = {}
        before, after = ([numbers.setdefault(text, len(numbers)) for text in side] for side in (old, new))
        super().__init__(None, before, after, autojunk=popular_are_junk)
        self._budget = budget
        meetings = (1 + len(self.b2j.get(number, ())) for number in before)
        self._steps_to = [0, *accumulate(meetings)]

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        """As difflib does, which meets every pair of equal parts with the old one between `alo` and `ahi`."""
        end = len(self._steps_to) - 1 if ahi is None else ahi
        if not self._budget.spend(1 + self._steps_to[end] - self._steps_to[alo]):
            return Match(alo, blo, 0)
        return super().find_longest_match(alo, ahi, blo, bhi)
