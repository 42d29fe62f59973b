"""GPU memory that the referee shares with a sandbox, and the referee's checks of this memory.

Theory of operation. Every buffer is a separate device memory allocation that is shared as a file descriptor
(`sandbox.runner.vmm`). Its layout is that of a host buffer: a guard band, the payload, and a guard band up to
the end of the allocation. The sandbox has full access to this memory and to no other memory of the referee.
Guard bands and poison are random bytes generated from 128 secret bits. The bands are checked against these
bits, so the referee stores no copy of the bands. All work of the referee runs on the device, on a stream of
its own that does not wait for other streams. Only the runner says when its work is done, so the referee never
relies on the order of its own and the runner's work.

Footprint: an input occupies its size. An output occupies three times its size (itself, its poison, its
snapshot), plus half a byte per thousand for the comparison. Every buffer also has guard bands of 128 KiB and
is rounded up to 2 MiB.

Closing a buffer only queues its scrubbing on the stream. A later `synchronize` releases it after that. So
closing never waits, even if a kernel of the sandbox hangs on the device.
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
from judge.gpu.device.stream import RefereeStream
from judge.runner.comparison import OutputComparison
from judge.runner.memory import DeviceLost, DeviceRefused, PrivateBytes
from problems.schema import Argument, Tolerance
from problems.vocabulary import Dtype
from sandbox.runner.vmm import Allocation, Code, CudaError, Device

_READY_S = 3.0  # for an MPS server to recover from a fault
_RETRY_S = 0.05
_CLOSE_S = 1.0
_SWEEP = 3  # times the L2 cache; it does not strictly replace the oldest lines, so once is not enough
_NAP_S = 0.001
_IDLE = 0


class DeviceMemory:
    """Implements `judge.runner.memory.Memory` on the first GPU of CUDA_VISIBLE_DEVICES. Not thread-safe.

    Contents are CuPy arrays of uint8.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self.stream = RefereeStream()
        self.kernels = Kernels(self.stream)
        self._sweep: PrivateBytes | None = None
        self._gate: DeviceGate | None = None
        self._retired: list[Allocation] = []
        self._opened: list[Allocation] = []

    @classmethod
    def open(cls) -> Self:
        """Open the GPU, and load everything that the first comparison needs.

        Raises:
            DeviceLost: the GPU or its MPS server does not start.
            DeviceRefused: the driver or the GPU is missing, or the GPU has no free memory.
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
        """Return the free bytes of GPU memory, after releasing memory that was closed or dropped here."""
        self._release()
        with our_errors():
            free, _ = cupy.cuda.runtime.memGetInfo()
            return int(free)

    def buffer(self, name: str, size_bytes: int) -> DeviceBuffer:
        """Allocate memory for the array `name`. Raises DeviceRefused if the GPU has no free memory."""
        with our_errors():
            allocation = self._allocate(BAND_BYTES + size_bytes + BAND_BYTES)
            try:
                return DeviceBuffer(self, allocation, name, size_bytes)
            except BaseException:
                allocation.close()
                raise

    def host_buffer(self, name: str, size_bytes: int) -> MirroredBuffer:
        """Allocate host memory for the array `name`, to share with the sandbox."""
        return MirroredBuffer(self, name, size_bytes)

    def open_set(self, drawn: CaseData) -> Mapping[str, PrivateBytes]:
        """Map a drawn set and return its parts by name. The creator of the set owns the memory."""
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
        """Unmap the sets of `open_set`, after the stream has finished with them."""
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
        """Compare an output with its expected values."""
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
        """Wait until all queued work is done, and release closed buffers."""
        with our_errors():
            self.stream.synchronize()
            while self._retired:
                self._retired.pop().close()

    def gate(self) -> DeviceGate:
        """Return a gate for the calls of one timed session."""
        with our_errors():
            if self._sweep is None:
                self._sweep = self._alike(_SWEEP * self.l2_bytes)
            forget_persisting_lines()
            self._gate = DeviceGate(self._device, self.stream, self._sweep)
            return self._gate

    def lost(self, *, patience_s: float) -> bool:
        """Return whether the GPU is lost now or becomes lost within `patience_s`.

        A GPU that works is tested until then, because a fault of another MPS client takes time to arrive.
        """
        deadline = time.monotonic() + patience_s
        try:
            while not means_lost(state := self._state()):
                if state == _IDLE:
                    with our_errors():
                        self.kernels.clear_differences()  # any work, because a dead context refuses it
                if time.monotonic() >= deadline:
                    return False
                time.sleep(_NAP_S)
        except (DeviceLost, DeviceRefused):
            pass
        return True

    def rest(self) -> None:
        """Release all memory of a judgement, after the stream has finished. The context stays open.

        The sandbox must have ended.

        Raises:
            DeviceLost: the stream does not finish within one second.
        """
        if not self._idle_within(_CLOSE_S):
            raise DeviceLost("the referee's stream was still busy one second after the sandbox had ended")
        self.close_sets()
        self._gate = self._sweep = None
        self._release()

    def close(self) -> None:
        """Scrub and release all memory. The sandbox must have ended. Takes at most one second.

        The driver frees the rest when the process ends.
        """
        with contextlib.suppress(DeviceLost, DeviceRefused):
            if self._idle_within(_CLOSE_S):
                self.close_sets()

    def copy(self, to: int, origin: int, size_bytes: int) -> None:
        """Queue a copy within the device on the stream."""
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
        """Queue filling device memory with zeros on the stream."""
        cupy.cuda.runtime.memsetAsync(pointer, 0, size_bytes, self.stream.ptr)

    def retire(self, allocation: Allocation) -> None:
        """Queue scrubbing `allocation` on the stream. `synchronize` releases it."""
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
        """Return whether the stream finishes in time. Releases what still waits for a call that timed out."""
        deadline = time.monotonic() + patience_s
        while (state := self._state()) != _IDLE:
            if means_lost(state) or time.monotonic() >= deadline:
                return False
            if self._gate is not None:
                self._gate.give_up()
            time.sleep(_NAP_S)
        return True

    def _warm_up(self) -> None:
        """Launch every kernel once, because CUDA loads a kernel at its first launch."""
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
