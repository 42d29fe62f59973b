"""Typed access to NVIDIA's management library (NVML) for this host's GPUs.

`gpus` and `sample` ask the driver through nvidia-ml-py, which makes no CUDA context. Values that a GPU does
not report are None. Code that watches GPUs takes an `Nvml`, so that tests can pass a `FakeNvml` from
`sandbox.gpu.fake_nvml`.
"""

import functools
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, TypeVar

_MIB = 1 << 20
_MILLIWATT = 1e-3
_INSTALL = "install it with: .venv/bin/pip install --require-hashes --no-deps -r deploy/requirements/gpu.txt"

_T = TypeVar("_T")


class NvmlUnavailable(Exception):
    """Raised if NVML is unavailable: no driver, no library, no GPU. The message has the fix."""


class GpuLost(NvmlUnavailable):
    """Raised if a GPU has fallen off the bus, needs a reset or does not exist any more."""


class Throttle(StrEnum):
    """Why clocks are lower than they could be, in the order of nvmlClocksEventReasons (nvml.h)."""

    IDLE = "idle"
    APPLICATION_CLOCKS = "application clocks"
    POWER_CAP = "power cap"
    HARDWARE_SLOWDOWN = "hardware slowdown"
    SYNC_BOOST = "sync boost"
    SOFTWARE_THERMAL = "software thermal slowdown"
    HARDWARE_THERMAL = "hardware thermal slowdown"
    POWER_BRAKE = "power brake"
    DISPLAY_CLOCKS = "display clocks"


class ComputeMode(StrEnum):
    """Compute mode: which processes may create CUDA contexts. MPS works in the first two."""

    DEFAULT = "default"
    EXCLUSIVE_PROCESS = "exclusive process"
    PROHIBITED = "prohibited"
    UNKNOWN = "unknown"


_COMPUTE_MODES: dict[int | None, ComputeMode] = {
    0: ComputeMode.DEFAULT,
    3: ComputeMode.EXCLUSIVE_PROCESS,
    2: ComputeMode.PROHIBITED,
}


@dataclass(frozen=True, slots=True)
class GpuInfo:
    """A GPU of this host. `capability` is the CUDA compute capability; clocks are the highest ones."""

    uuid: str
    minor: int
    model: str
    memory_mib: int
    driver: str
    cuda: tuple[int, int]
    capability: tuple[int, int]
    sm_mhz: int | None = None
    memory_mhz: int | None = None
    compute_mode: ComputeMode = ComputeMode.DEFAULT
    persistence: bool | None = None
    ecc: bool | None = None
    mig: bool = False

    @property
    def architecture(self) -> str:
        """As nvcc calls it: `sm_90`."""
        return f"sm_{self.capability[0]}{self.capability[1]}"


@dataclass(frozen=True, slots=True)
class GpuProcess:
    """A process with memory on a GPU, by its id on the host. `mps` tells the clients of an MPS server."""

    pid: int
    memory_mib: int | None
    mps: bool = False


@dataclass(frozen=True, slots=True)
class GpuSample:
    """The state of a GPU at a moment."""

    sm_mhz: int | None
    memory_mhz: int | None
    temperature_c: int | None
    power_w: float | None
    throttle: tuple[Throttle, ...]
    free_mib: int
    processes: tuple[GpuProcess, ...]


@dataclass(frozen=True, slots=True)
class MemoryErrors:
    """Memory errors of a GPU. None where the GPU does not count them.

    `uncorrected` counts since the driver was loaded. `remap_pending` and `retire_pending` mean that the GPU
    needs a reset. `remap_failed` means that it has no spare rows left and must be replaced.
    """

    uncorrected: int | None = None
    remap_pending: bool = False
    remap_failed: bool = False
    retire_pending: bool = False


class Nvml(Protocol):
    """Queries about GPUs. All methods raise NvmlUnavailable, or GpuLost for a failed GPU."""

    def gpus(self) -> tuple[GpuInfo, ...]:
        """The GPUs of this host, in the driver's order."""

    def sample(self, uuid: str) -> GpuSample:
        """The state of a GPU now."""

    def memory_errors(self, uuid: str) -> MemoryErrors:
        """Return the memory errors of the GPU `uuid`."""

    def are_peers(self, uuid: str, other: str) -> bool:
        """Whether each of the two GPUs can read and write the memory of the other one."""


def gpus() -> tuple[GpuInfo, ...]:
    """The GPUs of this host. Raises NvmlUnavailable."""
    return open_nvml().gpus()


def sample(uuid: str) -> GpuSample:
    """The state of a GPU now, in about a millisecond. Raises NvmlUnavailable or GpuLost."""
    return open_nvml().sample(uuid)


def open_nvml() -> Nvml:
    """The driver's NVML, opened once per process. Raises NvmlUnavailable."""
    return _open_in(os.getpid())


# Reads and writes. Source: nvmlGpuP2PCapsIndex_t of nvml.h; nvidia-ml-py defines both as tuples.
_P2P_CAPABILITIES = (0, 1)


@functools.lru_cache(maxsize=1)
def _open_in(_pid: int) -> Nvml:
    """NVML holds open devices, which a forked child must not share: hence once per process id."""
    try:
        import pynvml  # noqa: PLC0415 - on GPU hosts only
    except ImportError as error:
        raise NvmlUnavailable(f"nvidia-ml-py is not installed; {_INSTALL}") from error
    return DriverNvml(pynvml)


class DriverNvml:
    """NVML through nvidia-ml-py, whose module is `library`. Implements `Nvml`."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self._handles: dict[str, Any] = {}
        self._ask(library.nvmlInit)

    def gpus(self) -> tuple[GpuInfo, ...]:
        """The GPUs of this host, in the driver's order."""
        ask, library = self._ask, self._library
        driver = str(ask(library.nvmlSystemGetDriverVersion))
        cuda = ask(library.nvmlSystemGetCudaDriverVersion_v2)
        version = (cuda // 1000, cuda % 1000 // 10)
        handles = [ask(library.nvmlDeviceGetHandleByIndex, n) for n in range(ask(library.nvmlDeviceGetCount))]
        return tuple(self._info(handle, driver, version) for handle in handles)

    def _info(self, handle: Any, driver: str, cuda: tuple[int, int]) -> GpuInfo:
        ask, maybe, library = self._ask, self._maybe, self._library
        major, minor = ask(library.nvmlDeviceGetCudaComputeCapability, handle)
        mode = maybe(library.nvmlDeviceGetComputeMode, handle)
        return GpuInfo(
            uuid=str(ask(library.nvmlDeviceGetUUID, handle)),
            minor=int(ask(library.nvmlDeviceGetMinorNumber, handle)),
            model=str(ask(library.nvmlDeviceGetName, handle)),
            memory_mib=ask(library.nvmlDeviceGetMemoryInfo, handle).total // _MIB,
            driver=driver,
            cuda=cuda,
            capability=(int(major), int(minor)),
            sm_mhz=maybe(library.nvmlDeviceGetMaxClockInfo, handle, library.NVML_CLOCK_SM),
            memory_mhz=maybe(library.nvmlDeviceGetMaxClockInfo, handle, library.NVML_CLOCK_MEM),
            compute_mode=_COMPUTE_MODES.get(mode, ComputeMode.UNKNOWN),
            persistence=_true(maybe(library.nvmlDeviceGetPersistenceMode, handle)),
            ecc=_true(_first(maybe(library.nvmlDeviceGetEccMode, handle))),
            mig=bool(_first(maybe(library.nvmlDeviceGetMigMode, handle))),
        )

    def sample(self, uuid: str) -> GpuSample:
        """The state of a GPU now."""
        handle, maybe, library = self._handle(uuid), self._maybe, self._library
        power_mw = maybe(library.nvmlDeviceGetPowerUsage, handle)
        return GpuSample(
            sm_mhz=maybe(library.nvmlDeviceGetClockInfo, handle, library.NVML_CLOCK_SM),
            memory_mhz=maybe(library.nvmlDeviceGetClockInfo, handle, library.NVML_CLOCK_MEM),
            temperature_c=maybe(library.nvmlDeviceGetTemperature, handle, library.NVML_TEMPERATURE_GPU),
            power_w=None if power_mw is None else power_mw * _MILLIWATT,
            throttle=decode_throttle(maybe(library.nvmlDeviceGetCurrentClocksEventReasons, handle) or 0),
            free_mib=self._ask(library.nvmlDeviceGetMemoryInfo, handle).free // _MIB,
            processes=self._processes(handle),
        )

    def _processes(self, handle: Any) -> tuple[GpuProcess, ...]:
        library = self._library
        found = {}
        for ask, mps in (
            (library.nvmlDeviceGetComputeRunningProcesses, False),
            (library.nvmlDeviceGetMPSComputeRunningProcesses, True),
        ):
            for entry in self._maybe(ask, handle) or ():
                memory = entry.usedGpuMemory
                found[entry.pid] = GpuProcess(entry.pid, None if memory is None else memory // _MIB, mps)
        return tuple(found[pid] for pid in sorted(found))

    def memory_errors(self, uuid: str) -> MemoryErrors:
        """Return the memory errors of the GPU `uuid`."""
        handle, maybe, library = self._handle(uuid), self._maybe, self._library
        _, _, pending, failed = maybe(library.nvmlDeviceGetRemappedRows, handle) or (0, 0, 0, 0)
        return MemoryErrors(
            uncorrected=maybe(
                library.nvmlDeviceGetTotalEccErrors,
                handle,
                library.NVML_MEMORY_ERROR_TYPE_UNCORRECTED,
                library.NVML_VOLATILE_ECC,
            ),
            remap_pending=bool(pending),
            remap_failed=bool(failed),
            retire_pending=bool(maybe(library.nvmlDeviceGetRetiredPagesPendingStatus, handle)),
        )

    def are_peers(self, uuid: str, other: str) -> bool:
        """Whether each of the two GPUs can read and write the memory of the other one."""
        library = self._library
        pairs = ((uuid, other), (other, uuid))
        return all(
            self._maybe(library.nvmlDeviceGetP2PStatus, self._handle(one), self._handle(two), kind)
            == library.NVML_P2P_STATUS_OK
            for one, two in pairs
            for kind in _P2P_CAPABILITIES
        )

    def _handle(self, uuid: str) -> Any:
        if uuid not in self._handles:
            self._handles[uuid] = self._ask(self._library.nvmlDeviceGetHandleByUUID, uuid)
        return self._handles[uuid]

    def _ask(self, function: Callable[..., _T], *arguments: Any) -> _T:
        try:
            return function(*arguments)
        except self._library.NVMLError as error:
            name = getattr(function, "__name__", "NVML")
            raise self._explain(error, name) from error

    def _maybe(self, function: Callable[..., _T], *arguments: Any) -> _T | None:
        """Return the result of an NVML call; None if GPU, driver or permissions do not allow it."""
        library = self._library
        try:
            return function(*arguments)
        except library.NVMLError as error:
            if error.value in (
                library.NVML_ERROR_NOT_SUPPORTED,
                library.NVML_ERROR_NO_PERMISSION,
                library.NVML_ERROR_FUNCTION_NOT_FOUND,
                library.NVML_ERROR_NO_DATA,
            ):
                return None
            raise self._explain(error, getattr(function, "__name__", "NVML")) from error

    def _explain(self, error: Any, what: str) -> NvmlUnavailable:
        library = self._library
        if error.value in (
            library.NVML_ERROR_GPU_IS_LOST,
            library.NVML_ERROR_RESET_REQUIRED,
            library.NVML_ERROR_NOT_FOUND,
            library.NVML_ERROR_UNKNOWN,
        ):
            return GpuLost(f"{what}: {error}; look for Xid in the kernel log, then reset the GPU or the host")
        if error.value in (library.NVML_ERROR_LIBRARY_NOT_FOUND, library.NVML_ERROR_DRIVER_NOT_LOADED):
            return NvmlUnavailable(f"{error}: no NVIDIA driver here; install one, or judge with target cpu")
        if error.value == library.NVML_ERROR_LIB_RM_VERSION_MISMATCH:
            return NvmlUnavailable(f"{error}: the driver was updated while loaded; reboot the host")
        return NvmlUnavailable(f"{what}: {error}")


def decode_throttle(bits: int) -> tuple[Throttle, ...]:
    """The reasons in NVML's bit mask, lowest bit first."""
    return tuple(reason for bit, reason in enumerate(Throttle) if bits >> bit & 1)


def _true(value: int | None) -> bool | None:
    return None if value is None else bool(value)


def _first(pair: Iterable[int] | None) -> int | None:
    """The current value of a (current, pending) pair."""
    return None if pair is None else next(iter(pair))
