"""Outputs to compare, of every dtype: with errors that occur in practice, and at the edges of the range."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from judge.dtypes import expected_dtype, narrow, storage
from judge.gpu.device.places import OVERFLOW
from judge.runner.comparison import OutputComparison, compare
from problems.formula import Formula
from problems.schema import Argument, Tolerance
from problems.vocabulary import Dtype, Role

Elements = npt.NDArray[np.generic]
_ORDINARY = (0.0, -0.0, 1.0, np.nan, np.inf, -np.inf, 1e39, -1e39)
_DENORMAL = (5e-324, 1e-310, 1e-45, 6e-8)


@dataclass(frozen=True)
class Output:
    """An output with its previous and its expected contents, all flat."""

    argument: Argument
    shape: tuple[int, ...]
    got: Elements
    expected: Elements
    poison: Elements | None

    def compared_on_the_host(self) -> OutputComparison:
        return compare(
            self.argument.name,
            dtype=self.argument.dtype,
            got=self.got.reshape(self.shape),
            expected=self.expected.reshape(self.shape),
            poison=None if self.poison is None else self.poison.reshape(self.shape),
            tolerance=self.argument.tolerance or Tolerance(),
        )


def checked(dtype: Dtype, tolerance: Tolerance, rank: int = 1) -> Argument:
    """An output argument of that dtype."""
    shape = tuple(Formula.parse("n") for _ in range(rank))
    return Argument("c", Role.OUT, dtype, shape=shape, tolerance=tolerance)


def make_output(
    dtype: Dtype,
    shape: tuple[int, ...],
    *,
    seed: int,
    wrong: float = 0.0,
    unwritten: float = 0.0,
    special: float = 0.0,
    tolerance: Tolerance = Tolerance(1e-3, 1e-3),  # noqa: B008 - frozen
    poisoned: bool = True,
) -> Output:
    """Return an output in which about these shares are wrong, unwritten, or special values.

    Some elements are exactly at the bound of the tolerance, or one unit in the last place from it.
    """
    rng = np.random.default_rng(seed)
    count = int(np.prod(shape, dtype=np.int64))
    wanted = expected_dtype(dtype)
    if dtype.is_float:
        ordinary = rng.normal(size=count) * 10.0 ** rng.integers(-3, 4, count)
        wide = np.where(rng.random(count) < special, rng.choice(_edges(dtype), count), ordinary)
        expected: Elements = wide
    else:
        low, high = (0, 2) if dtype is Dtype.BOOL else _range(dtype)
        whole = rng.integers(low, high, count, dtype=np.int64, endpoint=dtype is not Dtype.BOOL)
        expected = whole.astype(storage(wanted))
    with np.errstate(all="ignore"):
        got = narrow(expected, dtype)
        on_the_bound = rng.random(count) < 0.1
        if dtype.is_float:
            bound = tolerance.absolute + tolerance.relative * np.abs(wide)
            shifted = narrow(wide + rng.choice([-1, 1], count) * bound, dtype)
            got = np.where(on_the_bound, shifted, got)
        random = rng.integers(0, 256, count * dtype.itemsize, dtype=np.uint8).view(storage(dtype))
        got = np.where(rng.random(count) < wrong, random, got).astype(storage(dtype))
    poison = rng.integers(0, 256, count * dtype.itemsize, dtype=np.uint8).view(storage(dtype))
    got = _with_bits(got, poison, rng.random(count) < unwritten)
    return Output(checked(dtype, tolerance, len(shape)), shape, got, expected, poison if poisoned else None)


@st.composite
def outputs(draw: st.DrawFn) -> Output:
    """Small outputs of any dtype, with any tolerance."""
    dtype = draw(st.sampled_from(list(Dtype)))
    rank = draw(st.integers(1, 3))
    shape = tuple(draw(st.integers(1, {1: 9000, 2: 80, 3: 20}[rank])) for _ in range(rank))
    share = st.sampled_from([0.0, 0.001, 0.1, 1.0])
    return make_output(
        dtype,
        shape,
        seed=draw(st.integers(0, 2**32)),
        wrong=draw(share),
        unwritten=draw(share),
        special=draw(share),
        tolerance=Tolerance(
            relative=draw(st.sampled_from([0.0, 1e-6, 1e-3, 1.0])),
            absolute=draw(st.sampled_from([0.0, 1e-6, 1e-3, 1.0])),
            nan=draw(st.booleans()),
        ),
        poisoned=draw(st.booleans()),
    )


def _edges(dtype: Dtype) -> npt.NDArray[np.float64]:
    """Return special values, and values near the smallest magnitude that overflows."""
    limit = OVERFLOW[dtype]
    near = () if np.isinf(limit) else (limit, np.nextafter(limit, 0), -limit, -np.nextafter(limit, 0))
    return np.array([*_ORDINARY, *_DENORMAL, *near])


def _range(dtype: Dtype) -> tuple[int, int]:
    limits = np.iinfo(dtype.value)
    return int(limits.min), int(limits.max)


def _with_bits(into: Elements, other: Elements, where: npt.NDArray[np.bool_]) -> Elements:
    """Return `into` with exactly the bits of `other` at `where`."""
    unsigned = np.dtype(f"u{into.dtype.itemsize}")
    return np.where(where, other.view(unsigned), into.view(unsigned)).view(into.dtype)
