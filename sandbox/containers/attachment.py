"""Attaches one GPU to a container.

Three ways, the first that this engine and host offer:

1. CDI, where the engine reads a specification that names the GPU: the vendor says what a GPU needs.
2. A device request (`docker run --gpus`), where the engine has NVIDIA's runtime.
3. By hand: the device files of this GPU and the shared ones, and the driver's libraries, read-only.

Only the last works in host mode, whose image has no files that a hook could change, and needs nothing
installed. In every way the container sees one GPU. Under MPS it sees its daemon's control socket alone, and
nothing else of the pipe directory; without MPS it is told of a directory that does not exist, so that it
cannot reach a daemon by accident.
"""

import functools
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.backend import IsolationUnavailable
from sandbox.containers.engine import Facts
from sandbox.spec import Bind, SandboxGpu

LIBRARY_FOLDER = "/.warpcourt/driver"
MPS_FOLDER = "/.warpcourt/mps"
NO_MPS_FOLDER = "/.warpcourt/no-mps"
_CDI_KIND = "nvidia.com/gpu"
_RUNTIME = "nvidia"
_SHARED_DEVICES = ("nvidiactl", "nvidia-uvm")
_OPTIONAL_DEVICES = ("nvidia-uvm-tools",)
# What CUDA programs load of the driver: itself, its compilers, and NVML for PyTorch's words on memory.
_LIBRARIES = re.compile(
    r"lib((cuda|nvidia-ptxjitcompiler|nvidia-nvvm\w*|nvidia-ml)\.so(\.\d)?|nvidia-gpucomp\.so[.\d]*)"
)
_LIBRARY_FOLDERS = (
    *("/usr/local/nvidia/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"),
    *("/usr/lib64", "/run/nvidia/driver/usr/lib/x86_64-linux-gnu"),
)
_PROC = Path("/proc/driver/nvidia/gpus")


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """Devices that the engine attaches itself."""

    driver: str
    ids: tuple[str, ...]
    capabilities: tuple[str, ...] = ()

    def body(self) -> dict[str, object]:
        """As the engine wants it."""
        return {
            "Driver": self.driver,
            "DeviceIDs": list(self.ids),
            "Capabilities": [list(self.capabilities)] if self.capabilities else [],
        }


@dataclass(frozen=True, slots=True)
class Attachment:
    """Container settings for its GPU. `libraries` is a folder that the loader searches first."""

    requests: tuple[DeviceRequest, ...] = ()
    devices: tuple[str, ...] = ()
    binds: tuple[Bind, ...] = ()
    masked: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    libraries: str = ""


NOTHING = Attachment()


def attach(gpu: SandboxGpu | None, facts: Facts, *, by_hand: bool, root: Path = Path("/")) -> Attachment:
    """Return how to attach `gpu` to a container of this engine; `by_hand` allows only the last way.

    Raises IsolationUnavailable, with the fix, if the host lacks something.
    """
    if gpu is None:
        return NOTHING
    binds, environment = _sharing(gpu)
    if not by_hand and any(_names(root / folder.lstrip("/"), gpu.uuid) for folder in facts.cdi_folders):
        request = DeviceRequest("cdi", (f"{_CDI_KIND}={gpu.uuid}",))
        return Attachment(requests=(request,), binds=binds, environment=environment)
    if not by_hand and _RUNTIME in facts.runtimes:
        request = DeviceRequest("nvidia", (gpu.uuid,), ("gpu", "compute", "utility"))
        return Attachment(requests=(request,), binds=binds, environment=environment)
    return Attachment(
        devices=tuple(_devices(gpu, root)),
        binds=(*binds, *_driver(root)),
        masked=tuple(_others(gpu, root)),
        environment=environment,
        libraries=LIBRARY_FOLDER,
    )


def _sharing(gpu: SandboxGpu) -> tuple[tuple[Bind, ...], dict[str, str]]:
    """The way to the MPS daemon, or to none."""
    if gpu.mps_directory is None:
        return (), {"CUDA_MPS_PIPE_DIRECTORY": NO_MPS_FOLDER}
    environment = {
        "CUDA_MPS_PIPE_DIRECTORY": MPS_FOLDER,
        "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE": str(gpu.threads_percent),
    }
    if gpu.memory_mib:
        environment["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"] = f"0={gpu.memory_mib}M"
    return (Bind(gpu.mps_directory / "control", f"{MPS_FOLDER}/control"),), environment


def _names(folder: Path, uuid: str) -> bool:
    """Whether a CDI specification in `folder` has a device of this uuid."""
    for path in sorted(folder.glob("*")):
        if path.suffix in {".json", ".yaml", ".yml"} and path.is_file():
            text = path.read_text(errors="replace")
            if _CDI_KIND in text and re.search(rf"\bname\W+{re.escape(uuid)}\b", text):
                return True
    return False


def _devices(gpu: SandboxGpu, root: Path) -> Iterator[str]:
    for name in (f"nvidia{gpu.minor}", *_SHARED_DEVICES, *_OPTIONAL_DEVICES):
        if (root / "dev" / name).exists():
            yield f"/dev/{name}"
        elif name not in _OPTIONAL_DEVICES:
            raise IsolationUnavailable(
                f"/dev/{name} does not exist; run: nvidia-modprobe -u -c={gpu.minor} (nvidia-smi makes most)"
            )


@functools.cache
def _driver(root: Path) -> tuple[Bind, ...]:
    """The driver's libraries by the names under which programs ask for them. They change with a reboot."""
    found: dict[str, Path] = {}
    for path in (*_listed_libraries(root), *_cached_libraries(root)):
        if _LIBRARIES.fullmatch(path.name) and path.name not in found and path.is_file():
            found[path.name] = path.resolve()
    if "libcuda.so.1" not in found:
        raise IsolationUnavailable("libcuda.so.1 was not found; install NVIDIA's driver or run: ldconfig")
    return tuple(Bind(source, f"{LIBRARY_FOLDER}/{name}") for name, source in sorted(found.items()))


def _cached_libraries(root: Path) -> list[Path]:
    """Return the driver's libraries in the loader's cache."""
    if root != Path("/"):
        return []
    said = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
    lines = (line.rpartition(" => ") for line in said.splitlines() if "64" in line.partition("(")[2])
    return [Path(path) for _, arrow, path in lines if arrow]


def _listed_libraries(root: Path) -> list[Path]:
    """Return the driver's libraries in known folders, the vendor's own folder first."""
    folders = (root / folder.lstrip("/") for folder in _LIBRARY_FOLDERS)
    return [path for folder in folders if folder.is_dir() for path in sorted(folder.glob("lib*.so*"))]


def _others(gpu: SandboxGpu, root: Path) -> Iterator[str]:
    """Yield the paths through which the kernel exposes the other GPUs of this host."""
    for folder in sorted((root / str(_PROC).lstrip("/")).glob("*")):
        minor = re.search(r"Device Minor:\s+(\d+)", (folder / "information").read_text(errors="replace"))
        if minor is None or int(minor[1]) != gpu.minor:
            yield f"{_PROC}/{folder.name}"
