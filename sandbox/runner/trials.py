"""Variants of an author's reference for proofs: another order, less precision, or checks of its memory use.

Theory of operation. A proof appends a line to `reference.py` that replaces the function `reference` by one of
these wrappers. `attempted` passes it arrays of a class that executes every NumPy operation itself: floats are
kept in a narrower type, sums use the requested order, and results are rounded. So one reference for float64
also shows the possible results of an honest kernel in float32 or in bfloat16. Operations that this class does
not intercept are executed by NumPy in the narrower type and in NumPy's order.

This runs where the reference runs: isolated, on a host, with NumPy.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

Array = Any
Reference = Callable[..., Mapping[str, Array]]
Manner = tuple[str, str, str, str]  # see `attempted`

_LANES = 256  # partial sums side by side, as a block of threads has
_FIRST_BYTE, _OTHER_BYTE = 0x2B, 0x4D  # floats of them are finite, and no small numbers
_CHUNKS = 256  # of the inner dimension of a matrix product, added up one after the other
_UNSET = {"initial", "where", "dtype", "out"}
# Explicit bits of the mantissa, for formats that NumPy lacks. float8 is E4M3, without its narrow range.
_MANTISSA = {"bfloat16": 7, "tf32": 10, "float8": 3}


def attempted(reference: Reference, manners: Sequence[Manner]) -> Reference:
    """Return `reference`, evaluated in each of `manners` in turn, cyclically with each call.

    A manner consists of the dtype of floats, the format to which inputs are rounded, the format to which
    every result is rounded, and the order of sums: `plain` (NumPy's), `sequential`, `reversed`, `lanes`.
    Formats may be empty, which rounds no further; an empty order leaves all operations to NumPy.
    """
    turns = itertools.cycle(manners)

    def attempt(xp: Any, **arguments: Any) -> Mapping[str, Array]:
        kept, inputs, results, order = next(turns)
        kind = emulation(np.dtype(kept), results, order) if order else np.ndarray

        def prepared(value: Any) -> Any:
            floating = isinstance(value, np.ndarray) and value.dtype.kind == "f"
            return rounded(value, inputs).astype(kept).view(kind) if floating else value

        with np.errstate(all="ignore"):
            return reference(xp, **{name: prepared(value) for name, value in arguments.items()})

    return attempt


def watched(reference: Reference) -> Reference:
    """Return `reference`, made to raise RuntimeError if it changes arguments or returns unwritten elements.

    It is called three times: twice with the same bytes in the arrays of `empty` and `empty_like`, so that
    random results are not mistaken for unwritten elements, and once with other bytes.
    """

    def watch(xp: Any, **arguments: Any) -> Mapping[str, Array]:
        before = {name: value.copy() for name, value in arguments.items() if hasattr(value, "copy")}
        with _unwritten(_FIRST_BYTE):
            result = reference(xp, **arguments)
        for name, value in before.items():
            if arguments[name].tobytes() != value.tobytes():
                raise RuntimeError(f"the reference modifies its argument {name}")
        first = _held(result)
        with _unwritten(_FIRST_BYTE):
            again = _held(reference(xp, **arguments))
        with _unwritten(_OTHER_BYTE):
            other = _held(reference(xp, **arguments))
        for name, content in first.items():
            if content == again[name] != other[name]:
                raise RuntimeError(f"the reference returns uninitialised elements of {name}")
        return result

    return watch


def _held(result: Mapping[str, Array]) -> dict[str, bytes]:
    return {name: value.tobytes() for name, value in result.items() if isinstance(value, np.ndarray)}


@contextmanager
def _unwritten(byte: int) -> Iterator[None]:
    """Patch NumPy so that new arrays are filled with `byte` until they are written."""

    def filling(make: Callable[..., Array]) -> Callable[..., Array]:
        def filled(*given: Any, **options: Any) -> Array:
            array = make(*given, **options)
            if array.dtype.kind in "biufc":
                array[...] = np.frombuffer(bytes([byte]) * array.dtype.itemsize, array.dtype)[0]
            return array

        return filled

    makers: dict[str, Callable[..., Array]] = {"empty": np.empty, "empty_like": np.empty_like}
    for name, make in makers.items():
        setattr(np, name, filling(make))
    try:
        yield
    finally:
        for name, make in makers.items():
            setattr(np, name, make)


def rounded(values: Array, form: str) -> Array:
    """Floats rounded to nearest even in the format `form`, in their own dtype again."""
    if not form:
        return values
    if form not in _MANTISSA:
        return values.astype(form).astype(values.dtype)
    dropped = 23 - _MANTISSA[form]
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32).reshape(np.shape(values))
    half = np.uint32((1 << (dropped - 1)) - 1)
    up = bits + half + ((bits >> np.uint32(dropped)) & np.uint32(1))
    kept = (up >> np.uint32(dropped) << np.uint32(dropped)).view(np.float32)
    return np.where(np.isfinite(values), kept, values).astype(values.dtype)


class Emulated(np.ndarray[Any, Any]):
    """An array that computes as `attempted` says. `emulation` makes a class of it for each manner."""

    kept: "np.dtype[Any]"
    results: str
    order: str

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        operands = [narrowed(_plain(value), self.kept) for value in inputs]
        if method == "at":
            ufunc.at(_plain(inputs[0]), *operands[1:])
            return None
        result = _apply(ufunc, method, operands, options, self.order)
        results = tuple(map(self._settled, result if isinstance(result, tuple) else (result,)))
        for target, values in zip(out or (), results, strict=bool(out)):
            _plain(target)[...] = values
        results = out or results
        return results if len(results) > 1 else results[0]

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return self._wrapped(super().__array_function__(function, types, args, kwargs))

    @classmethod
    def _settled(cls, value: Any) -> Any:
        """Return the result of an operation, narrowed and rounded."""
        value = narrowed(value, cls.kept)
        if cls.results and isinstance(value, np.ndarray | np.floating) and value.dtype.kind == "f":
            value = rounded(np.asarray(value), cls.results)[()]
        return cls._wrapped(value)

    @classmethod
    def _wrapped(cls, value: Any) -> Any:
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            return value.view(cls)
        if type(value) in {tuple, list}:
            return type(value)(map(cls._wrapped, value))
        return value


def emulation(kept: "np.dtype[Any]", results: str, order: str) -> type[Emulated]:
    """The class of arrays of one manner; see `attempted`."""
    return type("Emulation", (Emulated,), {"kept": kept, "results": results, "order": order})


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, Emulated) else value


def narrowed(value: Any, kept: "np.dtype[Any]") -> Any:
    """A float of NumPy's in `kept`, if it is wider."""
    if isinstance(value, np.ndarray | np.floating) and value.dtype.kind == "f":
        return value.astype(kept) if value.dtype.itemsize > kept.itemsize else value
    return value


def _apply(ufunc: Any, method: str, operands: Sequence[Any], options: dict[str, Any], order: str) -> Any:
    """Carry out an operation; sums of floats in the order that is asked for."""
    plain_options = {key: value for key, value in options.items() if key not in _UNSET or _is_set(value)}
    first = operands[0]
    floating = isinstance(first, np.ndarray) and first.dtype.kind == "f" and first.size
    if floating and order != "plain":
        if ufunc is np.add and method == "reduce" and set(plain_options) <= {"axis", "keepdims", "dtype"}:
            return _sum(first, order, **plain_options)
        if ufunc is np.matmul and method == "__call__" and not plain_options and operands[1].ndim > 1:
            return _product(first, operands[1], order)
    return getattr(ufunc, method)(*operands, **plain_options)


def _is_set(value: Any) -> bool:
    """NumPy passes on what its caller left out."""
    return value is not None and value is not True and type(value).__name__ != "_NoValueType"


def _sum(values: Array, order: str, *, axis: Any = 0, keepdims: bool = False, dtype: Any = None) -> Array:
    """The sum along `axis` in that order."""
    if dtype is not None:
        values = values.astype(dtype)
    axes = range(values.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(at % values.ndim for at in axes)
    front = np.moveaxis(values, axes, range(len(axes)))
    kept = front.shape[len(axes) :]
    total = _added_up(front.reshape(-1, *kept), order)
    if keepdims:
        total = np.expand_dims(total, axes)
    return total if total.ndim else total[()]


def _added_up(rows: Array, order: str) -> Array:
    """The sum over the first axis, strictly row by row, backwards, or in lanes that are then paired."""
    if order == "sequential":
        return np.add.accumulate(rows, axis=0)[-1]
    if order == "reversed":
        return np.add.reduce(rows[::-1], axis=0)
    lanes = min(_LANES, 1 << max(0, len(rows) - 1).bit_length())
    padded = np.zeros((-(-len(rows) // lanes) * lanes, *rows.shape[1:]), rows.dtype)
    padded[: len(rows)] = rows
    partial = np.add.accumulate(padded.reshape(-1, lanes, *rows.shape[1:]), axis=0)[-1]
    while lanes > 1:
        lanes //= 2
        partial = partial[:lanes] + partial[lanes : 2 * lanes]
    return partial[0]


def _product(left: Array, right: Array, order: str) -> Array:
    """A matrix product whose inner dimension is added up piece by piece, from either end."""
    inner = left.shape[-1]
    pieces = [slice(at, at + max(1, inner // _CHUNKS)) for at in range(0, inner, max(1, inner // _CHUNKS))]
    if order != "sequential":
        pieces.reverse()
    total = left[..., pieces[0]] @ right[..., pieces[0], :]
    for piece in pieces[1:]:
        total += left[..., piece] @ right[..., piece, :]
    return total
