"""Checks and rounds the results of `reference.py`, over NumPy or CuPy.

Arrays are not moved: on a GPU, only single values are copied to the host. Neither module has bfloat16, which
is stored as uint16.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sandbox.wire import WireArgument

Array = Any  # an ndarray of the array module in use
ArrayModule = Any  # numpy or cupy
_FLOATS = {"float64", "float32", "float16", "bfloat16"}


class ContractError(Exception):
    """Raised when `reference.py` does something that the problem format does not allow."""


def named(xp: ArrayModule, returned: object, wanted: Mapping[str, object], function: str) -> dict[str, Array]:
    """Return the result of `function` as arrays under exactly the names `wanted`. Raises if names differ."""
    if not isinstance(returned, Mapping):
        raise ContractError(f"{function} returned {type(returned).__name__}, not a dict of arrays")
    if set(returned) != set(wanted):
        raise ContractError(f"{function} returned {sorted(returned)}, expected {sorted(wanted)}")
    return {name: xp.asarray(values) for name, values in returned.items()}


def every(holds: Array) -> bool:
    """Whether all of an array of bools is true."""
    return bool(holds.all())


def rounded(
    xp: ArrayModule,
    values: Array,
    argument: WireArgument,
    what: str,
    *,
    finite: bool = True,
    every: Callable[[Array], bool] = every,
) -> Array:
    """`values` in the storage of the argument's dtype. Raises ContractError where that loses more.

    `every` says whether all of an array of bools is true.
    """
    if values.shape != argument.shape:
        raise ContractError(f"{what} has shape {values.shape}, not {argument.shape}")
    if values.dtype.kind not in "biuf":
        raise ContractError(f"{what} has dtype {values.dtype}, which is not numeric")
    if argument.dtype in _FLOATS:
        result, checked = _as_float(values, argument.dtype)
        # An infinity that the author means is fine; one that comes of rounding, or NaN, is a mistake.
        meant = xp.isinf(values) if values.dtype.kind == "f" else False
        if finite and not every(xp.isfinite(checked) | meant):
            raise ContractError(f"{what} holds values that are not finite in {argument.dtype}")
        return result
    if values.dtype.kind == "f":
        raise ContractError(f"{what} holds floats, expected {argument.dtype}; convert it with astype")
    if argument.dtype == "bool":
        if values.dtype.kind != "b" and not every((values == 0) | (values == 1)):
            raise ContractError(f"{what} holds integers other than 0 and 1, expected bool")
        return values.astype(np.bool_)
    narrowed = values.astype(argument.dtype)
    if not every(narrowed == values):
        raise ContractError(f"{what} holds values that do not fit {argument.dtype}")
    return narrowed


def widened(values: Array, dtype: str) -> Array:
    """A copy for the reference: floats as float64, the rest as they are."""
    if dtype == "bfloat16":
        return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return values.astype(np.float64) if dtype in _FLOATS else values.copy()


def _as_float(values: Array, dtype: str) -> tuple[Array, Array]:
    """`values` in the storage of `dtype`, and as numbers again."""
    with np.errstate(over="ignore"):
        if dtype == "bfloat16":
            bits = _bfloat16_bits(values.astype(np.float32))
            return bits, widened(bits, dtype)
        result = values.astype(dtype)
        return result, result


def _bfloat16_bits(values: Array) -> Array:
    """Round float32 to nearest, ties to even: its upper half."""
    bits = values.view(np.uint32)
    return ((bits + (((bits >> 16) & 1) + 0x7FFF)) >> 16).astype(np.uint16)
