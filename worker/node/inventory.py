"""Inventory of this host: its name, tool versions and GPU calibration."""

import os
import platform
import socket
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings

from judge.clock.calibration import load
from sandbox.gpu.nvml import GpuInfo
from sandbox.toolchain import ToolchainMissing, find_toolkit
from web.site.version import version


def node_name() -> str:
    """Return this host's name in the fleet."""
    return settings.WARPCOURT.node_name or socket.gethostname()


def process_name() -> str:
    """Return this process's name in jobs and in the fleet."""
    return f"{socket.gethostname()}:{os.getpid()}"


def versions(gpus: Sequence[GpuInfo], *, engine: str = "") -> dict[str, str]:
    """Return the versions of the judging software. `engine` is the container engine's own name for itself."""
    found = {"warpcourt": version(), "python": platform.python_version(), "kernel": platform.release()}
    if gpus:
        found |= {"driver": gpus[0].driver, "cuda": ".".join(map(str, gpus[0].cuda))}
    if engine:
        found["containers"] = engine
    try:
        found |= find_toolkit().stamp()
    except ToolchainMissing:
        found["nvcc"] = "missing"
    return found


def calibration(gpu: GpuInfo, directory: Path) -> dict[str, float]:
    """Return the measured rates of a GPU for display; empty until a judge has measured them."""
    found = load(directory, gpu_uuid=gpu.uuid, driver=gpu.driver)
    if found is None:
        return {}
    rates = {
        f"{dtype}_tflop_per_s": round(rate / 1e12, 1)
        for dtype, rate in sorted(found.operations_per_s.items())
    }
    return {"memory_gb_per_s": round(found.bytes_per_s / 1e9, 1), **rates, "l2_mib": found.l2_bytes >> 20}
