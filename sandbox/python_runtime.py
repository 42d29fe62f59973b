"""Commands that run our Python runners isolated: their binds and environment.

The interpreter is the one that runs us, without `site` and with just the packages that the runner
needs. Bytecode is never written inside; set-up precompiles it once, see `precompile`; otherwise each start
would compile PyTorch again.
"""

import compileall
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sandbox.spec import Bind, Calls, Command, Image, Limits

_PACKAGES_TARGET = "/opt/python/packages"
_CODE_TARGET = "/opt/python/warpcourt"
_CODE = Path(__file__).parent
_ORACLE_PACKAGES = ("numpy", "numpy.libs")
_TRITON_PACKAGES = (
    *("numpy", "numpy.libs", "torch", "torch.libs", "torchgen", "functorch", "triton", "triton.libs"),
    *("typing_extensions.py", "sympy", "mpmath", "networkx", "jinja2", "markupsafe", "filelock", "fsspec"),
)


def oracle_command(limits: Limits) -> Command:
    """The oracle: NumPy and an author's `reference.py`."""
    return _command("oracle_runner", Image.ORACLE, _ORACLE_PACKAGES, limits, threads=1)


def torch_oracle_command(limits: Limits) -> Command:
    """The oracle with PyTorch, for a `reference.py` that imports it."""
    return _command("torch_oracle_runner", Image.TRITON, _TRITON_PACKAGES, limits, threads=1)


def examiner_command(source: bytes, *, limits: Limits, collect: Mapping[str, int]) -> Command:
    """Return the command that examines a problem to import: adapter and author's files, over PyTorch."""
    plain = _command("examine", Image.TRITON, _TRITON_PACKAGES, limits, threads=1)
    return replace(plain, files={"imported.py": source}, collect=dict(collect), channel=False)


def triton_command(limits: Limits, *, threads: int = 1) -> Command:
    """The Triton runner: PyTorch for the CPU and Triton's interpreter."""
    return _command("triton_runner", Image.TRITON, _TRITON_PACKAGES, limits, threads=threads)


def ranks_command(limits: Limits) -> Command:
    """Return the runner of programs with ranks. Each rank is a process with PyTorch for the CPU, and gloo."""
    plain = _command("ranks_runner", Image.TRITON, _TRITON_PACKAGES, limits, threads=1)
    environment = {**plain.environment, "TORCH_CPP_LOG_LEVEL": "ERROR"}  # it warns that there is no IPv6
    return replace(plain, calls=Calls.RANKS, environment=environment)


def precompile() -> None:
    """Write the bytecode of our runners and of the packages that they import. For set-up."""
    packages = Path(sysconfig.get_path("purelib"))
    folders = [packages / name for name in _TRITON_PACKAGES if (packages / name).is_dir()]
    for folder in [*folders, _CODE]:
        compileall.compile_dir(folder, quiet=2, workers=0)


def _command(runner: str, image: Image, packages: Sequence[str], limits: Limits, *, threads: int) -> Command:
    return Command(
        argv=(str(Path(sys.executable).resolve()), "-s", "-S", "-B", "-m", f"sandbox.runner.{runner}"),
        limits=limits,
        binds=(*_interpreter(), *_packages(packages), Bind(_CODE, f"{_CODE_TARGET}/sandbox")),
        environment={
            "HOME": "/tmp",  # noqa: S108 - inside the sandbox
            "LANG": "C.UTF-8",
            "MKL_NUM_THREADS": str(threads),
            "OMP_NUM_THREADS": str(threads),
            "OPENBLAS_NUM_THREADS": str(threads),
            "PATH": "/usr/bin",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": f"{_CODE_TARGET}:{_PACKAGES_TARGET}",
            "PYTHONUNBUFFERED": "1",
            "TORCHINDUCTOR_CACHE_DIR": "/tmp/inductor",  # noqa: S108 - inside the sandbox
            "TRITON_CACHE_DIR": "/tmp/triton",  # noqa: S108 - inside the sandbox
            "TRITON_INTERPRET": "1",
        },
        channel=True,
        label=runner.removesuffix("_runner"),
        image=image,
    )


def _interpreter() -> tuple[Bind, ...]:
    """The interpreter's own files; those below /usr are there anyway."""
    base = Path(sys.base_prefix).resolve()
    return () if base.is_relative_to("/usr") else (Bind(base, str(base)),)


def _packages(names: Sequence[str]) -> tuple[Bind, ...]:
    folder = Path(sysconfig.get_path("purelib"))
    return tuple(
        Bind(folder / name, f"{_PACKAGES_TARGET}/{name}") for name in names if (folder / name).exists()
    )
