"""Device memory that processes share as file descriptors: CUDA's virtual memory management.

Theory of operation. `Allocation.create` allocates device memory and maps it. `export` returns a descriptor of
this memory, which can be sent over a Unix socket. It is an unforgeable permission to map this memory and no
other. `Allocation.from_descriptor` maps the memory in the receiving process. The memory exists until all
allocations and descriptors are closed. Importing does not return the size, and the driver maps only whole
allocations, so the size must be sent with the descriptor.

The module uses the primary context of the first visible device, as CuPy and PyTorch do. It only needs the
standard library and the driver's `libcuda.so.1`. Python runners import it inside sandboxes, the referee and
the secret pool outside.
"""

import contextlib
import ctypes
import functools
from collections.abc import Iterator
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_ubyte, c_uint, c_uint64, c_void_p
from enum import IntEnum
from types import TracebackType
from typing import Self

_LIBRARY = "libcuda.so.1"
_PINNED = 1  # CU_MEM_ALLOCATION_TYPE_PINNED
_ON_DEVICE = 1  # CU_MEM_LOCATION_TYPE_DEVICE
_AS_DESCRIPTOR = 1  # CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
_MINIMUM = 0  # CU_MEM_ALLOC_GRANULARITY_MINIMUM
_AT_LEAST = 0  # CU_STREAM_WAIT_VALUE_GEQ
_AFTER_OTHER_WRITES = 0  # CU_STREAM_WRITE_VALUE_DEFAULT
_READ, _READ_WRITE = 1, 3  # CU_MEM_ACCESS_FLAGS_PROT_*


class Code(IntEnum):
    """Those values of CUresult that decide something here. Source: cuda.h, CUresult."""

    SUCCESS = 0
    INVALID_VALUE = 1
    OUT_OF_MEMORY = 2
    NOT_INITIALIZED = 3
    DEINITIALIZED = 4
    DEVICE_UNAVAILABLE = 46
    NO_DEVICE = 100
    INVALID_CONTEXT = 201
    ECC_UNCORRECTABLE = 214
    INVALID_PTX = 218
    NVLINK_UNCORRECTABLE = 220
    CONTAINED = 226
    ILLEGAL_ADDRESS = 700
    LAUNCH_OUT_OF_RESOURCES = 701
    LAUNCH_TIMEOUT = 702
    CONTEXT_IS_DESTROYED = 709
    ASSERT = 710
    HARDWARE_STACK_ERROR = 714
    ILLEGAL_INSTRUCTION = 715
    MISALIGNED_ADDRESS = 716
    INVALID_ADDRESS_SPACE = 717
    INVALID_PC = 718
    LAUNCH_FAILED = 719
    COOPERATIVE_LAUNCH_TOO_LARGE = 720
    TENSOR_MEMORY_LEAK = 721
    NOT_SUPPORTED = 801
    MPS_CONNECTION_FAILED = 805
    MPS_RPC_FAILURE = 806
    MPS_SERVER_NOT_READY = 807
    MPS_MAX_CLIENTS_REACHED = 808
    MPS_MAX_CONNECTIONS_REACHED = 809
    MPS_CLIENT_TERMINATED = 810
    UNKNOWN = 999


# After one of these nothing works in the context any more; only a new process helps.
CONTEXT_LOST = frozenset(
    {
        *(Code.DEINITIALIZED, Code.DEVICE_UNAVAILABLE, Code.INVALID_CONTEXT, Code.ECC_UNCORRECTABLE),
        *(Code.NVLINK_UNCORRECTABLE, Code.CONTAINED, Code.ILLEGAL_ADDRESS, Code.LAUNCH_TIMEOUT),
        *(Code.CONTEXT_IS_DESTROYED, Code.ASSERT, Code.HARDWARE_STACK_ERROR, Code.ILLEGAL_INSTRUCTION),
        *(Code.MISALIGNED_ADDRESS, Code.INVALID_ADDRESS_SPACE, Code.INVALID_PC, Code.LAUNCH_FAILED),
        *(Code.TENSOR_MEMORY_LEAK, Code.MPS_RPC_FAILURE, Code.MPS_CLIENT_TERMINATED, Code.UNKNOWN),
    }
)
_IMPORT = "cuMemImportFromShareableHandle"


class DriverMissing(Exception):
    """Raised when there is no NVIDIA driver to load. The message has the loader's words."""


class CudaError(Exception):
    """Raised when the driver refuses a call: `code` with its `name` and `text`, and the `call`."""

    def __init__(self, code: int, name: str, text: str, call: str) -> None:
        super().__init__(f"{call}: {name} ({code}): {text}")
        self.code = code
        self.name = name
        self.text = text
        self.call = call

    @property
    def context_lost(self) -> bool:
        """Whether the context of this process is unusable from now on."""
        if self.call == _IMPORT and self.code == Code.UNKNOWN:
            return False  # the descriptor is of no memory
        return self.code in CONTEXT_LOST


class _Location(ctypes.Structure):
    _fields_ = (("type", c_int), ("id", c_int))


class _Properties(ctypes.Structure):
    _fields_ = (
        ("type", c_int),
        ("handle_types", c_int),
        ("location", _Location),
        ("win32_metadata", c_void_p),
        ("flags", c_ubyte * 8),
    )


class _Access(ctypes.Structure):
    _fields_ = (("location", _Location), ("flags", c_int))


_SIGNATURES: dict[str, tuple[object, ...]] = {
    "cuInit": (c_uint,),
    "cuDeviceGet": (POINTER(c_int), c_int),
    "cuDevicePrimaryCtxRetain": (POINTER(c_void_p), c_int),
    "cuDevicePrimaryCtxRelease_v2": (c_int,),
    "cuCtxSetCurrent": (c_void_p,),
    "cuCtxSynchronize": (),
    "cuGetErrorName": (c_int, POINTER(c_char_p)),
    "cuGetErrorString": (c_int, POINTER(c_char_p)),
    "cuMemGetAllocationGranularity": (POINTER(c_size_t), POINTER(_Properties), c_int),
    "cuMemCreate": (POINTER(c_uint64), c_size_t, POINTER(_Properties), c_uint64),
    "cuMemExportToShareableHandle": (POINTER(c_int), c_uint64, c_int, c_uint64),
    _IMPORT: (POINTER(c_uint64), c_void_p, c_int),
    "cuMemAddressReserve": (POINTER(c_uint64), c_size_t, c_size_t, c_uint64, c_uint64),
    "cuMemAddressFree": (c_uint64, c_size_t),
    "cuMemMap": (c_uint64, c_size_t, c_size_t, c_uint64, c_uint64),
    "cuMemUnmap": (c_uint64, c_size_t),
    "cuMemSetAccess": (c_uint64, c_size_t, POINTER(_Access), c_size_t),
    "cuMemRelease": (c_uint64,),
    "cuMemcpyHtoD_v2": (c_uint64, c_void_p, c_size_t),
    "cuMemcpyDtoH_v2": (c_void_p, c_uint64, c_size_t),
    "cuMemsetD8_v2": (c_uint64, c_ubyte, c_size_t),
    "cuStreamWaitValue64_v2": (c_void_p, c_uint64, c_uint64, c_uint),
    "cuStreamWriteValue64_v2": (c_void_p, c_uint64, c_uint64, c_uint),
}


@functools.cache
def _driver() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(_LIBRARY)
    except OSError as problem:
        raise DriverMissing(f"the NVIDIA driver's {_LIBRARY} cannot be loaded: {problem}") from problem
    for name, arguments in _SIGNATURES.items():
        function = getattr(library, name)
        function.argtypes = arguments
        function.restype = c_int
    return library


def _call(name: str, *arguments: object) -> None:
    """Call the driver's function `name`. Raises CudaError unless it succeeds."""
    code = int(getattr(_driver(), name)(*arguments))
    if code != Code.SUCCESS:
        raise CudaError(code, _words("cuGetErrorName", code), _words("cuGetErrorString", code), name)


def _words(function: str, code: int) -> str:
    words = c_char_p()
    getattr(_driver(), function)(code, ctypes.byref(words))
    return words.value.decode("utf-8", "replace") if words.value else "unknown"


def wait_for_value(stream: int, pointer: int, value: int) -> None:
    """Have `stream` wait until the 64 bits at `pointer` hold at least `value`."""
    _call("cuStreamWaitValue64_v2", stream, pointer, value, _AT_LEAST)


def write_value(stream: int, pointer: int, value: int) -> None:
    """Have `stream` write `value` to the 64 bits at `pointer`, without using a multiprocessor."""
    _call("cuStreamWriteValue64_v2", stream, pointer, value, _AFTER_OTHER_WRITES)


class Device:
    """The primary context of a visible device, current in the thread that opened it. Close it.

    Other threads call `make_current` first.
    """

    def __init__(self, number: int, context: c_void_p) -> None:
        self._number = number
        self._context = context
        size = c_size_t()
        properties = self.memory_properties()
        _call("cuMemGetAllocationGranularity", ctypes.byref(size), ctypes.byref(properties), _MINIMUM)
        self.granularity_bytes = size.value

    @classmethod
    def open(cls, index: int = 0) -> Self:
        """Open visible device `index` (the driver honours CUDA_VISIBLE_DEVICES).

        Raises:
            DriverMissing: the driver is not installed.
            CudaError: the device does not exist or is unusable.
        """
        number, context = c_int(), c_void_p()
        _call("cuInit", 0)
        _call("cuDeviceGet", ctypes.byref(number), index)
        _call("cuDevicePrimaryCtxRetain", ctypes.byref(context), number)
        _call("cuCtxSetCurrent", context)
        return cls(number.value, context)

    def make_current(self) -> None:
        """Use this device's context in the calling thread."""
        _call("cuCtxSetCurrent", self._context)

    def synchronize(self) -> None:
        """Wait for the device. Raises CudaError for whatever failed on it since."""
        _call("cuCtxSynchronize")

    def whole(self, size_bytes: int) -> int:
        """`size_bytes` rounded up to what can be allocated, at least one unit."""
        return max(1, -(-size_bytes // self.granularity_bytes)) * self.granularity_bytes

    def close(self) -> None:
        """Let go of the context. Allocations must be closed by then."""
        with _unless_lost():
            _call("cuDevicePrimaryCtxRelease_v2", self._number)

    def memory_properties(self) -> _Properties:
        """Allocation properties: memory on this device, exportable as a descriptor."""
        return _Properties(_PINNED, _AS_DESCRIPTOR, _Location(_ON_DEVICE, self._number))

    def access(self, *, writable: bool) -> _Access:
        """The permission of this device to use mapped memory."""
        return _Access(_Location(_ON_DEVICE, self._number), _READ_WRITE if writable else _READ)


class Allocation:
    """Device memory, mapped at `pointer` for `size_bytes`, which is a multiple of the granularity.

    Nothing may use the memory any more when it is closed: synchronise first.
    """

    def __init__(self, device: Device, handle: c_uint64, size_bytes: int, *, writable: bool) -> None:
        """Own `handle` and map it. For `create` and `from_descriptor`."""
        self.size_bytes = size_bytes
        self.pointer = 0
        self._handle: c_uint64 | None = handle
        self._mapped = False
        try:
            address = c_uint64()
            _call("cuMemAddressReserve", ctypes.byref(address), size_bytes, 0, 0, 0)
            self.pointer = address.value
            _call("cuMemMap", self.pointer, size_bytes, 0, handle, 0)
            self._mapped = True
            access = device.access(writable=writable)
            _call("cuMemSetAccess", self.pointer, size_bytes, ctypes.byref(access), 1)
        except CudaError:
            self.close()
            raise

    @classmethod
    def create(cls, device: Device, size_bytes: int) -> Self:
        """New memory of at least `size_bytes`. Raises CudaError, OUT_OF_MEMORY among others."""
        whole = device.whole(size_bytes)
        handle = c_uint64()
        properties = device.memory_properties()
        _call("cuMemCreate", ctypes.byref(handle), whole, ctypes.byref(properties), 0)
        return cls(device, handle, whole, writable=True)

    @classmethod
    def from_descriptor(
        cls, device: Device, descriptor: int, size_bytes: int, *, writable: bool = True
    ) -> Self:
        """Map the memory behind `descriptor`, which stays open and owned by the caller.

        `size_bytes` is the size it was created with, rounded up or not; any other is refused.
        `writable=False` guards only against our own mistakes: any holder of the descriptor can map it
        writable. Raises CudaError.
        """
        handle = c_uint64()
        _call(_IMPORT, ctypes.byref(handle), descriptor, _AS_DESCRIPTOR)
        return cls(device, handle, device.whole(size_bytes), writable=writable)

    def export(self) -> int:
        """A new descriptor of this memory, for `socket.send_fds`. The caller closes it."""
        descriptor = c_int(-1)
        _call("cuMemExportToShareableHandle", ctypes.byref(descriptor), self._handle, _AS_DESCRIPTOR, 0)
        return descriptor.value

    def write(self, content: bytes, offset: int = 0) -> None:
        """Copy `content` from the host to `offset`, and wait."""
        _call("cuMemcpyHtoD_v2", self._at(offset, len(content)), content, len(content))

    def read(self, count: int, offset: int = 0) -> bytes:
        """Copy `count` bytes at `offset` to the host."""
        content = ctypes.create_string_buffer(count)
        _call("cuMemcpyDtoH_v2", content, self._at(offset, count), count)
        return content.raw

    def scrub(self) -> None:
        """Set every byte to 0. Synchronise before others may look."""
        _call("cuMemsetD8_v2", self.pointer, 0, self.size_bytes)

    def close(self) -> None:
        """Unmap and release it; safe to call again.

        A lost context is not an error, because it holds nothing.
        """
        handle, self._handle = self._handle, None
        pointer, self.pointer = self.pointer, 0
        with _unless_lost():
            if self._mapped:
                self._mapped = False
                _call("cuMemUnmap", pointer, self.size_bytes)
            if pointer:
                _call("cuMemAddressFree", pointer, self.size_bytes)
            if handle is not None:
                _call("cuMemRelease", handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _at(self, offset: int, count: int) -> int:
        if offset < 0 or offset + count > self.size_bytes:
            raise ValueError(f"bytes {offset} to {offset + count} of {self.size_bytes}")
        return self.pointer + offset


@contextlib.contextmanager
def _unless_lost() -> Iterator[None]:
    try:
        yield
    except CudaError as error:
        if not error.context_lost:
            raise
