"""Builds the native parts of the GPU runners, once per host, and the commands of all three runners.

A command names its requirements, not their location: the container backend uses the image that the command
names, and attaches its GPU. The image has the interpreter, so its path is a parameter. The commands do not
limit address space, because CUDA reserves far more of it than there is memory.
"""

import fcntl
import hashlib
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sandbox.cpu.build import RuntimeBuildFailed
from sandbox.gpu.profiler import MAX_REPORT_BYTES, REPORT, profiling_argv
from sandbox.gpu.tool import Tool
from sandbox.leash import LeashedRuns
from sandbox.spec import Bind, Calls, Command, Image, Limits, SandboxGpu
from sandbox.toolchain import Toolkit

HOME = "/warpcourt/bin"  # where sandboxes see the built folder
_CODE_TARGET = "/warpcourt/code"
_SANDBOX = Path(__file__).resolve().parent.parent
_RUNNER_FOLDER = _SANDBOX / "runner"
_CPU_RUNTIME = _SANDBOX / "cpu" / "runtime"
_SOURCES = (_RUNNER_FOLDER / "device_runner.cpp", _CPU_RUNTIME / "diagnostics.cpp")
_LIBRARY_SOURCE = _RUNNER_FOLDER / "timed_session.cpp"
_CXX_FLAGS = ("-std=c++20", "-O2", "-Wall", "-Wextra", "-Wno-missing-field-initializers")
_LINK_FLAGS = ("-ldl", "-lpthread")
_NAME = "device_runner"
_LIBRARY_NAME = "timed_session.so"
_BUILD_TIMEOUT_S = 300.0
_PROFILE_KIB = 4096  # that a profile may print
_COMMON: Mapping[str, str] = {
    "CUDA_CACHE_DISABLE": "1",  # nothing of one job is there for the next
    "HOME": "/tmp",  # noqa: S108 - inside the sandbox
    "LANG": "C.UTF-8",
}


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python with the packages that a runner imports, as its sandbox sees it.

    `environment` is added to the runner's: CUDA_PATH, TRITON_LIBCUDA_PATH, LD_LIBRARY_PATH where an
    image needs them.
    """

    python: str
    path: str = "/usr/local/bin:/usr/bin:/bin"
    binds: tuple[Bind, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


IN_IMAGE = Interpreter("python3")


def of_this_process() -> Interpreter:
    """Return this process's Python, for sandboxes that show the host's files, with only its own packages."""
    homes = {Path(sys.prefix), Path(sys.base_prefix).resolve(), Path(sys.executable).resolve().parents[1]}
    outside = sorted(home for home in homes if not home.is_relative_to("/usr"))
    return Interpreter(sys.executable, binds=tuple(Bind(home, str(home)) for home in outside))


def build_device_runner(cache: Path, toolkit: Toolkit) -> Path:
    """The CUDA runner's executable in `cache`, built there if need be (some seconds).

    It needs g++ and neither CUDA's headers nor a driver. Raises RuntimeBuildFailed when g++ refuses it.
    """
    folder = cache / f"device-runner-{_stamp(toolkit)}"
    runner = folder / _NAME
    cache.mkdir(parents=True, exist_ok=True)
    if not runner.exists():
        with (cache / "device-runner.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not runner.exists():
                _build(folder, toolkit)
    return runner


def cuda_runner_command(
    runner: Path, *, limits: Limits, gpu: SandboxGpu | None, label: str = "runner"
) -> Command:
    """A fresh runner of compiled CUDA, for PREPARE, LOAD with one artifact, RUN and TIME.

    `runner` is what `build_device_runner` returned.
    """
    return Command(
        (f"{HOME}/{_NAME}",),
        limits,
        binds=(Bind(runner.parent, HOME),),
        # Kernels are few here; loading them all at once leaves no surprise for the first timed call.
        environment={**_COMMON, "CUDA_MODULE_LOADING": "EAGER", "PATH": "/usr/bin:/bin"},
        channel=True,
        label=label,
        image=Image.CUDA,
        gpu=gpu,
    )


def library_runner_command(
    runner: Path, *, limits: Limits, gpu: SandboxGpu | None, label: str = "runner"
) -> Command:
    """The same for programs that are linked with cuBLAS or cuFFT, in the image that has them.

    These have thousands of kernels, of which a program needs a few: they are loaded when they are first used,
    in the calls that are not timed.
    """
    plain = cuda_runner_command(runner, limits=limits, gpu=gpu, label=label)
    environment = {**plain.environment, "CUDA_MODULE_LOADING": "LAZY"}
    return replace(plain, image=Image.LIBRARIES, environment=environment)


def watched_runner_command(
    runner: Path,
    program: str,
    *,
    tool: Tool,
    limits: Limits,
    gpu: SandboxGpu | None,
    binds: Sequence[Bind] = (),
) -> Command:
    """The CUDA runner under `tool`, whose program is at `program` inside, where `binds` show it.

    It needs the image that has the toolkit. The tool prints among the program's output. It does not work
    under MPS. The file of the profiler's report is collected if it is not too large.
    """
    plain = cuda_runner_command(runner, limits=limits, gpu=gpu, label=tool.value)
    collect: Mapping[str, int] = {}
    if tool is Tool.PROFILER:
        collect = {REPORT: MAX_REPORT_BYTES}
        argv = profiling_argv(program, *plain.argv)
        limits = replace(limits, output_kib=_PROFILE_KIB, flood_kib=2 * _PROFILE_KIB)
    else:
        options = ("--tool", tool.value, "--print-limit", "100", "--show-backtrace", "no")
        argv = (program, *options, *plain.argv)
    return replace(
        plain,
        argv=argv,
        binds=(*plain.binds, *binds),
        limits=limits,
        image=Image.COMPILE,
        calls=Calls.WATCHED if tool is Tool.PROFILER else Calls.USUAL,
        collect=collect,
        environment={
            **plain.environment,
            "CUDA_MODULE_LOADING": "LAZY",  # nothing is timed, and the program may use cuBLAS
            "TMPDIR": "/tmp",  # noqa: S108 - inside the sandbox
        },
    )


def triton_runner_command(
    interpreter: Interpreter, runner: Path, *, limits: Limits, gpu: SandboxGpu | None, label: str = "triton"
) -> Command:
    """A fresh Triton runner. It needs PyTorch, Triton and a C compiler, and /work must be executable.

    `runner` is what `build_device_runner` returned, for the native part that lies next to it.
    """
    return _python(
        "device_triton_runner",
        replace(interpreter, binds=(*interpreter.binds, Bind(runner.parent, HOME))),
        {
            "WARPCOURT_TIMED_SESSION": f"{HOME}/{_LIBRARY_NAME}",
            "CUDA_MODULE_LOADING": "LAZY",  # PyTorch has gigabytes of kernels
            "OMP_NUM_THREADS": "1",
            "TMPDIR": "/tmp",  # noqa: S108 - inside the sandbox
            "TRITON_CACHE_DIR": "/work/triton",
            "TRITON_HOME": "/work",
        },
        limits=limits,
        gpu=gpu,
        label=label,
        image=Image.TRITON,
    )


def ranks_runner_command(
    interpreter: Interpreter, runner: Path, *, limits: Limits, gpu: SandboxGpu | None, label: str = "ranks"
) -> Command:
    """Return a new runner of programs with ranks. Each rank is a process with its own GPU.

    It needs what the Triton runner needs, and NCCL, which comes with PyTorch.
    """
    plain = triton_runner_command(interpreter, runner, limits=limits, gpu=gpu, label=label)
    argv = (*plain.argv[:-1], "sandbox.runner.device_ranks_runner")
    return replace(plain, argv=argv, calls=Calls.RANKS)


def oracle_command(
    interpreter: Interpreter, *, limits: Limits, gpu: SandboxGpu | None, label: str = "oracle"
) -> Command:
    """A fresh oracle on the GPU. It needs NumPy and CuPy."""
    return _python(
        "device_oracle_runner",
        interpreter,
        {
            "CUDA_MODULE_LOADING": "LAZY",
            "CUPY_ACCELERATORS": "",  # see sandbox.runner.device_oracle_runner
            "CUPY_CACHE_IN_MEMORY": "1",
            "CUPY_NVRTC_USE_PCH": "1",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        },
        limits=limits,
        gpu=gpu,
        label=label,
        image=Image.ORACLE,
    )


def _python(
    module: str,
    interpreter: Interpreter,
    environment: Mapping[str, str],
    *,
    limits: Limits,
    gpu: SandboxGpu | None,
    label: str,
    image: Image,
) -> Command:
    return Command(
        (interpreter.python, "-s", "-B", "-m", f"sandbox.runner.{module}"),
        limits,
        binds=(*interpreter.binds, Bind(_SANDBOX, f"{_CODE_TARGET}/sandbox")),
        environment={
            **_COMMON,
            **environment,
            "PATH": interpreter.path,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": _CODE_TARGET,
            "PYTHONUNBUFFERED": "1",
            **interpreter.environment,
        },
        channel=True,
        label=label,
        image=image,
        gpu=gpu,
    )


def _stamp(toolkit: Toolkit) -> str:
    digest = hashlib.sha256(repr((_CXX_FLAGS, _LINK_FLAGS, str(toolkit.cxx), toolkit.cxx_version)).encode())
    for path in (
        *_SOURCES,
        _LIBRARY_SOURCE,
        *sorted(_RUNNER_FOLDER.glob("*.h")),
        *sorted(_CPU_RUNTIME.glob("*.h")),
    ):
        digest.update(f"{path.relative_to(_SANDBOX)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def _build(folder: Path, toolkit: Toolkit) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".device-runner-") as scratch:
        new = Path(scratch) / "new"
        new.mkdir()
        compile_cxx(toolkit, _SOURCES, new / _NAME)
        compile_cxx(toolkit, (_LIBRARY_SOURCE,), new / _LIBRARY_NAME, "-shared", "-fPIC")
        new.chmod(0o755)
        new.rename(folder)


def compile_cxx(toolkit: Toolkit, sources: Sequence[Path], output: Path, *flags: str) -> None:
    """Compile and link `sources`. Raises RuntimeBuildFailed."""
    argv = [str(toolkit.cxx), *_CXX_FLAGS, *flags, *map(str, sources), "-o", str(output), *_LINK_FLAGS]
    with LeashedRuns(_BUILD_TIMEOUT_S) as runs:
        done = runs.run(argv)
    if done.returncode != 0:
        raise RuntimeBuildFailed(f"{' '.join(argv)}\n{done.stdout}{done.stderr}")
