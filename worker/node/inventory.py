"""What this host has: its name, its GPUs, the versions of its tools."""

import platform
import socket
import tomllib
from collections.abc import Sequence

from sandbox.gpu.nvml import GpuInfo
from sandbox.toolchain import ToolchainMissing, find_toolkit
from web.config import ROOT


def node_name() -> str:
    """What this host is called in the fleet."""
    return socket.gethostname()


def versions(gpus: Sequence[GpuInfo], *, engine: str = "") -> dict[str, str]:
    """The versions of what judges here. `engine` is the container engine's, as it names itself."""
    found = {"warpcourt": _our_version(), "python": platform.python_version(), "kernel": platform.release()}
    if gpus:
        found |= {"driver": gpus[0].driver, "cuda": ".".join(map(str, gpus[0].cuda))}
    if engine:
        found["containers"] = engine
    try:
        found |= find_toolkit().stamp()
    except ToolchainMissing:
        found["nvcc"] = "missing"
    return found


def _our_version() -> str:
    with (ROOT / "pyproject.toml").open("rb") as stream:
        return str(tomllib.load(stream)["project"]["version"])
