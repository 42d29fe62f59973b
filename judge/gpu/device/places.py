"""Host-side layouts of arguments and results of the referee's kernels. Needs no GPU."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from judge.dtypes import expected_dtype, storage, widen
from judge.runner.comparison import SHOWN_MISMATCHES, OutputComparison, describe
from problems.schema import Argument
from problems.vocabulary import Dtype

TILE = 2048  # elements that one block compares
PLACE = np.dtype([("index", "u8"), ("got", "u8"), ("want", "u8"), ("unwritten", "u8")])

# The least magnitude that rounds to infinity: the largest finite number plus half a unit in its last place.
# bfloat16 is rounded through float32, as `judge.dtypes.narrow` does, so half a unit of float32 is subtracted.
OVERFLOW: Mapping[Dtype, float] = {
    Dtype.FLOAT64: math.inf,
    Dtype.FLOAT32: float(2**128 - 2**103),
    Dtype.FLOAT16: float(2**16 - 2**4),
    Dtype.BFLOAT16: float(2**128 - 2**119 - 2**103),
}


def tiles_of(count: int) -> int:
    """Return the number of tiles for `count` elements."""
    return -(-count // TILE)


def shared_places(words: Sequence[int], count: int) -> list[int]:
    """Return how many of `count` places to watch in each output of so many words.

    Small outputs get one place for each word. The others get equal shares of the rest.
    """
    shares = [0] * len(words)
    left = count
    for done, index in enumerate(sorted(range(len(words)), key=lambda index: words[index])):
        shares[index] = min(words[index], left // (len(words) - done))
        left -= shares[index]
    shares[max(range(len(words)), key=lambda index: words[index])] += left
    return shares


def read_places(
    argument: Argument, shape: tuple[int, ...], *, wrong: int, unwritten: int, places: npt.NDArray[np.void]
) -> OutputComparison:
    """Return the comparison of an output with `wrong` wrong elements, the first of which are at `places`."""
    first = places[: min(wrong, SHOWN_MISMATCHES)]
    stored = _elements(first["got"], argument.dtype)
    return OutputComparison(
        checked=math.prod(shape),
        mismatched=wrong,
        unwritten=unwritten,
        mismatches=describe(
            argument.name,
            shape,
            first["index"].astype(np.int64),
            got=widen(stored, argument.dtype),
            expected=_elements(first["want"], expected_dtype(argument.dtype)),
            unwritten=first["unwritten"] != 0,
        ),
    )


def _elements(bits: npt.NDArray[np.uint64], dtype: Dtype) -> npt.NDArray[np.generic]:
    """Return elements of `dtype` from the low bits of `bits`."""
    return bits.astype(f"u{dtype.itemsize}").view(storage(dtype))
