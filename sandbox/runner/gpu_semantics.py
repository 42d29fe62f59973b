"""Makes Triton's interpreter compute like a GPU, where it is more lenient or wrong.

- Elements that a load's mask excludes are undefined unless the load has `other`. The plain interpreter reads
  zeros there. Here, it reads garbage, which is the same in every run: huge floats or NaN, and random bits for
  other types. With `Masked.zeros` it reads zeros, like the code that Triton 3 generates for NVIDIA GPUs.
- `tl.dot` of float32 multiplies in TF32 unless told otherwise: tensor cores ignore the last 13 bits of
  their operands. Source: PTX ISA, "Alternate floating point data formats".
- A load of one element drops an `other` of zero, because the interpreter takes a zero for a missing argument.
- bfloat16 is held as its bits, and the interpreter computes on those. Here each operation is one of float32,
  rounded to nearest even at the end.
- `tl.sum` of float16 or bfloat16 rounds each addition to that type, because Triton adds in the type of the
  block. The interpreter would round only the result. Here the two halves of the block are added until one
  element is left. On a GPU, the order depends on the layout.
- `if`, `while`, `and`, `or` and `not` take a block of several values for true. Here that is an error, as `if`
  and `while` are on a GPU, where the other three are deprecated.
- On a GPU, `triton.autotune` calls the kernel with each configuration to time it. Here it calls the kernel
  once with one configuration that compiles, and then uses this configuration: the first one, and the next
  one each time that it tunes again. So a kernel that adds to its output needs `reset_to_zero` here too.

It also reports overflow of float16: operations and conversions of finite numbers that give infinity.

NumPy's warnings about NaN and overflow are disabled, because a GPU gives none. Two operations that take half
of the interpreter's time are avoided: overflow checks of every addition, whose result is used only with
`debug`, and rebuilding a table of dtypes for each look-up.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import triton.language as tl  # type: ignore[import-untyped]
from triton.runtime import autotuner, interpreter  # type: ignore[import-untyped]

_TF32_BITS = np.uint32(0xFFFF_E000)
_MASKED = (
    "This load has a mask and no `other`. Elements that the mask excludes are undefined. "
    "Pass `other`, or do not use them."
)
_ROUNDED = (
    "tl.dot multiplies float32 in TF32, which keeps 10 of the 23 mantissa bits. "
    'Pass input_precision="ieee" if the tolerance needs more.'
)
_OVERFLOWN = (
    "Finite numbers gave infinity in float16, whose largest number is 65504. Compute in float32, or scale "
    "the numbers first."
)
_HUGE = {2: np.uint16(0x7000), 4: np.uint32(0x7000_0000), 8: np.uint64(0x7F00_0000_0000_0000)}
_Array = npt.NDArray[Any]


@dataclass(slots=True)
class Masked:
    """The values of masked elements in loads without `other`: garbage, or `zeros`."""

    zeros: bool = False


def install(tell: Callable[[str, str], None] = lambda _kind, _message: None) -> Masked:
    """Install these semantics in this process.

    `tell` is called with the kind and text of notes for the author.

    Changes to the returned object apply to later loads.
    """
    np.seterr(all="ignore")
    builder = interpreter.InterpreterBuilder
    given, masked = _Given(), Masked()
    semantic = interpreter.TritonSemantic
    semantic.load = _remembering_other(semantic.load, given)
    fill = _filling(masked, np.random.default_rng(0))
    builder.create_masked_load = _loading(builder.create_masked_load, given, fill, tell)
    builder.create_dot = _rounding_operands(builder.create_dot, tell)
    builder.cast_impl = _watching_overflow(_casting(builder.cast_impl), tell)
    builder.binary_op = _watching_overflow(_widening(builder.binary_op), tell)
    builder.unary_op = _widening(builder.unary_op)
    interpreter.ReduceOps.sum = _adding_halves(interpreter.ReduceOps.sum)
    for name in ("cumsum", "cumprod"):
        setattr(interpreter.ScanOps, name, _along_an_axis(getattr(interpreter.ScanOps, name)))
    interpreter._get_np_dtype = _remembering(interpreter._get_np_dtype)  # noqa: SLF001 - called everywhere
    autotuner.Autotuner._bench = _choosing_the_first(autotuner.Autotuner._bench)  # noqa: SLF001 - a seam
    autotuner.Autotuner.prune_configs = _rotating(autotuner.Autotuner.prune_configs)
    made = interpreter.interpreter_builder
    made.codegen_fns["min_dot_size"] = _least_dot  # of GPUs of NVIDIA
    made.options = replace(made.options, sanitize_overflow=False)
    return masked


def garbage(count: int, dtype: Any, chance: np.random.Generator) -> _Array:
    """Return `count` elements of the Triton type `dtype` that no program can have intended."""
    kind = interpreter._get_np_dtype(dtype)  # noqa: SLF001 - the one table there is
    bits = chance.integers(0, 256, count * kind.itemsize, np.uint8).view(f"u{kind.itemsize}")
    if dtype.is_floating() and kind.itemsize in _HUGE:
        bits |= _HUGE[kind.itemsize]
    elif kind == np.bool_:
        bits &= 1
    made: _Array = bits.view(kind)
    return made


def tf32(values: _Array) -> _Array:
    """Return float32 values as tensor cores read them in TF32."""
    truncated: _Array = (np.ascontiguousarray(values).view(np.uint32) & _TF32_BITS).view(np.float32)
    return truncated


def from_bfloat16(bits: _Array) -> _Array:
    """Convert bfloat16 to float32, exactly."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def to_bfloat16(values: _Array) -> _Array:
    """Round float32 to nearest even, and return the bits of bfloat16."""
    single = np.ascontiguousarray(values, np.float32)
    bits = single.view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(single), np.uint16(0x7FC0), rounded)


def _choosing_the_first(bench: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `_bench` for an autotuner that calls one configuration and ranks all others after it.

    The autotuner calls it with each configuration that remains after pruning, in order. It rejects a
    configuration that does not compile because a `tl.static_assert` fails. Then the next one is tried.
    """

    def choosing(self: Any, *args: Any, config: Any, **meta: Any) -> Any:
        rejected = [float("inf")] * 3
        if self.__dict__.get("tuned_arguments") is self.nargs:  # `run` creates one dictionary per call
            return rejected
        self.do_bench = _calling_once  # even if the program chose a benchmark
        times = bench(self, *args, config=config, **meta)
        if times != rejected:
            self.tuned_arguments = self.nargs
        return times

    return choosing


def _rotating(prune: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `prune_configs` that starts with the next configuration each time. A GPU may choose any."""

    def rotating(self: Any, *args: Any, **named: Any) -> Any:
        configs = list(prune(self, *args, **named))
        turn = self.__dict__.get("tunings", 0) % max(1, len(configs))
        self.tunings = turn + 1
        return configs[turn:] + configs[:turn]

    return rotating


def _least_dot(left: Any, _right: Any) -> tuple[int, int, int]:
    """The smallest M, N and K of tl.dot. Source: triton.backends.nvidia.compiler.min_dot_size."""
    return 1, 1, {8: 32, 32: 8, 64: 4}.get(left.scalar.primitive_bitwidth, 16)


def _calling_once(call: Callable[[], object], quantiles: Sequence[float]) -> list[float]:
    call()
    return [0.0] * len(quantiles)


def _remembering(look_up: Callable[[Any], Any]) -> Callable[[Any], Any]:
    known: dict[str, Any] = {}

    def remembered(dtype: Any) -> Any:
        if dtype.name not in known:
            known[dtype.name] = look_up(dtype)
        return known[dtype.name]

    return remembered


def _is_bfloat16(handle: Any) -> bool:
    return bool(handle.dtype.scalar == tl.bfloat16)


def _widened(handle: Any) -> Any:
    return (
        interpreter.TensorHandle(from_bfloat16(handle.data), tl.float32) if _is_bfloat16(handle) else handle
    )


@dataclass(slots=True)
class _Given:
    """Whether the program passed `other` to the load that is being executed."""

    other: bool = False


def _remembering_other(load: Callable[..., Any], given: _Given) -> Callable[..., Any]:
    def remembering(self: Any, ptr: Any, mask: Any, other: Any, *rest: Any, **named: Any) -> Any:
        given.other = other is not None
        try:
            return load(self, ptr, mask, other, *rest, **named)
        finally:
            given.other = False

    return remembering


def _filling(masked: Masked, chance: np.random.Generator) -> Callable[[_Array, Any], Any]:
    """Return a function that creates the `other` of a load, given its type and the excluded elements."""

    def filling(excluded: _Array, dtype: Any) -> Any:
        filled = np.zeros(excluded.shape, interpreter._get_np_dtype(dtype))  # noqa: SLF001
        if not masked.zeros:
            filled[excluded] = garbage(int(np.count_nonzero(excluded)), dtype, chance)
        return interpreter.TensorHandle(filled, dtype)

    return filling


def _loading(
    load: Callable[..., Any],
    given: _Given,
    fill: Callable[[_Array, Any], Any],
    tell: Callable[[str, str], None],
) -> Callable[..., Any]:
    def loading(self: Any, pointers: Any, mask: Any, other: Any, *rest: Any, **named: Any) -> Any:
        if other is None and not given.other:
            excluded = ~np.broadcast_to(np.asarray(mask.data, bool), pointers.data.shape)
            if excluded.any():
                tell("masked_load", _MASKED)
                other = fill(excluded, pointers.get_element_ty())
        return load(self, pointers, mask, other, *rest, **named)

    return loading


def _rounding_operands(dot: Callable[..., Any], tell: Callable[[str, str], None]) -> Callable[..., Any]:
    def rounding(self: Any, a: Any, b: Any, d: Any, input_precision: Any, *rest: Any) -> Any:
        if input_precision == interpreter._ir.INPUT_PRECISION.TF32:  # noqa: SLF001
            if tl.float32 in (a.dtype.scalar, b.dtype.scalar):
                tell("precision", _ROUNDED)
            a, b = (
                interpreter.TensorHandle(tf32(x.data), x.dtype) if x.dtype.scalar == tl.float32 else x
                for x in (a, b)
            )
        return dot(self, _widened(a), _widened(b), d, input_precision, *rest)

    return rounding


def _casting(cast: Callable[..., Any]) -> Callable[..., Any]:
    def casting(self: Any, source: Any, target: Any) -> Any:
        if target.scalar == tl.bfloat16:
            return interpreter.TensorHandle(to_bfloat16(_widened(source).data), tl.bfloat16)
        return cast(self, _widened(source), target)

    return casting


def _watching_overflow(operation: Callable[..., Any], tell: Callable[[str, str], None]) -> Callable[..., Any]:
    def watched(self: Any, first: Any, *rest: Any) -> Any:
        result = operation(self, first, *rest)
        divides = any(part is np.divide for part in rest)
        if not divides and result.dtype.scalar == tl.float16 and np.isinf(result.data).any():
            operands = (first, *(other for other in rest if isinstance(other, interpreter.TensorHandle)))
            finite = np.logical_and.reduce([_is_finite(operand) for operand in operands])
            if (np.isinf(result.data) & finite).any():
                tell("half_overflow", _OVERFLOWN)
        return result

    return watched


def _is_finite(handle: Any) -> _Array:
    values = _widened(handle).data
    return np.isfinite(values) if values.dtype.kind in "fiu" else np.zeros(values.shape, bool)


def doubles(handle: Any) -> _Array:
    """Return the values of a handle in double precision."""
    values: _Array = _widened(handle).data.astype(np.float64)
    return values


def _adding_halves(operation: Callable[..., Any]) -> Callable[..., Any]:
    def adding(self: Any, values: Any) -> Any:
        if values.dtype not in (tl.float16, tl.bfloat16):
            return operation(self, values)
        brain = values.dtype == tl.bfloat16
        left = _widened(values.handle).data
        if self.axis is None:
            left = left.reshape(-1)
        left = np.moveaxis(left, self.axis or 0, 0)
        while len(left) > 1:  # Triton's blocks have powers of two
            middle = len(left) // 2
            left = left[:middle] + left[middle:]
            left = from_bfloat16(to_bfloat16(left)) if brain else left
        total = (to_bfloat16(left) if brain else left)[0]
        if self.keep_dims:
            shape = values.handle.data.shape
            axes = range(len(shape)) if self.axis is None else (self.axis % len(shape),)
            total = total.reshape([1 if axis in axes else size for axis, size in enumerate(shape)])
        return self.to_tensor(total, values.dtype)

    return adding


def _along_an_axis(operation: Callable[..., Any]) -> Callable[..., Any]:
    def along(self: Any, values: Any) -> Any:
        if values.dtype != tl.bfloat16:
            return operation(self, values)
        found = operation(self, tl.tensor(_widened(values.handle), _typed_like(values, tl.float32)))
        one = found[0] if isinstance(found, list) else found
        bits = interpreter.TensorHandle(to_bfloat16(one.handle.data), tl.bfloat16)
        result = tl.tensor(bits, _typed_like(one, tl.bfloat16))
        return [result] if isinstance(found, list) else result

    return along


def _typed_like(tensor: Any, dtype: Any) -> Any:
    return tl.block_type(dtype, list(tensor.shape)) if tensor.type.is_block() else dtype


def _widening(operation: Callable[..., Any]) -> Callable[..., Any]:
    def widening(self: Any, first: Any, *rest: Any) -> Any:
        if not _is_bfloat16(first):
            return operation(self, first, *rest)
        *others, function = rest
        result = operation(self, _widened(first), *(_widened(other) for other in others), function)
        if result.data.dtype == np.bool_:
            return result
        return interpreter.TensorHandle(to_bfloat16(result.data), tl.bfloat16)

    return widening
