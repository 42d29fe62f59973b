"""Element types as NumPy sees them. NumPy lacks bfloat16, which is stored as uint16."""

import numpy as np
import numpy.typing as npt

from problems.vocabulary import Dtype

_STORAGE: dict[Dtype, np.dtype[np.generic]] = {
    dtype: np.dtype("uint16" if dtype is Dtype.BFLOAT16 else dtype.value) for dtype in Dtype
}


def storage(dtype: Dtype) -> np.dtype[np.generic]:
    """Return the NumPy dtype with the same bytes in memory as `dtype`."""
    return _STORAGE[dtype]


def expected_dtype(dtype: Dtype) -> Dtype:
    """Return the dtype of expected values: float64 for every float, else `dtype`."""
    return Dtype.FLOAT64 if dtype.is_float else dtype


def widen(stored: npt.NDArray[np.generic], dtype: Dtype) -> npt.NDArray[np.generic]:
    """Return stored elements as values: floats as float64 (exactly), everything else unchanged."""
    with np.errstate(invalid="ignore"):  # poison may hold signalling NaNs
        if dtype is Dtype.BFLOAT16:
            return (stored.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        return stored.astype(np.float64) if dtype.is_float else stored


def narrow(values: npt.NDArray[np.generic], dtype: Dtype) -> npt.NDArray[np.generic]:
    """Return values as stored elements, rounded to nearest even if the dtype is narrower."""
    with np.errstate(over="ignore"):  # values that are too large become infinite, as on a GPU
        if dtype is not Dtype.BFLOAT16:
            return values.astype(_STORAGE[dtype])
        single = np.ascontiguousarray(values, dtype=np.float32)
    bits = single.view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(single), np.uint16(0x7FC0), rounded)
