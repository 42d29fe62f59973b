"""Computes something on the first visible GPU and compares the result: the program of `sandbox.gpu.probe`.

Says `context` once it has a CUDA context, waits for a line, runs a kernel, and says `well` if every element
is right. Anything else is a failure, in words. Needs the standard library and the driver alone; the kernel is
PTX that every GPU since Maxwell takes.
"""

import ctypes
import sys
import time
from collections.abc import Callable

_RETRY_S, _PAUSE_S = 3.0, 0.1
_NOT_YET = (805, 807)  # CUDA_ERROR_MPS_CONNECTION_FAILED, CUDA_ERROR_MPS_SERVER_NOT_READY
_ELEMENTS = 1 << 20
_BLOCK = 256
_FACTOR = 2654435761  # odd, so that all values differ
_PTX = b"""
.version 6.0
.target sm_50
.address_size 64
.visible .entry scramble(.param .u64 out)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    mul.lo.u32 %r5, %r4, 2654435761;
    mul.wide.u32 %rd2, %r4, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r5;
    ret;
}
\0"""


def main() -> None:
    """Make a context, wait to be told, run the kernel, compare."""
    cuda = _load()
    _make_context(cuda)
    print("context", flush=True)  # noqa: T201 - the protocol
    sys.stdin.readline()
    wrong = _count_wrong(cuda)
    if wrong:
        sys.exit(f"{wrong} of {_ELEMENTS} elements are wrong")
    print("well", flush=True)  # noqa: T201 - the protocol


def _load() -> ctypes.CDLL:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        sys.exit(f"the driver's library cannot be loaded: {error}")


def _make_context(cuda: ctypes.CDLL) -> None:
    """Make the primary context current.

    While MPS recovers from a fault, it accepts no client for a moment.
    """
    deadline = time.monotonic() + _RETRY_S
    device, context = ctypes.c_int(), ctypes.c_void_p()
    steps: tuple[tuple[str, Callable[[], int]], ...] = (
        ("cuInit", lambda: cuda.cuInit(0)),
        ("cuDeviceGet", lambda: cuda.cuDeviceGet(ctypes.byref(device), 0)),
        ("cuDevicePrimaryCtxRetain", lambda: cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)),
        ("cuCtxSetCurrent", lambda: cuda.cuCtxSetCurrent(context)),
    )
    for name, step in steps:
        while (status := step()) in _NOT_YET and time.monotonic() < deadline:
            time.sleep(_PAUSE_S)
        _check(cuda, name, status)


def _count_wrong(cuda: ctypes.CDLL) -> int:
    """Run the kernel over a megabyte and count the elements that it got wrong."""
    size_bytes = ctypes.c_size_t(4 * _ELEMENTS)
    memory, module, function = ctypes.c_uint64(), ctypes.c_void_p(), ctypes.c_void_p()
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    grid = (_ELEMENTS // _BLOCK, 1, 1)
    result = (ctypes.c_uint32 * _ELEMENTS)()
    steps: tuple[tuple[str, Callable[[], int]], ...] = (
        ("cuMemAlloc", lambda: cuda.cuMemAlloc_v2(ctypes.byref(memory), size_bytes)),
        ("cuModuleLoadData", lambda: cuda.cuModuleLoadData(ctypes.byref(module), _PTX)),
        (
            "cuModuleGetFunction",
            lambda: cuda.cuModuleGetFunction(ctypes.byref(function), module, b"scramble"),
        ),
        (
            "cuLaunchKernel",
            lambda: cuda.cuLaunchKernel(function, *grid, _BLOCK, 1, 1, 0, None, parameters, None),
        ),
        ("cuCtxSynchronize", cuda.cuCtxSynchronize),
        ("cuMemcpyDtoH", lambda: cuda.cuMemcpyDtoH_v2(result, memory, size_bytes)),
    )
    for name, step in steps:
        _check(cuda, name, step())
    return sum(value != number * _FACTOR % 2**32 for number, value in enumerate(result))


def _check(cuda: ctypes.CDLL, name: str, status: int) -> None:
    if status:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(status, ctypes.byref(text))
        sys.exit(f"{name}: error {status}, {(text.value or b'unknown').decode()}")


if __name__ == "__main__":
    main()
