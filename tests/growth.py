"""Checks that the time of a function grows linearly with the length of its input, on any machine.

The check compares two processor times of this thread: a text of eight times the length may take eight times
as long, times `_MARGIN`. A quadratic function takes 64 times as long. Times below `_FLOOR_S` are noise and
count as `_FLOOR_S`, so the longer text must be long enough to reveal quadratic time.
"""

import gc
import itertools
import time
from collections.abc import Callable, Iterator, Sequence

_TIMES = 8
_MARGIN = 3
_FLOOR_S = 0.004
_TRIES = 4


def assert_linear(
    read: Callable[[str], object], piece: str, *, length: int, head: str = "", tail: str = ""
) -> None:
    """Check that `read` takes linear time for the text of `head`, many repetitions of `piece`, and `tail`.

    `length` is that of the shorter text, in characters.
    """
    short, long = (
        head + (piece * (size // len(piece) + 1))[:size] + tail for size in (length, _TIMES * length)
    )
    for _ in range(_TRIES):
        before_s, after_s = _seconds(read, short), _seconds(read, long)
        if after_s <= _TIMES * _MARGIN * max(before_s, _FLOOR_S):
            return
    raise AssertionError(f"{piece!r} {length} times 8: {before_s:.3f} s became {after_s:.3f} s")


def pieces(alphabet: Sequence[str], *, most: int) -> Iterator[str]:
    """Yield every sequence of one to `most` elements of `alphabet`."""
    for count in range(1, most + 1):
        for parts in itertools.product(alphabet, repeat=count):
            yield "".join(parts)


def _seconds(read: Callable[[str], object], text: str) -> float:
    gc.collect(0)
    began = time.thread_time()
    read(text)
    return time.thread_time() - began
