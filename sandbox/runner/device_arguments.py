"""Maps the arrays of a request into this process's GPU context. For the Python runners."""

from collections.abc import Sequence

from sandbox.runner import vmm
from sandbox.wire import WireArgument


class DeviceArguments:
    """Device memory of the current request. Callers must call `open` first."""

    def __init__(self) -> None:
        self._device: vmm.Device | None = None
        self._mapped: list[vmm.Allocation] = []

    def open(self) -> None:
        """Create the context, unless it exists. Raises vmm.DriverMissing or vmm.CudaError."""
        if self._device is None:
            self._device = vmm.Device.open()

    def map(self, arguments: Sequence[WireArgument], descriptors: Sequence[int]) -> list[int]:
        """Map the arrays. Returns the address of each array's payload, 0 for scalars and empty arrays.

        Each descriptor is mapped once and as a whole, because the driver refuses parts. Raises vmm.CudaError.
        """
        if self._device is None:
            raise ValueError("arrays before PREPARE")
        arrays = [argument for argument in arguments if not argument.scalar and argument.bytes]
        sizes: dict[int, int] = {}
        for array in arrays:
            if array.value < array.offset + array.bytes:
                raise ValueError(f"an array ends past the {array.value} bytes of its memory")
            sizes[array.descriptor] = array.value
        pointers: dict[int, int] = {}
        for number, size_bytes in sizes.items():
            allocation = vmm.Allocation.from_descriptor(self._device, descriptors[number], size_bytes)
            self._mapped.append(allocation)
            pointers[number] = allocation.pointer
        return [
            0 if argument.scalar or not argument.bytes else pointers[argument.descriptor] + argument.offset
            for argument in arguments
        ]

    def map_plain(self, descriptor: int, size_bytes: int) -> int:
        """The address of memory that is not an argument. Raises vmm.CudaError."""
        if self._device is None:
            raise ValueError("memory before PREPARE")
        self._mapped.append(vmm.Allocation.from_descriptor(self._device, descriptor, size_bytes))
        return self._mapped[-1].pointer

    def release(self) -> None:
        """Unmap everything. The device must no longer use it."""
        while self._mapped:
            self._mapped.pop().close()
