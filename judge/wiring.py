"""Opens the target of a configuration. Only this module imports every backend.

cpu   CUDA C++ in functional mode, Triton in its interpreter; nothing is ranked (`judge.cpu.target`)
gpu   the NVIDIA GPUs of this node, shared through MPS (`judge.gpu.target`)
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

from judge.cpu.doctor import Doctor
from judge.cpu.target import CpuTarget
from judge.gpu.nvidia import NvidiaHardware
from judge.gpu.settings import HOST_IMAGES, NodeSettings
from judge.gpu.target import GpuTarget
from judge.target import Target
from sandbox.backend import Backend, IsolationUnavailable
from sandbox.bubblewrap import Bubblewrap
from sandbox.containers.backend import Containers
from sandbox.containers.images import Images
from sandbox.descriptors import raise_limit


def open_backend(name: str, *, node: NodeSettings) -> Backend:
    """Return the isolation backend `name`: `bubblewrap` or `docker`.

    Raises:
        ValueError: the backend or its images are unknown.
    """
    match name:
        case "bubblewrap":
            return Bubblewrap()
        case "docker":
            return Containers(_images(node), node.container_runtime or None)
    raise ValueError(f"unknown isolation {name!r}; choose bubblewrap or docker")


def open_target(
    name: str,
    *,
    backend: str,
    cache: Path,
    warm: Mapping[str, int],
    node: NodeSettings | None = None,
) -> Target:
    """Open the target `name` (`cpu` or `gpu`) on the isolation `backend` (`bubblewrap` or `docker`).

    `cache` is a directory for compiled artifacts, of programs and of Warpcourt itself. `warm` is the number
    of sandboxes to keep started, by kind: `cuda`, `triton`, `oracle`, and for GPUs `compile`. On GPUs it
    applies to each card. `node` has the settings of a GPU node.

    Raises:
        sandbox.backend.IsolationUnavailable: this host cannot isolate programs. The message has the fix.
        sandbox.toolchain.ToolchainMissing: a tool is missing. The message has the command to install it.
        sandbox.cpu.build.RuntimeBuildFailed: g++ cannot compile the runtime of functional mode.
        ValueError: the target or backend is unknown.
    """
    node = node or NodeSettings()
    raise_limit()
    isolation = open_backend(backend, node=node)
    if name == CpuTarget.name:
        return CpuTarget.open(isolation, cache=cache, warm=warm)
    if name != GpuTarget.name:
        raise ValueError(f"unknown target {name!r}; choose cpu or gpu")
    if backend == "bubblewrap" and not node.host_images:
        raise IsolationUnavailable(
            "bubblewrap uses no images; unset WARPCOURT_IMAGES, or set WARPCOURT_ISOLATION=docker"
        )
    isolation.verify()
    return GpuTarget(
        NvidiaHardware.open(isolation, cache=cache, node=node),
        isolation,
        runtime=node.runtime_of(cache),
        warm=warm,
        slots=node.check_slots,
        secret_pool=node.secret_pool,
        doctor=_doctor(cache) if node.doctor else None,
    )


def _images(node: NodeSettings) -> Images:
    if node.host_images:
        return Images.host()
    prefix, colon, tag = node.images.rpartition(":")
    if not colon or not prefix or not tag:
        raise ValueError(f"images are {HOST_IMAGES} or PREFIX:TAG, not {node.images!r}")
    return Images.tagged(prefix, tag)


def _doctor(cache: Path) -> Doctor | None:
    """Return the doctor for GPUs, or None if this host has no bubblewrap for it."""
    if shutil.which("bwrap") is None:
        return None
    return Doctor(lambda: CpuTarget.open(Bubblewrap(), cache=cache, warm={}))
