"""Poison: random bits that outputs hold before a call, chosen so that adding to them is never correct.

As a float, plain random bits are below one in half of all cases, so a sum added to them could be within the
tolerance. So poison floats are large, at least 2^97 (2^13 in float16, 2^1009 in float64), of either sign, and
at least one in 32 is NaN or infinite. Integers are in the two quarters of their range that are farthest from
zero. Bytes of bool are neither 0 nor 1: an element that still holds one counts as unwritten, see
`judge.runner.comparison`. All other bits stay random, so that a program cannot predict poison: an element of
n bytes has at least 8n - 7 random bits. `judge/gpu/device/kernels.cu` implements the same transformation.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from problems.vocabulary import Dtype

_WORD_BITS = 64


@dataclass(frozen=True, slots=True)
class Bend:
    """Transforms 64 random bits: sets the bits in `ones`, makes each bit in `flips` unlike the bit above."""

    ones: int = 0
    flips: int = 0


def _each(bits: int, itemsize: int) -> int:
    """Return the mask that has `bits` in each element of a word."""
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
    """Return the bytes `random`, transformed by `bend`, as uint8 of the same shape."""
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
