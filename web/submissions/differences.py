"""Compares two sources line by line and, in changed lines, word by word.

Theory of operation. The time of `difflib` grows with the square of the parts that may differ, and sources can
be crafted to be even slower. So equal beginnings and ends are removed first, and at most `MAX_LINES` may
remain on each side. Words are compared only in changed lines of moderate length, and in at most `_MAX_PAIRS`
of them; beyond that the whole line counts as changed. All of it together has a budget of steps
(`web.submissions.matching`). When the budget is spent, the remaining lines and words count as changed, which
is correct, if not the shortest difference.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest

from django.utils.safestring import SafeString

from web.colours import Run, highlighted, lines_of, to_html
from web.submissions.matching import Budget, Matcher

MAX_LINES = 1000
CONTEXT_LINES = 3
_MAX_PAIRS = 400
_MAX_WORDS = 160
_ALIKE = 0.4  # with less in common, it is a removed and an added line, not a changed one
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")

Opcode = tuple[str, int, int, int, int]
Marks = tuple[tuple[int, int], ...]


class TooDifferent(Exception):
    """Raised when two sources are too long and too different to be compared."""


@dataclass(frozen=True, slots=True)
class Side:
    """A line of one source. `sign` is empty if both have it, else `-` or `+`."""

    number: int
    html: SafeString
    sign: str


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A row with the lines of both sources side by side. A line is None if its source has no such line.

    If `skipped` is set, the row has no lines: it replaces this number of equal lines.
    """

    old: Side | None = None
    new: Side | None = None
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two sources. `rows` are side by side, `unified` has the old lines above the new."""

    rows: tuple[DiffRow, ...]
    unified: tuple[DiffRow, ...]
    removed: int
    added: int


def compare(old: str, new: str, *, old_language: str, new_language: str) -> Difference:
    """Return the changes from `old` to `new`.

    Raises:
        TooDifferent: the sources are too long and too different.
    """
    before, after = lines_of(old), lines_of(new)
    groups = _grouped(_opcodes(before, after, Budget()), len(before))
    painter = _Painter(
        before, after, highlighted(old, old_language), highlighted(new, new_language), _MAX_PAIRS
    )
    rows: list[DiffRow] = []
    unified: list[DiffRow] = []
    removed = added = 0
    for tag, i1, i2, j1, j2 in groups:
        if tag == "skip":
            rows.append(DiffRow(skipped=i2 - i1))
            unified.append(DiffRow(skipped=i2 - i1))
            continue
        if tag == "equal":
            same = [painter.same(i, j) for i, j in zip(range(i1, i2), range(j1, j2), strict=True)]
            rows += same
            unified += same
            continue
        changed = list(painter.changed(range(i1, i2), range(j1, j2)))
        rows += changed
        unified += [DiffRow(old=row.old) for row in changed if row.old]
        unified += [DiffRow(new=row.new) for row in changed if row.new]
        removed += i2 - i1
        added += j2 - j1
    return Difference(tuple(rows), tuple(unified), removed, added)


class _Painter:
    """Makes rows of lines. Counts the pairs of lines whose words it has compared."""

    def __init__(
        self,
        before: Sequence[str],
        after: Sequence[str],
        old_runs: Sequence[Sequence[Run]],
        new_runs: Sequence[Sequence[Run]],
        pairs_left: int,
    ) -> None:
        self._before, self._after = before, after
        self._old_runs, self._new_runs = old_runs, new_runs
        self._pairs_left = pairs_left
        self._budget = Budget()

    def same(self, i: int, j: int) -> DiffRow:
        return DiffRow(
            Side(i + 1, to_html(self._old_runs[i]), ""), Side(j + 1, to_html(self._new_runs[j]), "")
        )

    def changed(self, old: range, new: range) -> Iterator[DiffRow]:
        for i, j in zip_longest(old, new):
            marks: tuple[Marks, Marks] = ((), ())
            if i is not None and j is not None and self._pairs_left:
                self._pairs_left -= 1
                marks = changed_words(self._before[i], self._after[j], self._budget)
            yield DiffRow(
                None if i is None else Side(i + 1, to_html(self._old_runs[i], marks[0], "del"), "-"),
                None if j is None else Side(j + 1, to_html(self._new_runs[j], marks[1], "ins"), "+"),
            )


def changed_words(old: str, new: str, budget: Budget) -> tuple[Marks, Marks]:
    """Return the ranges of characters that differ in two lines; none if they have little in common."""
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    if max(len(before), len(after)) > _MAX_WORDS:
        return (), ()
    same = [block for block in Matcher(before, after, budget).get_matching_blocks() if block.size]
    shared = sum(not word.isspace() for block in same for word in before[block.a : block.a + block.size])
    longer = max(sum(not word.isspace() for word in words) for words in (before, after))
    if shared < _ALIKE * longer:
        return (), ()
    return (
        _changed(before, [(block.a, block.size) for block in same]),
        _changed(after, [(block.b, block.size) for block in same]),
    )


def _changed(words: Sequence[str], same: Sequence[tuple[int, int]]) -> Marks:
    """Return the ranges of characters outside `same`, which are runs of words by first one and count.

    Changes that are separated only by space are merged.
    """
    kept = [False] * len(words)
    for first, count in same:
        if not all(word.isspace() for word in words[first : first + count]):
            kept[first : first + count] = [True] * count
    marks = []
    at = 0
    for is_same, run in groupby(range(len(words)), kept.__getitem__):
        end = at + sum(len(words[index]) for index in run)
        if not is_same:
            marks.append((at, end))
        at = end
    return tuple(_trimmed("".join(words), marks))


def _trimmed(line: str, marks: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield `marks` without space at their ends. Marks of space alone stay."""
    for first, last in marks:
        text = line[first:last]
        if text.isspace():
            yield first, last
        else:
            yield last - len(text.lstrip()), first + len(text.rstrip())


def _opcodes(before: Sequence[str], after: Sequence[str], budget: Budget) -> list[Opcode]:
    """Return difflib's opcodes for the whole sources. Equal beginnings and ends cost next to nothing."""
    shorter = min(len(before), len(after))
    head = next((index for index in range(shorter) if before[index] != after[index]), shorter)
    rest = shorter - head
    tail = next((index for index in range(rest) if before[-1 - index] != after[-1 - index]), rest)
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if max(len(old), len(new)) > MAX_LINES:
        raise TooDifferent(f"More than {MAX_LINES} lines differ, too many to compare.")
    codes: list[Opcode] = [("equal", 0, head, 0, head)] if head else []
    inner = Matcher(old, new, budget, popular_are_junk=True).get_opcodes()
    codes += [(tag, i1 + head, i2 + head, j1 + head, j2 + head) for tag, i1, i2, j1, j2 in inner]
    if tail:
        codes.append(("equal", len(before) - tail, len(before), len(after) - tail, len(after)))
    return codes


def _grouped(codes: Sequence[Opcode], line_count: int) -> Iterator[Opcode]:
    """Return `codes`, with `skip` for equal lines that are far from any change."""
    for tag, i1, i2, j1, j2 in codes:
        above = CONTEXT_LINES if i1 else 0  # after a change
        below = CONTEXT_LINES if i2 < line_count else 0  # before a change
        skipped = i2 - i1 - above - below
        if tag != "equal" or skipped <= 1:
            yield tag, i1, i2, j1, j2
            continue
        if above:
            yield tag, i1, i1 + above, j1, j1 + above
        yield "skip", i1 + above, i2 - below, j1 + above, j2 - below
        if below:
            yield tag, i2 - below, i2, j2 - below, j2
