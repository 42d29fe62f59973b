"""Translates exceptions of the driver and CuPy into those of the referee."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import cupy

from judge.runner.memory import DeviceLost, DeviceRefused
from sandbox.runner.vmm import CONTEXT_LOST, Code, CudaError, DriverMissing

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

# Errors while an MPS server recovers from a fault. A process that gets one of them can retry.
RECOVERING = frozenset({Code.MPS_CONNECTION_FAILED, Code.MPS_SERVER_NOT_READY, Code.MPS_MAX_CLIENTS_REACHED})
_NO_CONTEXT = RECOVERING | {Code.MPS_MAX_CONNECTIONS_REACHED}


@contextmanager
def our_errors() -> Iterator[None]:
    """Raise DeviceLost or DeviceRefused if the block fails. The runtime has the same codes as the driver."""
    try:
        yield
    except CudaError as error:
        raise _ours(str(error), lost=error.context_lost or error.code in _NO_CONTEXT) from error
    except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as error:
        raise _ours(str(error), lost=means_lost(int(error.status))) from error
    except (DriverMissing, MemoryError, cupy.cuda.compiler.CompileException) as error:
        raise DeviceRefused(str(error)) from error


def silence_destructors() -> None:
    """Ignore errors of destructors after the loss of the context, which Python would print with tracebacks.

    The process has already reported the loss, and the driver frees the memory.
    """

    def report(found: "UnraisableHookArgs") -> None:
        error = found.exc_value
        if not isinstance(error, cupy.cuda.runtime.CUDARuntimeError) or not means_lost(int(error.status)):
            sys.__unraisablehook__(found)

    sys.unraisablehook = report


def means_lost(code: int) -> bool:
    """Return whether a process that got this error can no longer use the GPU."""
    return code in CONTEXT_LOST or code in _NO_CONTEXT


def _ours(text: str, *, lost: bool) -> DeviceLost | DeviceRefused:
    return DeviceLost(text) if lost else DeviceRefused(text)
