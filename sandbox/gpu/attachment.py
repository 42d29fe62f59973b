"""Collects the requirements of a GPU in a sandbox: device files, the driver's libraries and the MPS daemon.

The sandbox sees one GPU. Under MPS, it sees only the control socket of its daemon, not the rest of the pipe
directory. Without MPS, its environment names a directory that does not exist, so that it cannot reach a
daemon by accident. `attach` only needs the driver on the host; `sandbox.containers.attachment` has other
ways.
"""

import functools
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.backend import IsolationUnavailable
from sandbox.spec import Bind, Command, SandboxGpu

LIBRARY_FOLDER = "/.warpcourt/driver"
MPS_FOLDER = "/.warpcourt/mps"
NO_MPS_FOLDER = "/.warpcourt/no-mps"
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
class GpuFiles:
    """Files and variables of a sandbox for its GPU.

    `devices` are device files by their path on the host and inside, `masked` folders of the other GPUs to
    hide. `libraries` is a folder inside that the loader searches first, empty if there is none.
    """

    devices: tuple[str, ...] = ()
    binds: tuple[Bind, ...] = ()
    masked: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    libraries: str = ""


def attach(gpu: SandboxGpu, root: Path = Path("/")) -> GpuFiles:
    """Return the files that `gpu` needs. Raises IsolationUnavailable with the fix if the host lacks some."""
    binds, environment = sharing(gpu)
    return GpuFiles(
        devices=tuple(_devices(gpu, root)),
        binds=(*binds, *_driver(root)),
        masked=tuple(_others(gpu, root)),
        environment=environment,
        libraries=LIBRARY_FOLDER,
    )


def variables_of(command: Command, environment: Mapping[str, str], libraries: str) -> dict[str, str]:
    """Return the environment of the program: its command's, and `environment` of its GPU, which wins.

    Raises ValueError for a NUL byte.
    """
    variables = {**command.environment, **environment}
    if libraries:
        paths = (libraries, command.environment.get("LD_LIBRARY_PATH"))
        variables["LD_LIBRARY_PATH"] = ":".join(path for path in paths if path)
    if any("\0" in word for word in (*command.argv, *variables, *variables.values())):
        raise ValueError("a NUL byte in a command")
    return variables


def sharing(gpu: SandboxGpu) -> tuple[tuple[Bind, ...], dict[str, str]]:
    """Return the way to the MPS daemon, or to none."""
    if gpu.mps_directory is None or gpu.peers:
        order = {"CUDA_VISIBLE_DEVICES": ",".join(one.uuid for one in gpu.all)} if gpu.peers else {}
        return (), {"CUDA_MPS_PIPE_DIRECTORY": NO_MPS_FOLDER, **order}
    environment = {
        "CUDA_MPS_PIPE_DIRECTORY": MPS_FOLDER,
        "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE": str(gpu.threads_percent),
    }
    if gpu.memory_mib:
        environment["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"] = f"0={gpu.memory_mib}M"
    return (Bind(gpu.mps_directory / "control", f"{MPS_FOLDER}/control"),), environment


def _devices(gpu: SandboxGpu, root: Path) -> Iterator[str]:
    own = (f"nvidia{one.minor}" for one in gpu.all)
    for name in (*own, *_SHARED_DEVICES, *_OPTIONAL_DEVICES):
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
    own = {one.minor for one in gpu.all}
    for folder in sorted((root / str(_PROC).lstrip("/")).glob("*")):
        minor = re.search(r"Device Minor:\s+(\d+)", (folder / "information").read_text(errors="replace"))
        if minor is None or int(minor[1]) not in own:
            yield f"{_PROC}/{folder.name}"
