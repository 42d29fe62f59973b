"""Loads an artifact, calls its `solve` for vector addition once, and prints the outcome as JSON.

    python artifact_client.py ARTIFACT COUNT

This is a separate process, because a fault of the GPU ends its context. Standard library only.
"""

import array
import ctypes
import json
import sys


class Launch(ctypes.Structure):
    """As in sandbox/runner/finish.h."""

    _fields_ = (
        ("count", ctypes.c_ulonglong),
        ("kernel", ctypes.c_char_p),
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared_bytes", ctypes.c_ulonglong),
    )


class Finish(ctypes.Structure):
    """As in sandbox/runner/finish.h."""

    _fields_ = (
        ("launch_error", ctypes.c_int),
        ("sync_error", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("text", ctypes.c_char_p),
        ("failed", Launch),
    )


def main(artifact: str, count: int) -> None:
    """Load the artifact, call it and print the outcome."""
    cuda = ctypes.CDLL("libcuda.so.1")

    def call(name: str, *arguments: object) -> None:
        if error := getattr(cuda, name)(*arguments):
            raise SystemExit(f"{name} failed with {error}")

    context = ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    inputs = [array.array("f", [scale * i for i in range(count)]) for scale in (1, 2)]
    pointers = [ctypes.c_uint64() for _ in range(3)]
    for pointer in pointers:
        call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(4 * count))
    for pointer, values in zip(pointers, inputs, strict=False):
        call("cuMemcpyHtoD_v2", pointer, values.tobytes(), ctypes.c_size_t(4 * count))
    library = ctypes.CDLL(artifact)
    scalar = ctypes.c_int(count)
    slots = (ctypes.c_void_p * 4)(*(pointer.value for pointer in pointers), ctypes.addressof(scalar))
    library.warpcourt_call(slots)
    finish = Finish()
    library.warpcourt_finish(ctypes.byref(finish))
    right = False
    if finish.sync_error == 0:
        output = ctypes.create_string_buffer(4 * count)
        call("cuMemcpyDtoH_v2", output, pointers[2], ctypes.c_size_t(4 * count))
        right = array.array("f", output.raw).tolist() == [3.0 * i for i in range(count)]
    library.warpcourt_last_launch.restype = ctypes.POINTER(Launch)
    last = library.warpcourt_last_launch().contents
    json.dump(
        {
            "right": right,
            "launch_error": finish.launch_error,
            "sync_error": finish.sync_error,
            "name": (finish.name or b"").decode(),
            "failed": [(finish.failed.kernel or b"").decode(), *finish.failed.grid, *finish.failed.block],
            "last": [(last.kernel or b"").decode(), last.count, *last.grid, *last.block, last.shared_bytes],
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
