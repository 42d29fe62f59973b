"""Memory of a secret pool: on this host or on a GPU."""

import os
from collections.abc import Callable

from judge.drawn import new_memory
from judge.gpu.pool.store import HeldMemory
from sandbox.runner.vmm import Allocation, Code, CudaError, Device


class HostAllocation:
    """Memory of a set in a memfd."""

    def __init__(self, size_bytes: int) -> None:
        self._descriptor = new_memory(size_bytes)

    def export(self) -> int:
        """Return a descriptor of the memory. The caller must close it."""
        return os.dup(self._descriptor)

    def close(self) -> None:
        """Release the memory in this process."""
        os.close(self._descriptor)


class DeviceAllocation:
    """Memory of a set on a GPU.

    `close` does not scrub the memory, because a referee may still read it. The driver clears memory before it
    is allocated again.
    """

    def __init__(self, device: Device, size_bytes: int) -> None:
        try:
            self._allocation = Allocation.create(device, size_bytes)
        except CudaError as error:
            if error.code == Code.OUT_OF_MEMORY:
                raise MemoryError(f"{size_bytes} bytes for a set: {error}") from error
            raise

    def export(self) -> int:
        """Return a descriptor of the memory. The caller must close it."""
        return self._allocation.export()

    def close(self) -> None:
        """Release the memory in this process."""
        self._allocation.close()


def allocator(memory: str) -> Callable[[int], HeldMemory]:
    """Return the allocator for `memory`: `host`, or `device`, the first GPU that this process sees.

    Raises:
        sandbox.runner.vmm.CudaError: the GPU cannot be used.
        sandbox.runner.vmm.DriverMissing: there is no driver.
    """
    if memory == "host":
        return HostAllocation
    device = Device.open()
    return lambda size_bytes: DeviceAllocation(device, size_bytes)
