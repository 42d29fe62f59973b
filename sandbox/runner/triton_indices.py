"""Explains indices that Triton does not support, in functional mode and on a GPU.

Triton indexes blocks only with `:` and `None`, which change their shape. For `a_ptr[i]`, it says only that an
object is not iterable, or that `__setitem__` is not supported.
"""

from collections.abc import Callable, Sequence
from typing import Any

import triton.language as tl  # type: ignore[import-untyped]
from triton.compiler.code_generator import CodeGenerator  # type: ignore[import-untyped]

_POINTER = (
    "A pointer has no elements. Read with tl.load(pointer + offsets, mask=...), and write with "
    "tl.store(pointer + offsets, values, mask=...)."
)
_BLOCK = (
    "Elements of a block cannot be selected or assigned. An index can only be `:` or None, as in x[:, None]. "
    "Select values with tl.where, or load and store the elements that you need."
)


def install() -> None:
    """Explain indices of the kernels of this process."""
    tl.tensor.__getitem__ = tl.core.builtin(_explaining(tl.tensor.__getitem__))
    tl.tensor.__setitem__ = _refuse_store  # for the interpreter, which runs the assignment
    CodeGenerator.visit_Subscript_Store = _refuse_compiled_store


def _explaining(index: Callable[..., Any]) -> Callable[..., Any]:
    def explaining(self: Any, slices: Any, _semantic: Any = None) -> Any:
        if not all(map(_changes_shape, _parts(slices))):
            raise TypeError(_explanation(self))
        return index(self, slices, _semantic=_semantic)

    return explaining


def _refuse_store(tensor: Any, _index: object, _value: object) -> None:
    raise TypeError(_explanation(tensor))


def _refuse_compiled_store(self: Any, node: Any, _value: object) -> None:
    raise self._unsupported(node, _explanation(self.visit(node.value)))


def _explanation(indexed: Any) -> str:
    return _POINTER if isinstance(indexed, tl.tensor) and indexed.dtype.is_ptr() else _BLOCK


def _parts(slices: Any) -> Sequence[Any]:
    if isinstance(slices, tl.tuple):
        return list(slices.values)
    return slices if isinstance(slices, tuple | list) else [slices]


def _changes_shape(part: Any) -> bool:
    """Return whether `part` of an index is None or `:`."""
    part = _plain(part)
    if not isinstance(part, slice | tl.slice):
        return part is None
    return all(_plain(bound) is None for bound in (part.start, part.stop, part.step))


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, tl.constexpr) else value
