"""Finds the compilers that functional mode needs: nvcc and g++.

nvcc comes from an explicit path, from PATH, or from NVIDIA's wheels in this Python environment. Only its
front end is used (PTX, no device code), so neither a GPU nor a driver is needed.
"""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from sandbox.spec import Bind

MINIMUM_CUDA = (12, 4)  # the first whose PTX names inlined functions in .loc as the translator reads them
MINIMUM_GCC = 11  # C++20
WHEELS = "nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime nvidia-cuda-cccl"
_PROBE_TIMEOUT_S = 20.0
_SYSTEM_FOLDERS = ("/usr", "/lib", "/lib64", "/bin")


class ToolchainMissing(Exception):
    """Raised when a compiler is absent or too old. The message has the line that installs it."""


@dataclass(frozen=True, slots=True)
class Toolkit:
    """An nvcc with the root of its installation, and the g++ it works with."""

    nvcc: Path
    root: Path
    cuda_version: tuple[int, ...]
    cxx: Path
    cxx_version: str

    @property
    def include(self) -> Path:
        """The folder with `cuda_runtime_api.h`."""
        return self.root / "include"

    def stamp(self) -> dict[str, str]:
        """Versions, for results and cache keys."""
        return {"nvcc": ".".join(map(str, self.cuda_version)), "g++": self.cxx_version}

    def binds(self) -> tuple[Bind, ...]:
        """The binds that both compilers need in a sandbox, at the same paths as here."""
        folders = [Path(folder) for folder in _SYSTEM_FOLDERS]
        folders += [self.root, self.cxx.resolve().parent.parent]
        return tuple(Bind(folder, str(folder)) for folder in _outermost(folders) if folder.exists())


def find_toolkit(nvcc: Path | None = None) -> Toolkit:
    """The toolkit with the given `nvcc`, else the first one found.

    Raises:
        ToolchainMissing: with the exact line that installs what is missing.
    """
    found = nvcc or _on_path() or _in_wheels()
    if found is None or not found.is_file():
        where = f"{nvcc} does not exist" if nvcc else "nvcc was not found on PATH nor in this environment"
        raise ToolchainMissing(f"{where}. Install it: {_install_line()}")
    version = _cuda_version(found)
    if version[:2] < MINIMUM_CUDA:
        wanted = ".".join(map(str, MINIMUM_CUDA))
        raise ToolchainMissing(
            f"{found} is CUDA {'.'.join(map(str, version))}, {wanted} or newer is required. "
            f"Install it: {_install_line()}"
        )
    cxx, cxx_version = _find_cxx()
    return Toolkit(found, _root(found), version, cxx, cxx_version)


def _on_path() -> Path | None:
    found = shutil.which("nvcc")
    return Path(found) if found else None


def _in_wheels() -> Path | None:
    candidates = (Path(folder) / "nvidia" / "cu13" / "bin" / "nvcc" for folder in sys.path)
    return next((path for path in candidates if path.is_file()), None)


def _install_line() -> str:
    return f"{sys.executable} -m pip install {WHEELS}"


def _cuda_version(nvcc: Path) -> tuple[int, ...]:
    text = _probe([str(nvcc), "--version"])
    match = re.search(r"\bV(\d+)\.(\d+)\.(\d+)", text)
    if not match:
        raise ToolchainMissing(f"{nvcc} --version prints no version. Install it: {_install_line()}")
    return tuple(int(part) for part in match.groups())


def _root(nvcc: Path) -> Path:
    """The installation's root. `nvcc` may be a link or a script that calls the real one."""
    text = _probe([str(nvcc), "--dryrun", "-ptx", "-x", "cu", "/dev/null"])
    match = re.search(r"^#\$ TOP=(.+)$", text, re.MULTILINE)
    root = Path(match.group(1)).resolve() if match else nvcc.resolve().parent.parent
    if not (root / "include" / "cuda_runtime_api.h").is_file():
        raise ToolchainMissing(
            f"{nvcc} has no CUDA headers in {root / 'include'}. Install them: {_install_line()}"
        )
    return root


def _find_cxx() -> tuple[Path, str]:
    install = "apt-get install g++"
    found = shutil.which("g++")
    if found is None:
        raise ToolchainMissing(f"g++ was not found. Install it: {install}")
    version = _probe([found, "-dumpfullversion"]).strip()
    if not version or int(version.split(".")[0]) < MINIMUM_GCC:
        raise ToolchainMissing(f"g++ {version} is too old; {MINIMUM_GCC} or newer is required: {install}")
    return Path(found), version


def _probe(argv: list[str]) -> str:
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=_PROBE_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise ToolchainMissing(f"{argv[0]} cannot be run: {problem}") from problem
    return done.stdout + done.stderr


def _outermost(folders: list[Path]) -> list[Path]:
    """`folders` without those that lie inside another one, symbolic links kept."""
    unique = sorted(set(folders), key=lambda path: len(path.parts))
    kept: list[Path] = []
    for folder in unique:
        if not any(folder.is_relative_to(other) for other in kept):
            kept.append(folder)
    return kept
