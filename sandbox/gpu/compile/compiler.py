"""The GPU compilers of this node: their versions, their warm sandboxes, and keys for a cache.

Theory of operation. The location of the compilers depends on the isolation backend: bubblewrap shows the
compilers of the host, and a container has the compilers of its image. So this module does not inspect them
itself. Two short runs in the same kind of sandbox do, before any foreign code (`prepare.py`): one learns the
steps and versions, and one builds the files that all compilations share. The result is a folder named by a
hash of all its inputs:

    gpu-compile-<hash>/learned.json   the recipe and the versions
                       prefix*.h      what the host half of every program starts with, precompiled
                       finish.o       what every artifact is linked with

A compilation takes a warm sandbox (`Compiler.command`, for the pool), passes it the source, and gets the
artifact in a memory file (`compilation.py`).
"""

import fcntl
import hashlib
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox.backend import Backend
from sandbox.chains import PREFIXES
from sandbox.compiled import COMPILE_LIMITS
from sandbox.gpu.compile.prepare import HOME, Learned
from sandbox.gpu.compile.recipe import FINISH_OBJECT, FLAGS, GpuCompileRecipe
from sandbox.gpu.compile.server import MAX_LISTING_BYTES
from sandbox.spec import Bind, Command, Completion, Image, Limits, Termination
from sandbox.toolchain import ToolchainMissing, Toolkit

LISTINGS: Mapping[str, str] = {"ptx": "listing.ptx", "sass": "listing.sass"}
_SANDBOX = Path(__file__).resolve().parents[2]
_CODE_TARGET = "/opt/python/warpcourt"
_DISASSEMBLER_TARGET = "/opt/disassembler"
_INSIDE = (
    *("chains.py", "light_headers.py", "nvcc_steps.py", "precompile.py", "wire.py"),
    "runner/finish.h",
)
_PREPARE_LIMITS = Limits(wall_s=180, cpu_s=180, memory_mib=3072, output_kib=512, tmpfs_mib=1024)
_SHARED_FILES = {
    **dict.fromkeys(PREFIXES, 16 << 20),
    **{f"{name}.gch": 256 << 20 for name in PREFIXES},
    FINISH_OBJECT: 1 << 20,
}
_ARCHITECTURE = re.compile(r"\d{2,3}[af]?")
# Flags that a problem may give the compilers: they change code, never which files are read, written or run.
_FLAG = re.compile(
    r"--?(use_fast_math|(maxrregcount|fmad|ftz|prec-div|prec-sqrt|extra-device-vectorization)(=\w+)?)"
)


@dataclass(frozen=True, slots=True)
class CompilerPaths:
    """Paths of Python and the compilers inside a compile sandbox."""

    python: str
    nvcc: str
    path: str
    binds: tuple[Bind, ...] = ()


IN_IMAGE = CompilerPaths("python3", "nvcc", "/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin")


def on_host(toolkit: Toolkit) -> CompilerPaths:
    """The host's own compilers, for an isolation that shows them: bubblewrap."""
    binds = list(toolkit.binds())
    prefix = Path(sys.base_prefix).resolve()
    if not any(prefix.is_relative_to(bind.source) for bind in binds):
        binds.append(Bind(prefix, str(prefix)))
    return CompilerPaths(
        str(Path(sys.executable).resolve()),
        str(toolkit.nvcc),
        f"{toolkit.nvcc.parent}:/usr/bin:/bin",
        (*binds, *_disassembler(toolkit)),
    )


def architecture(capability: tuple[int, int]) -> str:
    """Return the architecture to compile for on a GPU of that compute capability, with its specific features.

    Source: CUDA C++ Programming Guide, "Compute Capability", architecture-specific features.
    """
    major, minor = capability
    return f"{major}{minor}{'a' if major >= 9 else ''}"


@dataclass(frozen=True, slots=True)
class Compiler:
    """The compilers of one kind of sandbox, for `architectures` such as `90a`. See `open_compiler`."""

    backend: Backend
    place: CompilerPaths
    architectures: tuple[str, ...]
    learned: Learned
    folder: Path
    stamp: str

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of the compilers, for results."""
        common = {"architectures": " ".join(self.architectures), "flags": " ".join(FLAGS)}
        return {**self.learned.versions, **common}

    @property
    def libraries(self) -> tuple[str, ...]:
        """The libraries that programs can be linked with here."""
        return tuple(self.learned.recipe.libraries)

    @property
    def device_launches(self) -> bool:
        """Whether programs whose kernels launch kernels can be linked here."""
        return self.learned.recipe.launching is not None

    def key(
        self,
        source: bytes,
        binding: bytes,
        flags: Sequence[str] = (),
        libraries: Sequence[str] = (),
        *,
        device_launches: bool = False,
    ) -> tuple[str | bytes, ...]:
        """Return the parts of a cache key: everything that can change the result of a compilation."""
        return (self.stamp, *flags, "", *libraries, "launches" if device_launches else "", source, binding)

    def command(self, limits: Limits = COMPILE_LIMITS) -> Command:
        """Return the command of a warm compile sandbox, for a pool. It reports ready, and takes one LOAD."""
        return _command(
            self.place,
            ("sandbox.gpu.compile.server",),
            limits,
            binds=(Bind(self.folder, HOME),),
            channel=True,
            collect=dict.fromkeys(LISTINGS.values(), MAX_LISTING_BYTES),
        )

    def recipe(self, flags: Sequence[str] = (), *, device_launches: bool = False) -> GpuCompileRecipe:
        """The steps with `flags` of a problem, for kernels that launch kernels if `device_launches`.

        Raises ValueError for a flag that no problem may give, and if kernels cannot launch kernels here.
        """
        check_flags(flags)
        learned = _learn(self.backend, self.place, self.architectures, flags) if flags else self.learned
        return learned.recipe.with_device_launches() if device_launches else learned.recipe


def check_flags(flags: Sequence[str]) -> None:
    """Raises ValueError for a flag that no problem may give to the compilers."""
    for flag in flags:
        if not _FLAG.fullmatch(flag):
            raise ValueError(f"{flag!r} is not a flag that a problem may give to nvcc")


def open_compiler(
    backend: Backend, place: CompilerPaths, *, cache: Path, architectures: Sequence[str]
) -> Compiler:
    """Open the compilers at `place`. Builds their shared files in `cache` if missing (about 4 s).

    Raises:
        sandbox.toolchain.ToolchainMissing: they are missing or of an unknown version.
        sandbox.backend.IsolationUnavailable: no sandbox could be started.
        ValueError: an architecture is unknown.
    """
    if not architectures or not all(_ARCHITECTURE.fullmatch(name) for name in architectures):
        raise ValueError(f"{architectures!r} are not architectures; write them like 90a")
    learned = _learn(backend, place, architectures, ())
    stamp = _stamp(learned)
    folder = cache / f"gpu-compile-{stamp}"
    cache.mkdir(parents=True, exist_ok=True)
    if not folder.exists():
        with _locked(cache / "gpu-compile.lock"):
            if not folder.exists():
                _build(backend, place, learned, folder)
    return Compiler(backend, place, tuple(architectures), learned, folder, stamp)


def _learn(
    backend: Backend, place: CompilerPaths, architectures: Sequence[str], flags: Sequence[str]
) -> Learned:
    words = ("sandbox.gpu.compile.prepare", "learn", place.nvcc, ",".join(architectures), *flags)
    completion = _run(backend, _command(place, words, _PREPARE_LIMITS))
    return Learned.from_json(completion.stdout.decode())


def _build(backend: Backend, place: CompilerPaths, learned: Learned, folder: Path) -> None:
    command = _command(
        place,
        ("sandbox.gpu.compile.prepare", "build"),
        _PREPARE_LIMITS,
        files={"learned.json": learned.to_json().encode()},
        collect=_SHARED_FILES,
    )
    files = _run(backend, command).files
    if FINISH_OBJECT not in files:
        raise ToolchainMissing("the compile sandbox did not build what artifacts are linked with")
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".gpu-compile-") as scratch:
        new = Path(scratch) / "new"
        new.mkdir(mode=0o755)
        (new / "learned.json").write_text(learned.to_json())
        for name, content in files.items():
            (new / name).write_bytes(content)
        new.rename(folder)


def _run(backend: Backend, command: Command) -> Completion:
    process = backend.start(command)
    try:
        completion = process.wait()
    finally:
        process.close()
    if completion.ending is not Termination.EXITED or completion.status != 0:
        said = completion.stderr.decode(errors="replace").strip()[-2000:]
        raise ToolchainMissing(f"the compile sandbox: {said or f'it ended by {completion.ending}'}")
    return completion


def _command(
    place: CompilerPaths,
    words: Sequence[str],
    limits: Limits,
    *,
    binds: Sequence[Bind] = (),
    files: Mapping[str, bytes] | None = None,
    channel: bool = False,
    collect: Mapping[str, int] | None = None,
) -> Command:
    return Command(
        ("/usr/bin/env", place.python, "-s", "-S", "-B", "-m", *words),
        limits,
        binds=(*place.binds, Bind(_SANDBOX, f"{_CODE_TARGET}/sandbox"), *binds),
        files=files or {},
        environment={
            "LC_ALL": "C.UTF-8",
            "PATH": place.path,
            "PYTHONPATH": _CODE_TARGET,
            "PYTHONSAFEPATH": "1",
            "TMPDIR": "/work",
        },
        channel=channel,
        collect=collect or {},
        label="compile",
        image=Image.COMPILE,
    )


def _disassembler(toolkit: Toolkit) -> tuple[Bind, ...]:
    """Triton's, where the toolkit has none: NVIDIA's wheels come without."""
    if (toolkit.nvcc.resolve().parent / "nvdisasm").exists() or (toolkit.root / "bin" / "nvdisasm").exists():
        return ()
    folders = (Path(folder) / "triton" / "backends" / "nvidia" / "bin" for folder in sys.path)
    found = next((folder for folder in folders if (folder / "nvdisasm").is_file()), None)
    return (Bind(found, _DISASSEMBLER_TARGET),) if found else ()


def _stamp(learned: Learned) -> str:
    folder = Path(__file__).parent
    inputs = [*sorted(folder.glob("*.py")), *sorted(folder.glob("*.cpp"))]
    digest = hashlib.sha256(learned.to_json().encode())
    for path in [*inputs, *(_SANDBOX / name for name in _INSIDE)]:
        digest.update(f"\0{path.relative_to(_SANDBOX)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:20]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
