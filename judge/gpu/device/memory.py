"""Memory of a GPU that the referee shares with a sandbox, and what it does to distrust it.

Theory of operation. Every buffer is a device memory allocation of its own that is shared as a file
descriptor (`sandbox.runner.vmm`), laid out like a host buffer: a guard band, the payload, a guard band up
to the end of the allocation. The sandbox can do with all of it what it likes, and with nothing else. Guard
bands and poison are random bytes that follow from 128 secret bits; the bands are checked against those bits
and kept nowhere. Everything happens on the device, on one stream of the referee's own that waits for no
other. That the runner is done is known from the runner's word alone, so nothing here relies on the order
of its work and ours.

Footprint: an input takes its size, an output three times that (itself, its poison, its snapshot) and half a
byte per thousand for the comparison. Every buffer adds its bands, 128 KiB, and is rounded up to 2 MiB.

A buffer that is closed is scrubbed on the stream and released when a later `synchronize` finds that done,
so that closing never waits: a kernel of the sandbox may hang on the device.
"""

import contextlib
import time
from collections.abc import Mapping
from typing import Self

import cupy
import numpy as np
import numpy.typing as npt

from judge.drawn import CaseData
from judge.gpu.device.buffer import BAND_BYTES, DeviceBuffer, pointer_of
from judge.gpu.device.errors import RECOVERING, means_lost, our_errors
from judge.gpu.device.gate import DeviceGate, forget_persisting_lines
from judge.gpu.device.host_buffer import MirroredBuffer
from judge.gpu.device.kernels import Elements, Kernels
from judge.gpu.device.places import read_places
from judge.runner.comparison import OutputComparison
from judge.runner.memory import DeviceLost, DeviceRefused, PrivateBytes
from problems.schema import Argument, Tolerance
from problems.vocabulary import Dtype
from sandbox.runner.vmm import Allocation, Code, CudaError, Device

_READY_S = 3.0  # for a server of MPS to come back from a fault
_RETRY_S = 0.05
_CLOSE_S = 1.0
_SWEEP = 3  # times the L2 cache: its replacement is not strictly by age, so once over is too little
_NAP_S = 0.001
_IDLE = 0


class DeviceMemory:
    """`judge.runner.memory.Memory` on the GPU that CUDA_VISIBLE_DEVICES names first. Use it from one thread.

    Contents are uint8 arrays of CuPy.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.kernels = Kernels(self.stream)
        self._sweep: PrivateBytes | None = None
        self._retired: list[Allocation] = []
        self._opened: list[Allocation] = []

    @classmethod
    def open(cls) -> Self:
        """Open the GPU and have everything ready that a first comparison needs.

        Raises:
            DeviceLost: the GPU, or the server of its MPS, does not come up.
            DeviceRefused: there is no driver, no such GPU, or no memory left on it.
        """
        with our_errors():
            memory = cls(_open_device())
            memory._warm_up()
            return memory

    @property
    def l2_bytes(self) -> int:
        """The size of the GPU's L2 cache."""
        with our_errors():
            return int(cupy.cuda.Device().attributes["L2CacheSize"])

    @property
    def free_bytes(self) -> int:
        """Free bytes of GPU memory, after releasing what was closed or dropped here."""
        self._release()
        with our_errors():
            free, _ = cupy.cuda.runtime.memGetInfo()
            return int(free)

    def buffer(self, name: str, size_bytes: int) -> DeviceBuffer:
        """New memory for the array `name`. Raises DeviceRefused when there is none left."""
        with our_errors():
            allocation = self._allocate(BAND_BYTES + size_bytes + BAND_BYTES)
            try:
                return DeviceBuffer(self, allocation, name, size_bytes)
            except BaseException:
                allocation.close()
                raise

    def host_buffer(self, name: str, size_bytes: int) -> MirroredBuffer:
        """New memory for the array `name`, which the sandbox gets in host memory."""
        return MirroredBuffer(self, name, size_bytes)

    def open_set(self, drawn: CaseData) -> Mapping[str, PrivateBytes]:
        """The parts of a drawn set by name, in the memory that the set's maker owns."""
        with our_errors():
            size_bytes = max(1, drawn.size_bytes)
            allocation = Allocation.from_descriptor(
                self._device, drawn.descriptor, size_bytes, writable=False
            )
            self._opened.append(allocation)
            memory = cupy.cuda.UnownedMemory(allocation.pointer, allocation.size_bytes, allocation)
            return {
                part.name: cupy.ndarray(
                    (part.size_bytes,), cupy.uint8, cupy.cuda.MemoryPointer(memory, part.offset)
                )
                for part in drawn.parts
            }

    def close_sets(self) -> None:
        """Unmap what `open_set` mapped, once the stream has done with it."""
        self.synchronize()
        with our_errors():
            while self._opened:
                self._opened.pop().close()

    def compare(
        self,
        argument: Argument,
        shape: tuple[int, ...],
        *,
        got: PrivateBytes,
        expected: PrivateBytes,
        poison: PrivateBytes | None,
    ) -> OutputComparison:
        """Compare an output with what is expected."""
        count = got.nbytes // argument.dtype.itemsize
        wide = 8 if argument.dtype.is_float else argument.dtype.itemsize
        elements = Elements(
            got=pointer_of(got, got.nbytes),
            expected=pointer_of(expected, count * wide),
            poison=0 if poison is None else pointer_of(poison, got.nbytes),
            count=count,
        )
        with our_errors():
            tolerance = argument.tolerance or Tolerance()
            wrong, unwritten, places = self.kernels.compare(argument.dtype, elements, tolerance)
        return read_places(argument, shape, wrong=wrong, unwritten=unwritten, places=places)

    def to_host(self, contents: PrivateBytes) -> npt.NDArray[np.uint8]:
        """Return a copy of `contents` on the host."""
        pointer = pointer_of(contents, contents.nbytes)
        copy = np.empty(contents.nbytes, np.uint8)
        with our_errors():
            kind = cupy.cuda.runtime.memcpyDeviceToHost
            cupy.cuda.runtime.memcpyAsync(copy.ctypes.data, pointer, copy.nbytes, kind, self.stream.ptr)
            self.stream.synchronize()
        return copy

    def synchronize(self) -> None:
        """Wait until all that was asked for is done."""
        with our_errors():
            self.stream.synchronize()
            while self._retired:
                self._retired.pop().close()

    def gate(self) -> DeviceGate:
        """A gate for the calls of one timed session."""
        with our_errors():
            if self._sweep is None:
                self._sweep = self._alike(_SWEEP * self.l2_bytes)
            forget_persisting_lines()
            return DeviceGate(self._device, self.stream, self._sweep)

    def lost(self, *, patience_s: float) -> bool:
        """Whether the GPU is lost, or turns out to be within `patience_s`.

        What works is asked again until then: the news of another client's fault takes its time.
        """
        deadline = time.monotonic() + patience_s
        try:
            while not means_lost(state := self._state()):
                if state == _IDLE:
                    with our_errors():
                        self.kernels.clear_differences()  # something to do, which a dead context refuses
                if time.monotonic() >= deadline:
                    return False
                time.sleep(_NAP_S)
        except (DeviceLost, DeviceRefused):
            pass
        return True

    def rest(self) -> None:
        """Release all memory of a judgement, once the stream has done with it. The context stays open."""
        self.close_sets()
        self._sweep = None
        self._release()

    def close(self) -> None:
        """Scrub and release all memory, for at most one second.

        The driver frees the rest when the process ends.
        """
        with contextlib.suppress(DeviceLost, DeviceRefused):
            if self._idle_within(_CLOSE_S):
                self.close_sets()

    def copy(self, to: int, origin: int, size_bytes: int) -> None:
        """Copy on the device, on the stream."""
        if size_bytes:
            runtime = cupy.cuda.runtime
            runtime.memcpyAsync(to, origin, size_bytes, runtime.memcpyDeviceToDevice, self.stream.ptr)

    def upload(self, to: int, contents: npt.NDArray[np.uint8]) -> None:
        """Copy from the host to the device, and wait until that is done."""
        if contents.nbytes:
            runtime = cupy.cuda.runtime
            origin = contents.ctypes.data
            runtime.memcpyAsync(to, origin, contents.nbytes, runtime.memcpyHostToDevice, self.stream.ptr)
            self.stream.synchronize()

    def fresh(self, size_bytes: int) -> PrivateBytes:
        """Allocate private memory from CuPy's pool, which reuses dropped blocks."""
        with self.stream:
            contents: PrivateBytes = cupy.empty(size_bytes, cupy.uint8)
            return contents

    def clear(self, pointer: int, size_bytes: int) -> None:
        """Fill device memory with zeros, on the stream."""
        cupy.cuda.runtime.memsetAsync(pointer, 0, size_bytes, self.stream.ptr)

    def retire(self, allocation: Allocation) -> None:
        """Scrub `allocation` on the stream; `synchronize` releases it."""
        with contextlib.suppress(DeviceLost, DeviceRefused), our_errors():
            self.clear(allocation.pointer, allocation.size_bytes)
        self._retired.append(allocation)

    def _alike(self, size_bytes: int) -> PrivateBytes:
        contents = self.fresh(size_bytes)
        self.clear(pointer_of(contents, size_bytes), size_bytes)
        return contents

    def _allocate(self, size_bytes: int) -> Allocation:
        try:
            return Allocation.create(self._device, size_bytes)
        except CudaError as error:
            if error.code != Code.OUT_OF_MEMORY:
                raise
        self._release()
        return Allocation.create(self._device, size_bytes)

    def _release(self) -> None:
        self.synchronize()
        with our_errors():
            cupy.get_default_memory_pool().free_all_blocks()

    def _state(self) -> int:
        """Return the stream's status without waiting: _IDLE, busy, or the error that ended it."""
        return int(cupy.cuda.runtime.streamQuery(self.stream.ptr))

    def _idle_within(self, patience_s: float) -> bool:
        deadline = time.monotonic() + patience_s
        while (state := self._state()) != _IDLE:
            if means_lost(state) or time.monotonic() >= deadline:
                return False
            time.sleep(_NAP_S)
        return True

    def _warm_up(self) -> None:
        """Launch every kernel once: CUDA loads them when they are first used."""
        for dtype in Dtype:
            got, expected = self.fresh(8), self.fresh(8)
            for contents, value in ((got, 0), (expected, 1)):
                pointer = pointer_of(contents, 8)
                cupy.cuda.runtime.memsetAsync(pointer, value, 8, self.stream.ptr)
            elements = Elements(pointer_of(got, 8), pointer_of(expected, 8), 0, 1)
            self.kernels.compare(dtype, elements, Tolerance())
        with self.buffer("warm-up", 16) as buffer:
            buffer.holds(buffer.poison())
            buffer.holds(buffer.snapshot())
            buffer.damage()
        self.synchronize()


def _open_device() -> Device:
    deadline = time.monotonic() + _READY_S
    while True:
        try:
            return Device.open()
        except CudaError as error:
            if error.code not in RECOVERING or time.monotonic() >= deadline:
                raise
        time.sleep(_RETRY_S)
