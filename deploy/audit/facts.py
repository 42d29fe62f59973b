"""Facts about a GPU host, collected here and checked in `deploy.audit.gpu` and `deploy.audit.containers`."""

import grp
import importlib.metadata
import os
import pwd
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from deploy.audit.docker_api import DockerDaemon, ask_engine
from deploy.audit.host import version_of
from sandbox.gpu import profiler
from sandbox.gpu.nvml import GpuInfo, GpuSample, MemoryErrors, NvmlUnavailable, open_nvml
from sandbox.toolchain import ToolchainMissing, find_toolkit

DEVICES = ("/dev/nvidiactl", "/dev/nvidia-uvm")
_CDI_FOLDERS = ("/etc/cdi", "/var/run/cdi")
_DRIVER_OPTIONS = Path("/proc/driver/nvidia/params")
_MPS_NAME = "nvidia-cuda-mps"


@dataclass(frozen=True, slots=True)
class GpuState:
    """A GPU, its state, and the errors of its memory."""

    info: GpuInfo
    sample: GpuSample
    errors: MemoryErrors = field(default_factory=MemoryErrors)


@dataclass(frozen=True, slots=True)
class Foreign:
    """A process with memory on a GPU that is neither MPS nor ours."""

    pid: int
    name: str
    memory_mib: int | None


@dataclass(frozen=True, slots=True)
class GpuHost:
    """All facts that decide whether a GPU host may judge. The version of a missing program is empty."""

    gpus: tuple[GpuState, ...] = ()
    nvml_trouble: str = ""
    devices: tuple[str, ...] = DEVICES
    toolkit_cuda: tuple[int, ...] = ()
    cupy: str = ""
    mps_program: str = ""
    nsight_compute: str = ""
    counters_for_all: bool = False
    container_toolkit: tuple[int, ...] = ()
    cdi_files: tuple[str, ...] = ()
    cgroup_version: int = 2
    root: bool = True
    in_docker_group: bool = False
    foreign: tuple[Foreign, ...] = ()
    engine: DockerDaemon = field(default_factory=DockerDaemon)


def is_gpu_host() -> bool:
    """Return whether an NVIDIA driver is loaded on this host."""
    return Path(DEVICES[0]).exists()


def gather() -> GpuHost:
    """Collect the facts about this host."""
    gpus, trouble = _gpus()
    return GpuHost(
        gpus=gpus,
        nvml_trouble=trouble,
        devices=tuple(device for device in DEVICES if Path(device).exists()),
        toolkit_cuda=_toolkit_cuda(),
        cupy=_cupy(),
        mps_program=shutil.which("nvidia-cuda-mps-control") or "",
        nsight_compute=_nsight_compute(),
        counters_for_all=_counters_for_all(),
        container_toolkit=version_of("nvidia-ctk", "--version"),
        cdi_files=_cdi_files(),
        cgroup_version=2 if Path("/sys/fs/cgroup/cgroup.controllers").exists() else 1,
        root=os.geteuid() == 0,
        in_docker_group="docker" in _groups(),
        foreign=_foreign(gpus),
        engine=ask_engine(),
    )


def _gpus() -> tuple[tuple[GpuState, ...], str]:
    try:
        nvml = open_nvml()
        return (
            tuple(
                GpuState(info, nvml.sample(info.uuid), nvml.memory_errors(info.uuid)) for info in nvml.gpus()
            ),
            "",
        )
    except NvmlUnavailable as error:
        return (), str(error)


def _toolkit_cuda() -> tuple[int, ...]:
    try:
        return find_toolkit().cuda_version
    except ToolchainMissing:
        return ()


def _nsight_compute() -> str:
    """Return the version of Nsight Compute that is installed on this host."""
    try:
        folder = profiler.installed(find_toolkit().root)
    except ToolchainMissing:
        return ""
    return folder.name if folder else ""


def _counters_for_all() -> bool:
    """Return whether the driver lets every user read hardware counters."""
    try:
        return "RmProfilingAdminOnly: 0" in _DRIVER_OPTIONS.read_text()
    except OSError:
        return False


def _cupy() -> str:
    """Return the version of CuPy, for any of its builds.

    This does not import CuPy, which would take a second.
    """
    for distribution in importlib.metadata.distributions():
        name = str(distribution.metadata["Name"] or "").lower()
        if re.fullmatch(r"cupy(-cuda\d+x)?", name):
            return distribution.version
    return ""


def _cdi_files() -> tuple[str, ...]:
    files = (path for folder in _CDI_FOLDERS for path in sorted(Path(folder).glob("*")))
    return tuple(str(path) for path in files if path.suffix in (".yaml", ".yml", ".json"))


def _groups() -> set[str]:
    """Return the names of the groups of this process and of its user."""
    user = pwd.getpwuid(os.geteuid()).pw_name
    return {
        group.gr_name for group in grp.getgrall() if user in group.gr_mem or group.gr_gid in os.getgroups()
    }


def _foreign(gpus: tuple[GpuState, ...]) -> tuple[Foreign, ...]:
    """Return the processes on the GPUs that do not belong to MPS, this checkout or our containers."""
    here = Path(__file__).resolve().parents[2]
    found = {}
    for gpu in gpus:
        for process in gpu.sample.processes:
            folder = Path("/proc", str(process.pid))
            try:
                name = (folder / "comm").read_text().strip()
                ours = name.startswith(_MPS_NAME) or (folder / "cwd").resolve() == here
            except OSError:
                continue  # the process has ended
            if not ours and not process.mps:  # clients of MPS use a daemon, and all daemons are ours
                found[process.pid] = Foreign(process.pid, name, process.memory_mib)
    return tuple(found.values())
