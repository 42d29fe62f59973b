"""The referee's device memory in this process, and time measurements in it."""

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pytest

from judge.runner.memory import DeviceLost, DeviceRefused, Memory, PrivateBytes

if TYPE_CHECKING:
    from judge.gpu.device.memory import DeviceMemory


@contextmanager
def opened_memory() -> Iterator["DeviceMemory"]:
    """Open device memory. Skip the test without a GPU or CuPy."""
    pytest.importorskip("cupy")
    from judge.gpu.device.memory import DeviceMemory  # noqa: PLC0415 - CuPy is on GPU hosts alone

    try:
        memory = DeviceMemory.open()
    except (DeviceLost, DeviceRefused) as error:
        pytest.skip(f"no usable GPU: {error}")
    yield memory
    memory.close()


def on_device(values: npt.NDArray[np.generic]) -> PrivateBytes:
    """Return a copy of the array's bytes on the device."""
    import cupy  # noqa: PLC0415

    contents: PrivateBytes = cupy.asarray(np.ascontiguousarray(values).reshape(-1).view(np.uint8))
    cupy.cuda.runtime.deviceSynchronize()
    return contents


def on_host(contents: PrivateBytes) -> npt.NDArray[np.uint8]:
    """Return a copy of the contents on the host."""
    import cupy  # noqa: PLC0415

    cupy.cuda.runtime.deviceSynchronize()
    copied: npt.NDArray[np.uint8] = cupy.asnumpy(contents)
    return copied


def median_ms(memory: Memory, action: Callable[[], object], *, times: int = 9) -> float:
    """Return the median time of `action` until the device has finished it."""
    action()
    memory.synchronize()
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        action()
        memory.synchronize()
        taken.append((time.perf_counter() - started) * 1000)
    return statistics.median(taken)


def say(text: str) -> None:
    """Print a figure past pytest's capture."""
    sys.__stderr__.write(f"\n    {text}")
