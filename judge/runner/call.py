"""The arguments of one call to a runner: arrays with their own memory, and scalars."""

import math
from collections.abc import Mapping
from typing import Self

import numpy as np

from judge.dtypes import narrow
from judge.runner.memory import Buffer, Memory
from judge.sizes import scalar_of, shape_of
from problems.schema import Argument, Case
from problems.vocabulary import ArrayMemory, Dtype, Role
from sandbox.wire import WireArgument


class Call:
    """Arguments in wire order. Owns the arrays' buffers, which it allocates in `memory`, until `close`."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._buffers: dict[str, Buffer] = {}
        self._arguments: list[WireArgument] = []

    @property
    def arguments(self) -> tuple[WireArgument, ...]:
        """The arguments as the request encodes them."""
        return tuple(self._arguments)

    @property
    def descriptors(self) -> list[int]:
        """The arrays' descriptors, in the order that the request counts them."""
        return [buffer.descriptor for buffer in self._buffers.values()]

    @property
    def buffers(self) -> Mapping[str, Buffer]:
        """The arrays' memory by name."""
        return self._buffers

    def add(self, argument: Argument, case: Case) -> None:
        """Append an argument of the problem with its shape or value in `case`."""
        if argument.role is Role.SCALAR:
            self.add_scalar(argument.dtype, scalar_of(argument, case))
        else:
            shape = shape_of(argument, case.sizes)
            self.add_array(argument.name, argument.dtype, shape, argument.memory, device=argument.device)

    def add_array(
        self,
        name: str,
        dtype: Dtype,
        shape: tuple[int, ...],
        memory: ArrayMemory = ArrayMemory.DEVICE,
        *,
        device: int = 0,
    ) -> None:
        """Append an array with new memory of this kind. The program gets it in memory of this device."""
        size_bytes = math.prod(shape) * dtype.itemsize
        make = self._memory.host_buffer if memory.on_host else self._memory.buffer
        buffer = make(name, size_bytes)
        place = (len(self._buffers), buffer.offset, buffer.size_bytes, buffer.whole_bytes)
        wire = WireArgument(dtype.value, False, *place, shape, memory.value, device)
        self._buffers[name] = buffer
        self._arguments.append(wire)

    def add_scalar(self, dtype: Dtype, value: float) -> None:
        """Append a scalar. The request contains its bits."""
        bits = int.from_bytes(narrow(np.array([value]), dtype).tobytes(), "little")
        self._arguments.append(WireArgument(dtype.value, True, value=bits))

    def close(self) -> None:
        """Scrub and release the arrays."""
        for buffer in self._buffers.values():
            buffer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
