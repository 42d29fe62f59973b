"""Runs runners for GPUs as plain child processes, without isolation. Use it for our own programs only.

So errors of a runner on a GPU show up without containers, MPS and the referee.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sandbox.runner import vmm
from sandbox.spec import Command
from sandbox.wire import FLAGS_BYTES
from tests.integration.functional.bare import BareBackend
from tests.integration.sandbox.talk import GUARD, HostShare, Talk

_KEPT = ("PATH", "LD_LIBRARY_PATH", "CUDA_PATH", "CUDA_HOME", "CUDA_VISIBLE_DEVICES")


@contextmanager
def opened_device() -> Iterator[vmm.Device]:
    """Open the GPU in this process. Skip the test if there is none."""
    try:
        device = vmm.Device.open()
    except (vmm.DriverMissing, vmm.CudaError) as error:
        pytest.skip(f"no usable GPU: {error}")
    yield device
    device.close()


class DeviceShare(HostShare):
    """Arrays in device memory, with guard bands, each in an allocation of its own."""

    def __init__(self, device: vmm.Device) -> None:
        self._device = device
        self._allocations: dict[int, vmm.Allocation] = {}

    def put(self, array: np.ndarray[Any, Any]) -> int:
        allocation = vmm.Allocation.create(self._device, 2 * GUARD + array.nbytes)
        allocation.write(bytes(GUARD) + array.tobytes() + bytes(GUARD))
        descriptor = allocation.export()
        self._allocations[descriptor] = allocation
        return descriptor

    def put_flags(self) -> int:
        allocation = vmm.Allocation.create(self._device, FLAGS_BYTES)
        allocation.scrub()
        self._device.synchronize()
        descriptor = allocation.export()
        self._allocations[descriptor] = allocation
        return descriptor

    def read_flag(self, descriptor: int, at: int) -> int:
        return int.from_bytes(self._allocations[descriptor].read(8, at), "little")

    def write_flag(self, descriptor: int, at: int, number: int) -> None:
        self._allocations[descriptor].write(number.to_bytes(8, "little"), at)

    def read(self, descriptor: int, count: int) -> bytes:
        return self._allocations[descriptor].read(count, GUARD) if count else b""

    def drop(self, descriptor: int) -> None:
        os.close(descriptor)
        self._allocations.pop(descriptor).close()


def on_this_host(command: Command, work: Path) -> Command:
    """Return `command` with this host's paths: the sources of binds, and `work` instead of /work."""
    places: dict[str, str] = {}
    for bind in command.binds:
        places[bind.target] = str(bind.source)
        if Path(bind.target).name == bind.source.name:
            places[str(Path(bind.target).parent)] = str(bind.source.parent)

    def here(text: str) -> str:
        for target, source in places.items():
            if text == target or text.startswith(f"{target}/"):
                return source + text.removeprefix(target)
        return text

    inherited = {name: os.environ[name] for name in _KEPT if name in os.environ}
    own = {
        name: str(work) + text.removeprefix("/work") if text.startswith("/work") else here(text)
        for name, text in command.environment.items()
    }
    return replace(command, argv=tuple(here(word) for word in command.argv), environment={**own, **inherited})


def talk_to(command: Command, work: Path, device: vmm.Device) -> Talk:
    """Start `command` here and wait until it is ready."""
    return Talk(BareBackend(Path("/warpcourt")), on_this_host(command, work), DeviceShare(device))
