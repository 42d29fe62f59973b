"""Builds the node service from the settings of the node."""

from collections.abc import Callable
from pathlib import Path

from judge.gpu.settings import NodeSettings
from sandbox.gpu.health import Quarantine
from sandbox.gpu.lease import Leases
from sandbox.gpu.mps import Mps, MpsUnavailable
from sandbox.gpu.nvml import GpuInfo, Nvml, NvmlUnavailable, open_nvml
from worker.node.gpu_health_monitor import GpuHealthMonitor
from worker.node.inventory import calibration, node_name, versions
from worker.node.service import Host, NodeService

CALIBRATION_FOLDER = "calibration"  # in the cache, as `judge.gpu.nvidia` has it


class NoNode(Exception):
    """Raised if a node service has nothing to monitor. The message has the reason."""


def open_service(
    node: NodeSettings,
    cache: Path,
    *,
    reap: Callable[[], int],
    engine: str = "",
    nvml: Nvml | None = None,
) -> NodeService:
    """Return the service of this host, with the same settings and cache as its judges.

    `reap` ends containers of dead workers; `engine` names the container engine and its version.

    Raises:
        NoNode: no GPU is visible, or the runtime directory cannot be used.
    """
    try:
        asked = nvml or open_nvml()
        found = _wanted(asked, node)
        runtime = node.runtime_of(cache)
        for gpu in found:
            _mps(gpu, node, runtime)
    except (NvmlUnavailable, MpsUnavailable, OSError) as error:
        raise NoNode(str(error)) from error
    if not found:
        raise NoNode("the driver sees no GPU that WARPCOURT_GPUS names")
    leases, quarantine = Leases(runtime, slots=node.check_slots), Quarantine(runtime)

    def monitor(gpu: GpuInfo) -> GpuHealthMonitor:
        return GpuHealthMonitor(
            gpu.uuid, nvml=asked, mps=_mps(gpu, node, runtime), leases=leases, quarantine=quarantine
        )

    host = Host(
        node_name(),
        gpus=lambda: _wanted(asked, node),
        versions=lambda gpus: versions(gpus, engine=engine),
        reap=reap,
        calibration=lambda gpu: calibration(gpu, cache / CALIBRATION_FOLDER),
    )
    return NodeService(host, runtime, monitor)


def _wanted(nvml: Nvml, node: NodeSettings) -> tuple[GpuInfo, ...]:
    return tuple(gpu for gpu in nvml.gpus() if not node.gpus or gpu.uuid in node.gpus)


def _mps(gpu: GpuInfo, node: NodeSettings, runtime: Path) -> Mps | None:
    """Return the MPS of a GPU with the same settings as the judges, because the starter sets the limits."""
    if not node.mps:
        return None
    return Mps(gpu.uuid, gpu.minor, runtime, client_memory_mib=node.shares(gpu.memory_mib).client_mib)
