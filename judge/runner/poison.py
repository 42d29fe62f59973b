"""Poison: random bits that outputs hold before a call, such that adding to them gives no correct result.

Plain random bits are, as a float, below one in half of all cases: a sum onto them would be close enough to
right. So floats are large, at least 2^97 (2^13 in float16, 2^1009 in float64), of either sign, and one in 32
or more is NaN or infinite. Integers lie in the two quarters of their range that are farthest from zero.
Bytes of bool are neither 0 nor 1: an element that still holds one counts as unwritten, see
`judge.runner.comparison`. All other bits stay random, so that a program cannot predict poison: an element of
n bytes has at least 8n - 7 random bits. `judge/gpu/device/kernels.cu` bends in the same way.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from problems.vocabulary import Dtype

_WORD_BITS = 64


@dataclass(frozen=True, slots=True)
class Bend:
    """Transforms 64 random bits: sets those of `ones`, makes those of `flips` unlike the bit above."""

    ones: int = 0
    flips: int = 0


def _each(bits: int, itemsize: int) -> int:
    """The mask that has `bits` in each element of a word."""
    return sum(bits << shift for shift in range(0, _WORD_BITS, 8 * itemsize))


_TOP_EXPONENT_BITS = {
    Dtype.FLOAT64: 0x7F00_0000_0000_0000,
    Dtype.FLOAT32: 0x7000_0000,
    Dtype.FLOAT16: 0x7000,
    Dtype.BFLOAT16: 0x7000,
}
STRAIGHT = Bend()
BENDS = {
    dtype: Bend(ones=_each(_TOP_EXPONENT_BITS[dtype], dtype.itemsize))
    if dtype.is_float
    else Bend(ones=_each(2, 1))
    if dtype is Dtype.BOOL
    else Bend(flips=_each(1 << (8 * dtype.itemsize - 2), dtype.itemsize))
    for dtype in Dtype
}


def bent(random: npt.NDArray[np.uint8], bend: Bend) -> npt.NDArray[np.uint8]:
    """`random` bytes as `bend` makes them, uint8 of the same shape."""
    if bend == STRAIGHT:
        return random
    words = np.zeros(-(-random.size // 8), np.uint64)
    bytes_of_words = words.view(np.uint8)[: random.size]
    bytes_of_words[:] = random
    words |= np.uint64(bend.ones)
    if bend.flips:
        flips = np.uint64(bend.flips)
        unlike = ~words >> np.uint64(1) & flips
        words &= ~flips
        words |= unlike
    return bytes_of_words
