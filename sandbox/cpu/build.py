"""Builds the runtime of functional mode once per host: the runner, and the files of the compile sandbox.

The result is one folder, named by a hash of all inputs of the build, so that it is never stale and several
processes can share it:

    functional-<hash>/runner              the executable that loads submissions
                      driver/             what runs in the compile sandbox, the translator included
                      recipe.json         the steps that it takes
                      prefix*.h           what the host half of every program starts with, precompiled
                      include/            what translated code includes
                      libraries/          what programs that use cuBLAS or cuFFT are linked with, and headers

If the process that builds it ends, or a step fails, the compilers end too (`sandbox.leash`).
"""

import compileall
import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from py_compile import PycInvalidationMode

from sandbox.cpu.recipe import learn_recipe
from sandbox.leash import LeashedRuns
from sandbox.precompile import HostSteps
from sandbox.spec import Bind, Command, Limits
from sandbox.toolchain import Toolkit

HOME = "/warpcourt"  # path of the built folder inside sandboxes
_SANDBOX = Path(__file__).resolve().parent.parent
_RUNTIME = _SANDBOX / "cpu" / "runtime"
_TRANSLATOR = _SANDBOX / "cpu" / "translator"
_LIBRARIES = _SANDBOX / "cpu" / "libraries"
# The sources of each library that programs can be linked with, by its name in `compile_inside`.
_LIBRARY_SOURCES: Mapping[str, tuple[str, ...]] = {
    "cublas": ("cublas_context", "cublas_vectors", "cublas_matrices", "cublas_products"),
    "cufft": ("cufft", "cufft_plan", "fft"),
}
_DRIVER = (
    *("__init__.py", "chains.py", "light_headers.py", "ptxas.py"),
    *("cpu/__init__.py", "cpu/compile_inside.py", "cpu/counting.py"),
)
_INSIDE = ("chains.py", "light_headers.py", "nvcc_steps.py", "precompile.py", "ptxas.py")
_START = "import sys\n\nfrom sandbox.cpu.compile_inside import main\n\nsys.exit(main())\n"
_RUNNER_FOLDER = _SANDBOX / "runner"
_RUNNER_HEADERS = (
    *("wire.h", "channel.h", "serve.h", "submission.h", "timed_session.h"),
    *("watchdog.h", "crash.h", "launch_limits.h", "host_mapping.h"),
)
_CXX_FLAGS = ("-std=c++20", "-O2", "-Wall", "-Wextra", "-Wno-missing-field-initializers")
_LIBRARY_FLAGS = ("-fPIC", "-O3", "-march=native", "-fno-math-errno")
_LINK_FLAGS = ("-rdynamic", "-ldl", "-lpthread")
_COMPILE_TIMEOUT_S = 300.0


class RuntimeBuildFailed(Exception):
    """Raised if g++ cannot compile the runtime, an installation problem.

    The message has the output of g++.
    """


@dataclass(frozen=True, slots=True)
class Runtime:
    """The built folder. `stamp` changes with everything that can change an artifact."""

    folder: Path
    stamp: str
    toolkit: Toolkit

    @property
    def runner(self) -> Path:
        """The runner's executable on this host."""
        return self.folder / "runner"

    def bind(self) -> Bind:
        """Return the bind mount of the folder for sandboxes."""
        return Bind(self.folder, HOME)


def build_runtime(cache: Path, toolkit: Toolkit) -> Runtime:
    """Return the runtime for `toolkit` in `cache`. Builds it if missing (about 30 s on two idle cores).

    Raises:
        RuntimeBuildFailed: the runtime does not compile.
        sandbox.toolchain.ToolchainMissing: nvcc's steps are not understood.
    """
    stamp = _stamp(toolkit)
    folder = cache / f"functional-{stamp}"
    cache.mkdir(parents=True, exist_ok=True)
    if not folder.exists():
        with _locked(cache / "functional.lock"):
            if not folder.exists():
                _build(folder, toolkit)
    return Runtime(folder, stamp, toolkit)


def runner_command(
    runtime: Runtime, *, limits: Limits, label: str = "runner", processors: int | None = None
) -> Command:
    """Return the command of a new runner.

    It uses the protocol `sandbox.wire` on descriptor 3 for one artifact.

    `processors` is the number of OS threads for a launch. The default is the number of CPUs that the runner
    may use. The memory for stacks of waiting threads limits this number.
    """
    argv: tuple[str, ...] = (f"{HOME}/runner", "--memory-mib", str(limits.memory_mib))
    if processors is not None:
        argv = (*argv, "--processors", str(processors))
    libraries = tuple(
        Bind(Path(folder), folder) for folder in ("/usr", "/lib", "/lib64") if Path(folder).exists()
    )
    return Command(argv, limits, binds=(*libraries, runtime.bind()), channel=True, label=label)


def _sources() -> list[Path]:
    return [*sorted(_RUNTIME.glob("*.cpp")), _RUNNER_FOLDER / "cuda_runner.cpp"]


def _library_files() -> list[Path]:
    return sorted(path for path in _LIBRARIES.rglob("*") if path.suffix in {".cpp", ".h"})


def _stamp(toolkit: Toolkit) -> str:
    inputs = [
        *_sources(),
        *sorted(_RUNTIME.glob("*.h")),
        *_library_files(),
        *(_RUNNER_FOLDER / name for name in _RUNNER_HEADERS),
    ]
    inputs += [*sorted(_SANDBOX.glob("cpu/*.py")), *sorted(_TRANSLATOR.rglob("*.py"))]
    inputs += [_SANDBOX / name for name in _INSIDE]
    digest = hashlib.sha256()
    for path in inputs:
        digest.update(f"{path.relative_to(_SANDBOX)}\0".encode())
        digest.update(path.read_bytes())
    digest.update(repr((toolkit, sys.version, platform.machine(), _processor())).encode())
    return digest.hexdigest()[:20]


def _processor() -> str:
    """Return the instruction sets of this processor. Translated code is compiled for exactly these."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _build(folder: Path, toolkit: Toolkit) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".functional-") as scratch:
        new = Path(scratch) / "new"
        _copy_driver(new / "driver")
        (new / "include").mkdir()
        for header in _RUNTIME.glob("*.h"):
            if header.name == "abi.h" or header.name.startswith("semantics"):
                shutil.copy(header, new / "include")
        recipe = learn_recipe(toolkit)
        (new / "recipe.json").write_text(recipe.to_json())
        # The sandbox cannot write byte code, and file times are not kept.
        compileall.compile_dir(new, quiet=1, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
        shutil.copytree(_LIBRARIES / "include", new / "libraries" / "include")
        _build_native(Path(scratch), new, toolkit)
        with suppress(OSError, subprocess.SubprocessError), LeashedRuns(_COMPILE_TIMEOUT_S) as runs:

            def step(argv: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> None:
                runs.run(argv, cwd=cwd, env=environment).check_returncode()

            # An optional optimisation.
            host = HostSteps(recipe.steps, recipe.environment, recipe.files, step)
            host.precompile(new, Path(scratch))
        new.chmod(0o755)
        new.rename(folder)


def _copy_driver(driver: Path) -> None:
    package = driver / "sandbox"
    shutil.copytree(_TRANSLATOR, package / "cpu" / "translator", ignore=shutil.ignore_patterns("__pycache__"))
    for name in _DRIVER:
        shutil.copy(_SANDBOX / name, package / name)
    (driver / "__main__.py").write_text(_START)


def _build_native(scratch: Path, folder: Path, toolkit: Toolkit) -> None:
    """Build the runner and the libraries."""

    def compile_one(source: Path, flags: Sequence[str] = ()) -> str:
        target = scratch / f"{source.stem}.o"
        words = [*_CXX_FLAGS, *flags, f"-I{toolkit.include}", "-c", str(source), "-o", str(target)]
        _run(runs, [str(toolkit.cxx), *words])
        return str(target)

    # In this order, runs end before their threads are joined.
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool, LeashedRuns(_COMPILE_TIMEOUT_S) as runs:
        runner = [pool.submit(compile_one, source) for source in _sources()]
        libraries = {
            name: [pool.submit(compile_one, _LIBRARIES / f"{stem}.cpp", _LIBRARY_FLAGS) for stem in stems]
            for name, stems in _LIBRARY_SOURCES.items()
        }
        link = [
            str(toolkit.cxx),
            *(job.result() for job in runner),
            "-o",
            str(folder / "runner"),
            *_LINK_FLAGS,
        ]
        _run(runs, link)
        for name, jobs in libraries.items():
            target = folder / "libraries" / f"{name}.o"
            _run(
                runs,
                [str(toolkit.cxx), "-r", "-nostdlib", *(job.result() for job in jobs), "-o", str(target)],
            )


def _run(runs: LeashedRuns, argv: list[str]) -> None:
    done = runs.run(argv)
    if done.returncode != 0:
        raise RuntimeBuildFailed(f"{' '.join(argv)}\n{done.stdout}{done.stderr}")
