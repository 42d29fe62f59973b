"""Runs Triton's compiler, up to the layout of shared memory, on the kernels that the interpreter runs.

Theory of operation. The interpreter runs a kernel as Python code, so it accepts kernels that the compiler
refuses: for example with a variable that changes its type in a loop. Before the first launch with arguments
of certain types, this module translates the kernel to Triton's intermediate representation, as on a GPU. It
goes on until the compiler has laid out shared memory, because a launch fails if a block needs more than a GPU
has. Then it drops the result. This needs no GPU and takes some hundredths of a second.

`triton.jit` makes `InterpretedFunction` in this process, also of the functions of `triton.language` that are
written in Triton. The compiler knows only `JITFunction`. The interpreter also patches `triton.language` and
does not undo all of it. During a compilation, `triton.language` is therefore as before the first launch, but
with compiled functions, which the scope of each kernel has, too.
"""

import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import cache
from typing import Any
from warnings import catch_warnings, simplefilter

import triton.language as tl  # type: ignore[import-untyped]
from triton import knobs
from triton._C.libtriton import ir, nvidia, passes  # type: ignore[import-untyped]
from triton.backends.compiler import GPUTarget  # type: ignore[import-untyped]
from triton.backends.nvidia.compiler import CUDABackend  # type: ignore[import-untyped]
from triton.compiler.compiler import ASTSource  # type: ignore[import-untyped]
from triton.runtime.errors import OutOfResources  # type: ignore[import-untyped]
from triton.runtime.interpreter import InterpretedFunction  # type: ignore[import-untyped]
from triton.runtime.jit import JITFunction, create_function_from_signature  # type: ignore[import-untyped]

from sandbox.runner.virtual_device import SHARED_BYTES

_CAPABILITY = 90  # so that no kernel is refused that a GPU for ranked times accepts
_TARGET = GPUTarget("cuda", _CAPABILITY, 32)
_PTX_VERSION = 80
# Classes that the interpreter patches.
_PATCHED = (tl.tensor, tl.dtype, tl.condition, tl.core.tensor_descriptor_base)
# What `JITFunction.run` adds to the options of a launch.
_ADDED = {"debug": False, "instrumentation_mode": "", "fpsan_homomorphic_casts": False}


class _Compiled(JITFunction):  # type: ignore[misc]
    """A function for the compiler, which sees other functions of this kind only."""

    @property
    def cache_key(self) -> str:
        """Return a name instead of a hash over all that it calls: no result is kept."""
        return f"{self.fn.__module__}.{self.fn.__qualname__}"

    def get_capture_scope(self) -> dict[str, Any]:
        """Return global variables and those of enclosing functions."""
        return {name: _for_compiler(value) for name, value in super().get_capture_scope().items()}


class Frontend:
    """Compiles kernels before their launches."""

    def __init__(self) -> None:
        self._backend = CUDABackend(_TARGET)
        ir.load_dialects(ir.context())  # the first time takes long
        self._binders: dict[InterpretedFunction, Any] = {}
        self._compiled: set[tuple[InterpretedFunction, str]] = set()
        self.kernel = ""  # the kernel that was compiled last
        spaces = [module for name, module in sys.modules.items() if name.startswith("triton.language")]
        self._spaces = [
            (space, {name: _for_compiler(_forwarded(value)) for name, value in vars(space).items()})
            for space in (*spaces, *_PATCHED)
        ]

    @classmethod
    def install(cls) -> "Frontend":
        """Compile all kernels of this process before the interpreter runs them."""
        frontend = cls()
        run = InterpretedFunction.run

        def compiling(kernel: Any, *arguments: Any, grid: Any, warmup: bool, **named: Any) -> Any:
            with catch_warnings():
                simplefilter("ignore")  # they are for users of the compiler's newest version
                frontend.check(kernel, arguments, named)
            return run(kernel, *arguments, grid=grid, warmup=warmup, **named)

        InterpretedFunction.run = compiling
        return frontend

    def check(self, kernel: InterpretedFunction, arguments: Sequence[Any], named: dict[str, Any]) -> None:
        """Compile `kernel` for a launch, unless that has been done for arguments of the same types.

        Raises CompilationError, OutOfResources, or what else `JITFunction.run` raises for unknown options and
        arguments.
        """
        function = _compiled(kernel)
        if kernel not in self._binders:
            self._binders[kernel] = create_function_from_signature(
                function.signature, function.params, self._backend
            )
        named = _ADDED | named
        bound, specialization, options = self._binders[kernel](*arguments, **named)
        options, signature, constants, attributes = function._pack_args(  # noqa: SLF001 - a seam
            self._backend, named, bound, specialization, options
        )
        key = (kernel, repr((signature, constants, options)))
        if key in self._compiled:
            return
        self.kernel = kernel.fn.__name__
        with self._compiling():
            module = self._translated(ASTSource(function, signature, constants, attributes), options)
        needed = self._shared_bytes(module, options)
        if needed > SHARED_BYTES:
            raise OutOfResources(needed, SHARED_BYTES, "shared memory")
        self._compiled.add(key)

    def _translated(self, source: ASTSource, options: Any) -> Any:
        context = ir.context()
        ir.load_dialects(context)
        self._backend.load_dialects(context)
        functions = self._backend.get_codegen_implementation(options)
        with redirect_stdout(io.StringIO()):  # the interpreter prints `tl.static_print`, too
            return source.make_ir(_TARGET, options, functions, self._backend.get_module_map(), context)

    def _shared_bytes(self, module: Any, options: Any) -> int:
        """Return the bytes of shared memory that a block of the kernel uses; 0 if Triton cannot say it."""
        try:
            module = self._backend.make_ttir(module, {}, options, _CAPABILITY)
            module = self._backend.make_ttgir(module, {}, options, _CAPABILITY)
            layout = ir.pass_manager(module.context)
            passes.ttgpuir.add_allocate_warp_groups(layout, False)
            passes.convert.add_scf_to_cf(layout)
            passes.gluon.add_inliner(layout)
            nvidia.passes.ttgpuir.add_allocate_shared_memory_nv(layout, _CAPABILITY, _PTX_VERSION)
            layout.run(module, "shared memory")
        except RuntimeError:  # a pass failed, maybe in this version of Triton only
            return 0
        return int(module.get_int_attr("ttg.shared") or 0)

    @contextmanager
    def _compiling(self) -> Iterator[None]:
        patched = [(space, dict(vars(space))) for space, _ in self._spaces]
        for space, names in self._spaces:
            _set(space, names)
        knobs.runtime.interpret = False
        try:
            yield
        finally:
            knobs.runtime.interpret = True
            for space, names in patched:
                _set(space, names)


@cache
def _compiled(function: InterpretedFunction) -> _Compiled:
    return _Compiled(function.fn)


def _for_compiler(value: object) -> object:
    return _compiled(value) if isinstance(value, InterpretedFunction) else value


def _forwarded(value: object) -> object:
    """Return the function written in Triton that a method of tensors forwards to, or `value`."""
    cells = getattr(value, "__closure__", None) or ()
    functions = (cell.cell_contents for cell in cells)
    return next((function for function in functions if isinstance(function, InterpretedFunction)), value)


def _set(space: Any, names: Mapping[str, object]) -> None:
    for name, value in list(vars(space).items()):
        if name not in names:
            delattr(space, name)
        elif value is not names[name]:
            setattr(space, name, names[name])
    for name in names.keys() - vars(space).keys():
        setattr(space, name, names[name])
