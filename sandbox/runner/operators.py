"""Blocks PyTorch's computing operators in Triton submissions, whose results must come from kernels.

Theory of operation. All computation in PyTorch passes its dispatcher, which selects the kernel of an operator
by backend. For the backend of a problem's arrays, `refuse` registers its own kernel for every operator except
those that allocate, fill, copy, view or query. So the way in which a program calls an operator does not
matter: `torch.add`, `a + b`, `out=`, `torch.ops`, a module, a trace. Allowed operators have no overhead,
except copies, which are checked: a copy that changes the order or the dtype of elements is a transpose or a
conversion. Registering thousands of operators takes a tenth of a second. So runners block the operators
before they know the language, while they wait in the pool, and `restore` them for programs in PyTorch.

After `keep`, no Python object refers to the registration, so Python code cannot undo it. Native code still
can, and NumPy can compute on the memory of a CPU tensor. This is only a rule for honest programs; the referee
does not trust this process.
"""

import ctypes
import sys
import warnings
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NoReturn, Self

import torch

from sandbox.runner.tensor_text import text_of

_library: Callable[..., Any] = torch._C._dispatch_library  # noqa: SLF001 - `torch.library` has no handle that can be kept
_all_operators: Callable[[], list[str]] = torch._C._dispatch_get_all_op_names  # noqa: SLF001
_of_backend: Callable[[str], list[str]] = torch._C._dispatch_get_registrations_for_dispatch_key  # noqa: SLF001

RULE = (
    "In a Triton submission PyTorch may allocate, fill, copy and view tensors. All computation must be in a "
    "kernel (@triton.jit)."
)
MOST_BYTES_TO_THE_HOST = 64 * 2**10
_COPY = "aten::copy_"
_COMPILER = "torch._inductor"
# Layouts of the same backend that have kernels of their own.
_LAYOUTS = {
    "CPU": ("SparseCPU", "SparseCsrCPU", "QuantizedCPU", "NestedTensorCPU", "MkldnnCPU"),
    "CUDA": ("SparseCUDA", "SparseCsrCUDA", "QuantizedCUDA", "NestedTensorCUDA"),
}
_MEMORY = """
    empty empty_like empty_strided empty_permuted new_empty new_empty_strided resize_ resize_as_ set_
    set_data pin_memory _pin_memory is_pinned record_stream
"""
_FILLS = """
    zeros zeros_like new_zeros ones ones_like new_ones full full_like new_full scalar_tensor fill_ zero_
"""
_COPIES = """
    clone contiguous to _to_copy _to_cpu type_as lift lift_fresh lift_fresh_copy
"""
_VIEWS = """
    alias as_strided as_strided_ detach detach_ data diagonal expand expand_as broadcast_to
    broadcast_tensors flatten unflatten ravel reshape reshape_as _reshape_alias view view_as
    _unsafe_view permute movedim moveaxis numpy_T mT t t_ transpose transpose_ swapaxes swapaxes_
    swapdims swapdims_ narrow select slice split split_with_sizes chunk tensor_split hsplit vsplit
    dsplit unbind squeeze squeeze_ unsqueeze unsqueeze_ unfold atleast_1d atleast_2d atleast_3d
    resolve_conj resolve_neg
"""
_QUESTIONS = """
    size stride storage_offset numel dim get_device sym_size sym_stride sym_storage_offset sym_numel
    sym_is_contiguous is_contiguous is_complex is_floating_point is_signed is_conj is_neg is_inference
    is_leaf is_distributed is_coalesced is_same_size is_set_to is_nonzero item _local_scalar_dense
    result_type can_cast promote_types _is_zerotensor _version output_nr requires_grad_ retain_grad
    retains_grad _has_same_storage_numel _has_compatible_shallow_copy_type _debug_has_internal_overlap
"""
_ALLOWED = frozenset(f"{_MEMORY} {_FILLS} {_COPIES} {_VIEWS} {_QUESTIONS}".split())


class ComputingOperators:
    """The operators that compute, refused. `refuse` makes one."""

    def __init__(self, libraries: Sequence[Any], refused: Callable[[str], NoReturn]) -> None:
        self._libraries = list(libraries)
        self._refused = refused

    @classmethod
    def refuse(cls, backend: str, refused: Callable[[str], NoReturn]) -> Self:
        """From now on, have `refused` called with a sentence when an operator of `backend` computes.

        `backend` is the dispatcher's name: CPU or CUDA.
        """
        copy = torch.library.get_kernel(_COPY, backend)
        libraries: dict[str, Any] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # replacing an existing kernel is intended
            for name in _all_operators():
                _register(libraries, name, backend, refused)
            for layout in _LAYOUTS[backend]:
                for name in _of_backend(layout):
                    _register(libraries, name, layout, refused)
            _of(libraries, "aten").impl(_COPY, backend, _checked_copy(copy, refused), True)
        return cls(list(libraries.values()), refused)

    def restore(self) -> None:
        """Allow everything again."""
        while self._libraries:
            self._libraries.pop().reset()

    def keep(self) -> None:
        """Refuse for as long as the process lives, kernels that `torch.compile` would make included.

        Tensors are printed without PyTorch's help from then on.
        """
        while self._libraries:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._libraries.pop()))
        refused = self._refused

        def hear(event: str, arguments: tuple[Any, ...]) -> None:
            if event == "import" and str(arguments[0]).startswith(_COMPILER):
                refused(f"torch.compile generates kernels from PyTorch's operators. {RULE}")

        sys.addaudithook(hear)  # audit hooks cannot be removed
        torch.Tensor.__repr__ = text_of  # type: ignore[method-assign, assignment]


def moves_in_order(shape: Sequence[int], source: Sequence[int], target: Sequence[int]) -> bool:
    """Whether a copy between these strides moves runs of elements and keeps them in order.

    Copies of whole tensors and of blocks of rows do. A transpose, a broadcast, a gather, or a copy of every
    other element does not.
    """
    strides = [(a, b) for size, a, b in zip(shape, source, target, strict=True) if size > 1]
    strides.sort(reverse=True)
    falling = all(b > after for (_, b), (_, after) in pairwise(strides))
    return not strides or (strides[-1] == (1, 1) and falling)


def _register(libraries: dict[str, Any], name: str, key: str, refused: Callable[[str], NoReturn]) -> None:
    namespace, _, rest = name.partition("::")
    operator = rest.partition(".")[0]
    if namespace == "aten" and (operator in _ALLOWED or name == _COPY):
        return
    _of(libraries, namespace).impl(name, key, _refusing(namespace, operator, refused))


def _of(libraries: dict[str, Any], namespace: str) -> Any:
    if namespace not in libraries:
        libraries[namespace] = _library("IMPL", namespace, "", __file__, 0)
    return libraries[namespace]


def _refusing(namespace: str, operator: str, refused: Callable[[str], NoReturn]) -> Callable[..., NoReturn]:
    name = operator if namespace == "aten" else f"ops.{namespace}.{operator}"

    def refuse(*_: object, **__: object) -> NoReturn:
        refused(f"torch.{name} computes in PyTorch. {RULE}")

    return refuse


def _checked_copy(copy: Any, refused: Callable[[str], NoReturn]) -> Callable[..., torch.Tensor]:
    def checked(
        keys: object, target: torch.Tensor, source: torch.Tensor, non_blocking: bool = False
    ) -> torch.Tensor:
        why = _beyond_a_copy(target, source)
        if why:
            refused(f"A copy {why}. {RULE}")
        copied: torch.Tensor = copy.call_boxed(keys, target, source, non_blocking)
        return copied

    return checked


def _beyond_a_copy(target: torch.Tensor, source: torch.Tensor) -> str:
    """Return what a copy does in addition to copying; empty if nothing."""
    if source.numel() == 1:
        return ""  # a fill
    if source.dtype != target.dtype:
        return f"converts {_name(source.dtype)} to {_name(target.dtype)}"
    if source.shape != target.shape:
        return f"broadcasts {list(source.shape)} to {list(target.shape)}"
    if not moves_in_order(source.shape, source.stride(), target.stride()):
        return "changes the order of elements"
    if source.is_cuda and target.is_cpu and source.nbytes > MOST_BYTES_TO_THE_HOST:
        return f"copies {source.nbytes} bytes to the host; the limit is {MOST_BYTES_TO_THE_HOST} per copy"
    return ""


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
