"""What `reference.py` must return, and how it is rounded, over NumPy or CuPy alike.

Arrays stay where they are: on a GPU nothing but single values comes to the host. bfloat16, which neither
module has, travels as its 16 bits.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sandbox.wire import WireArgument

Array = Any  # an ndarray of the array module in use
ArrayModule = Any  # numpy or cupy
_FLOATS = {"float64", "float32", "float16", "bfloat16"}


class ContractError(Exception):
    """Raised when `reference.py` does something that the problem format does not allow."""


def named(xp: ArrayModule, returned: object, wanted: Mapping[str, object], function: str) -> dict[str, Array]:
    """What `function` returned, as arrays under exactly the names that are wanted."""
    if not isinstance(returned, Mapping):
        raise ContractError(f"{function} returned {type(returned).__name__}, not a dict of arrays")
    if set(returned) != set(wanted):
        raise ContractError(f"{function} returned {sorted(returned)}, wanted {sorted(wanted)}")
    return {name: xp.asarray(values) for name, values in returned.items()}


def rounded(
    xp: ArrayModule, values: Array, argument: WireArgument, what: str, *, finite: bool = True
) -> Array:
    """`values` in the storage of the argument's dtype. Raises ContractError where that loses more."""
    if values.shape != argument.shape:
        raise ContractError(f"{what} has shape {values.shape}, not {argument.shape}")
    if values.dtype.kind not in "biuf":
        raise ContractError(f"{what} has dtype {values.dtype}, which is no number")
    if argument.dtype in _FLOATS:
        return _as_float(xp, values, argument.dtype, what, finite=finite)
    if values.dtype.kind == "f":
        raise ContractError(f"{what} holds floats, wanted {argument.dtype}; convert it with astype")
    if argument.dtype == "bool":
        if values.dtype.kind != "b" and bool(xp.any((values != 0) & (values != 1))):
            raise ContractError(f"{what} holds integers other than 0 and 1, wanted bool")
        return values.astype(np.bool_)
    limits = np.iinfo(argument.dtype)
    if values.size and (int(values.min()) < limits.min or int(values.max()) > limits.max):
        raise ContractError(f"{what} holds values that do not fit {argument.dtype}")
    return values.astype(argument.dtype)


def widened(values: Array, dtype: str) -> Array:
    """A copy for the reference: floats as float64, the rest as they are."""
    if dtype == "bfloat16":
        return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return values.astype(np.float64) if dtype in _FLOATS else values.copy()


def _as_float(xp: ArrayModule, values: Array, dtype: str, what: str, *, finite: bool) -> Array:
    with np.errstate(over="ignore"):
        if dtype == "bfloat16":
            result = _bfloat16_bits(values.astype(np.float32))
            checked = widened(result, dtype)
        else:
            result = checked = values.astype(dtype)
    if finite and not bool(xp.isfinite(checked).all()):
        raise ContractError(f"{what} holds values that are not finite in {dtype}")
    return result


def _bfloat16_bits(values: Array) -> Array:
    """Round float32 to nearest, ties to even: its upper half."""
    bits = values.view(np.uint32)
    return ((bits + (((bits >> 16) & 1) + 0x7FFF)) >> 16).astype(np.uint16)
