"""The command to run isolated, and its completion. Every backend uses these values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath


@dataclass(frozen=True, slots=True)
class Bind:
    """A host path shown inside, always read-only. `target` is absolute inside the sandbox."""

    source: Path
    target: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one sandbox. A sandbox that exceeds one is killed, and its `Termination` names the limit.

    `output_kib` bounds stdout and stderr each; the excess is drained, dropped and counted. `flood_kib` is the
    amount after which the sandbox is killed. `idle_s` is how long all of its processes may sleep at the same
    time, 0 for no limit. A program that exceeds it waits for an event that never happens, since on a busy
    host it would be ready to run. The limit has no effect if the processes are not visible.
    """

    wall_s: float
    cpu_s: float
    memory_mib: int
    processes: int = 64
    file_mib: int = 256
    tmpfs_mib: int = 256
    descriptors: int = 256
    output_kib: int = 64
    flood_kib: int = 4096
    idle_s: float = 0.0


class Image(StrEnum):
    """Contents that a sandbox needs. The container backend has an image for each; bubblewrap needs none."""

    COMPILE = "compile"  # nvcc and a host compiler
    CUDA = "cuda"  # the driver's libraries alone
    LIBRARIES = "libraries"  # the same with cuBLAS and cuFFT
    TRITON = "triton"  # Python, PyTorch, Triton and a C compiler
    ORACLE = "oracle"  # Python, NumPy and CuPy


class Calls(StrEnum):
    """The system calls that a sandbox allows; see `sandbox.seccomp`."""

    USUAL = "usual"
    WATCHED = "watched"  # for a program that a tool watches: also file locks and IPv4
    RANKS = "ranks"  # for processes that communicate by gloo or NCCL: also IPv4, and the list of interfaces


@dataclass(frozen=True, slots=True)
class SandboxGpu:
    """The GPU that a sandbox may use, with others for a program that uses several.

    `uuid` is NVML's (`GPU-...`), `minor` the number of its device file. `mps_directory` is the pipe
    directory of its MPS daemon on the host, None where GPUs are time-sliced. `memory_mib` and
    `threads_percent` are the limits of an MPS client. `peers` are the other GPUs, in their order
    after this one. They are used without MPS.
    """

    uuid: str
    minor: int
    mps_directory: Path | None = None
    memory_mib: int = 0  # 0: no limit
    threads_percent: int = 100
    peers: tuple["SandboxGpu", ...] = ()

    @property
    def all(self) -> tuple["SandboxGpu", ...]:
        """Return this GPU and its peers."""
        return (self, *self.peers)


@dataclass(frozen=True, slots=True)
class Command:
    """A program to run isolated.

    `files` are written into the private working directory `/work` before the start, which is a size-limited
    tmpfs. With `channel` the program inherits one end of a SOCK_SEQPACKET socket as descriptor 3. The
    environment holds exactly what `environment` names. `collect` lists file names below `/work` to bring back
    after exit, each a plain file of at most the given bytes. `label` describes the sandbox for operators:
    `job-<id>-<attempt>` and its purpose. `calls` selects the system call filter.
    """

    argv: tuple[str, ...]
    limits: Limits
    binds: tuple[Bind, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    channel: bool = False
    collect: Mapping[str, int] = field(default_factory=dict)
    label: str = "job"
    image: Image = Image.CUDA
    gpu: SandboxGpu | None = None
    calls: Calls = Calls.USUAL


def below_work(name: str) -> PurePosixPath:
    """The path inside of a file of a command. Raises ValueError unless it is below `/work`."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise ValueError(f"{name!r} is not a file name below /work")
    return "/work" / path


class Termination(StrEnum):
    """How a sandboxed program ended."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    WALL_TIME = "wall_time"
    CPU_TIME = "cpu_time"
    IDLE = "idle"
    MEMORY = "memory"
    OUTPUT = "output"
    KILLED = "killed"


@dataclass(frozen=True, slots=True)
class Completion:
    """The end of a sandboxed program. `status` is its exit status, or the number of the signal."""

    ending: Termination
    status: int
    stdout: bytes
    stderr: bytes
    wall_s: float
    cpu_s: float
    peak_memory_bytes: int | None
    files: Mapping[str, bytes] = field(default_factory=dict)
    dropped_bytes: int = 0
