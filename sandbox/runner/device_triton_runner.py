"""Runs a Triton submission on a GPU, on tensors over device memory shared with the referee.

Theory of operation: see `session` and `triton_submission`. Imports come first and take seconds, and so does
the C compiler that Triton runs once for itself. A warm pool hides this time. PREPARE creates the context and
launches an empty Triton kernel. LOAD first gives up the right to start processes (`lockdown`). Then a process
without a GPU starts Triton's compilers (`helper`).

A hung kernel keeps the main thread inside the driver, where Python runs no signal handlers. So a thread
enforces the time limit. Under MPS, exiting while a kernel runs would end the kernels of all other programs on
the GPU. So the process reports results at once but exits only when the device is idle. If a kernel never
ends, the referee makes the MPS daemon terminate it.
"""

import contextlib
import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import torch
import triton  # type: ignore[import-untyped]
from triton.backends.nvidia.driver import CudaUtils  # type: ignore[import-untyped]
from triton.compiler.errors import CompilationError  # type: ignore[import-untyped]
from triton.runtime.errors import OutOfResources  # type: ignore[import-untyped]
from triton.runtime.jit import JITFunction  # type: ignore[import-untyped]

from sandbox.runner.device_arguments import DeviceArguments
from sandbox.runner.device_faults import fault_of
from sandbox.runner.helper import Helper
from sandbox.runner.lockdown import forbid_processes
from sandbox.runner.python_call import Bound
from sandbox.runner.session import OUR_FAULT, Load, explain, flush, serve, stop
from sandbox.runner.timed_session import NativeSession
from sandbox.runner.triton_errors import resources_text
from sandbox.runner.triton_submission import DTYPES, FILE, TritonRunner
from sandbox.wire import FLAGS_BYTES, ExitStatus, Request, RunFlag, WireArgument


@triton.jit
def _null(data):  # type: ignore[no-untyped-def]
    pass


class _Payload:
    """Device memory for PyTorch: bytes at an address, owned by another object.

    Source: the CUDA array interface, version 3.
    """

    def __init__(self, address: int, size_bytes: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (size_bytes,),
            "typestr": "|u1",
            "data": (address, False),
            "version": 3,
        }


class Launches:
    """Counts the launches of Triton kernels in this process and remembers the last one."""

    def __init__(self) -> None:
        self.count = 0
        self.name = ""
        self._grid: object = None

    @classmethod
    def install(cls) -> "Launches":
        """Start counting."""
        launches = cls()
        run = JITFunction.run

        def noted(kernel: Any, *arguments: Any, grid: Any, warmup: bool, **named: Any) -> Any:
            launches.count += 1
            launches.name = kernel.fn.__name__
            launches._grid = grid
            return run(kernel, *arguments, grid=grid, warmup=warmup, **named)

        JITFunction.run = noted
        return launches

    def text(self) -> str:
        """`add[(4,)]`: the last kernel with its grid, as far as it is known."""
        grid = self._grid
        if not isinstance(grid, tuple):
            return self.name
        sizes = ", ".join(str(size) for size in grid)
        return f"{self.name}[({sizes}{',' if len(grid) == 1 else ''})]"


class DeviceTritonRunner(TritonRunner):
    """Tensors over device memory, kernels compiled for the GPU."""

    flag_descriptors = 1
    payload = _Payload

    def __init__(self) -> None:
        super().__init__("CUDA")
        self._memory = DeviceArguments()
        self._launches = Launches.install()
        self._native = NativeSession.of_environment()
        self._copies: list[tuple[torch.Tensor, torch.Tensor]] = []
        self._exact = False
        # In sandboxes without MPS, the environment names a directory that does not exist.
        self._shared_by_mps = Path(os.environ.get("CUDA_MPS_PIPE_DIRECTORY", "/nowhere"), "control").exists()

    @property
    def launches(self) -> int:
        """The number of kernels launched up to now."""
        return self._launches.count

    def prepare(self) -> None:
        """Create the context and launch an empty kernel.

        A second call tests whether the context still works.
        """
        self._memory.open()
        _null[(1,)](torch.ones(1, device="cuda"))
        self.finish()

    def load(self, load: Load) -> None:
        """Run the submission's module. The process can no longer start other processes."""
        try:
            forbid_processes()
        except OSError as error:
            sys.stderr.write(f"runner: {error}\n")
            flush()
            os._exit(OUR_FAULT)
        super().load(load)

    def run(self, request: Request, descriptors: Sequence[int]) -> None:
        """Call `solve` once."""
        self._exact = bool(request.flags & RunFlag.SANITIZE)
        launches = self._launches.count
        super().run(request, descriptors)
        if self._launches.count > launches:
            self.diagnostics.say("note", "launch", self._launches.text(), kernel=self._launches.name)

    def tensor(self, argument: WireArgument, descriptors: Sequence[int]) -> torch.Tensor:
        """Return a tensor over device memory; for compute-sanitizer, over a copy of exactly its size."""
        (address,) = self._memory.map([argument], descriptors)
        payload = torch.as_tensor(_Payload(address, argument.bytes), device="cuda")
        tensor = payload.view(DTYPES[argument.dtype]).reshape(argument.shape)
        if not self._exact:
            return tensor
        copy = tensor.clone()
        self._copies.append((tensor, copy))
        return copy

    def empty(self, argument: WireArgument) -> torch.Tensor:
        """A tensor without elements."""
        return torch.empty(argument.shape, dtype=DTYPES[argument.dtype], device="cuda")

    def finish(self) -> None:
        """Wait for the device."""
        torch.cuda.synchronize()

    def serve(self, request: Request, descriptors: Sequence[int], calls: list[Bound]) -> None:
        """By native code."""
        del request
        page, flags = descriptors[:2]
        self._native.serve(page, calls, self._memory.map_plain(flags, FLAGS_BYTES))

    def release(self) -> None:
        """Copy results back and unmap the memory."""
        for tensor, copy in self._copies:
            tensor.copy_(copy)
        self._copies.clear()
        torch.cuda.synchronize()
        self._memory.release()

    @contextlib.contextmanager
    def time_limit(self, limit_ms: int, on_limit: Callable[[FrameType | None], None]) -> Iterator[None]:
        """Use a thread, because other threads can run while the driver waits."""
        main = threading.get_ident()
        over, late = threading.Event(), threading.Event()

        def watch() -> None:
            if not over.wait(limit_ms / 1000):
                late.set()
                on_limit(sys._current_frames().get(main))  # noqa: SLF001 - documented, despite its name

        watcher = threading.Thread(target=watch, daemon=True)
        if limit_ms:
            watcher.start()
        yield
        over.set()
        if late.is_set():
            watcher.join()  # it ends the process

    def where(self) -> str:
        """The last launch."""
        return f"; the last kernel was {self._launches.text()}" if self._launches.count else ""

    def quit(self) -> None:
        """Report faults that became visible only after the answer to the call that caused them."""
        if self.loaded:
            self._finish()

    def leave(self, status: ExitStatus) -> NoReturn:
        """End this process as soon as that cannot affect other programs."""
        flush()
        if self._shared_by_mps:
            with contextlib.suppress(Exception):
                torch.cuda.synchronize()
        stop(status)

    def finding_of(self, error: BaseException) -> tuple[ExitStatus, str, str, int | None]:
        """Return status, kind, message and line for an error of the device, the compiler, or Python."""
        message, line = explain(error, FILE)
        if isinstance(error, torch.cuda.OutOfMemoryError):
            return ExitStatus.MEMORY_LIMIT, "memory", message, line
        if isinstance(error, OutOfResources):
            sentence = resources_text(self._launches.name, error, "this GPU")
            return ExitStatus.RUNTIME_ERROR, "resources", sentence, line
        if isinstance(error, CompilationError):
            return ExitStatus.RUNTIME_ERROR, "compile", *self.compile_error(error, line)
        if isinstance(error, RuntimeError) and (fault := fault_of(str(error))):
            subject = f"Kernel {self._launches.text()}" if self._launches.count else "The device"
            return fault.status, fault.kind, f"{subject} {fault.meaning} ({fault.words})", line
        return ExitStatus.RUNTIME_ERROR, "exception", message, line


def tell_triton_where_the_driver_is() -> None:
    """Set the path of libcuda. Triton links against it and searches the loader's cache, which may lack it."""
    ctypes.CDLL("libcuda.so.1")
    for line in Path("/proc/self/maps").read_text().splitlines():
        folder, _, name = line.partition("/")[2].rpartition("/")
        if name.startswith("libcuda.so") and Path("/", folder, "libcuda.so.1").exists():
            os.environ.setdefault("TRITON_LIBCUDA_PATH", f"/{folder}")
            return


def main() -> None:
    """Serve until the host closes the channel."""
    Helper.start().install()
    tell_triton_where_the_driver_is()
    CudaUtils()  # compiles and loads Triton's own helper; needs no context
    serve(DeviceTritonRunner())


if __name__ == "__main__":
    main()
    sys.exit(0)
