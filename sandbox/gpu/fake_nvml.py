"""Simulated GPUs: an `Nvml` for tests and for trying the fleet page without hardware."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sandbox.gpu.nvml import GpuInfo, GpuLost, GpuSample, MemoryErrors, NvmlUnavailable

HEALTHY = GpuSample(
    sm_mhz=1980, memory_mhz=3201, temperature_c=31, power_w=95.0, throttle=(), free_mib=140000, processes=()
)


class FakeNvml:
    """Returns preset values.

    Set `samples` and `errors` by uuid; `lost` and `unavailable` simulate failures.
    """

    def __init__(self, gpus: Iterable[GpuInfo], *, unavailable: str = "") -> None:
        self.infos = list(gpus)
        self.samples: dict[str, GpuSample] = {}
        self.errors: dict[str, MemoryErrors] = {}
        self.lost: set[str] = set()
        self.unavailable = unavailable

    def gpus(self) -> tuple[GpuInfo, ...]:
        """Return the GPUs that were passed to the constructor."""
        if self.unavailable:
            raise NvmlUnavailable(self.unavailable)
        return tuple(self.infos)

    def sample(self, uuid: str) -> GpuSample:
        """Return the preset sample, else a healthy one."""
        self._find(uuid)
        return self.samples.get(uuid, HEALTHY)

    def memory_errors(self, uuid: str) -> MemoryErrors:
        """Return the preset errors, else none."""
        self._find(uuid)
        return self.errors.get(uuid, MemoryErrors(uncorrected=0))

    def are_peers(self, uuid: str, other: str) -> bool:
        """All GPUs are peers."""
        self._find(uuid)
        self._find(other)
        return True

    def _find(self, uuid: str) -> None:
        if uuid in self.lost or uuid not in {info.uuid for info in self.gpus()}:
            raise GpuLost(f"{uuid}: GPU is lost")


def fake_gpu(number: int = 0, **other: Any) -> GpuInfo:
    """Return an H200 with a uuid derived from `number`."""
    plain = GpuInfo(
        uuid=f"GPU-00000000-0000-0000-0000-{number:012d}",
        minor=number,
        model="NVIDIA H200",
        memory_mib=143771,
        driver="580.159.03",
        cuda=(13, 0),
        capability=(9, 0),
        sm_mhz=1980,
        memory_mhz=3201,
        persistence=True,
        ecc=True,
    )
    return replace(plain, **other)
