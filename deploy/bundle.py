"""`deploy/make-bundle FILE.tar`: a bundle that installs Warpcourt on a machine without a network.

The bundle contains the committed checkout with its built assets, the wheels of the locks, and `install`.
Options add Debian packages and container images. `deploy/setup` of the checkout installs from the wheels,
with the same locks and hashes as with a network. So the target machine must have the same Python version and
processor type as this machine, and for Debian packages the same release. Standard library only.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from deploy.setup import ROOT, RUN_PROGRAMS, TORCH

LOCKS = ("run", "nvcc", "triton")
TORCH_LOCK = "triton"  # needs PyTorch, which no lock contains
_DEB_FIELDS = (
    *("Package", "Version", "Architecture", "Multi-Arch", "Essential", "Pre-Depends", "Depends", "Provides"),
    *("Conflicts", "Breaks", "Replaces", "Description"),
)


class BundleFailed(Exception):
    """Raised when a part of the bundle cannot be made. The message says what to do."""


def main(argv: Sequence[str]) -> int:
    """Build a bundle."""
    parser = argparse.ArgumentParser(prog="deploy/make-bundle", description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, metavar="FILE.tar", help="the bundle, a new file")
    parser.add_argument(
        "--lock",
        action="append",
        default=[],
        help="add the packages of another lock, such as gpu, otel or s3",
    )
    parser.add_argument("--no-triton", action="store_true", help="omit Triton and PyTorch")
    parser.add_argument("--debs", action="store_true", help="add the Debian packages that a host needs")
    parser.add_argument("--image", action="append", default=[], metavar="NAME:TAG", help="add a Docker image")
    options = parser.parse_args(argv)
    locks = [lock for lock in LOCKS if lock != TORCH_LOCK or not options.no_triton]
    try:
        build(ROOT, options.file, [*locks, *options.lock], debs=options.debs, images=options.image)
    except BundleFailed as failure:
        print(f"make-bundle stopped: {failure}", file=sys.stderr)
        return 2
    return 0


def build(
    root: Path, file: Path, locks: Iterable[str], *, debs: bool = False, images: Iterable[str] = ()
) -> None:
    """Write the bundle of the checkout `root` to `file`.

    Raises:
        BundleFailed: the file exists, or a part is not available.
    """
    if file.exists():
        raise BundleFailed(f"{file} exists. Name a new file.")
    with tempfile.TemporaryDirectory(dir=file.absolute().parent, prefix=".bundle-") as made:
        folder = Path(made)
        _say("the checkout")
        _run("git", "-C", root, "archive", "--output", folder / "checkout.tar", "HEAD")
        shutil.copy2(root / "deploy" / "install-bundle", folder / "install")
        programs = "".join(f"{program} {package}\n" for program, package in RUN_PROGRAMS.items())
        (folder / "programs.txt").write_text(programs)
        (folder / "system.txt").write_text(f"{_system()}\n")
        _add_wheels(root, folder / "wheels", list(locks))
        if debs:
            _add_debs(folder / "debs", [*RUN_PROGRAMS.values(), "python3-venv"])
        for number, image in enumerate(images):
            _say(f"image {image}")
            (folder / "images").mkdir(exist_ok=True)
            _run("docker", "save", "-o", folder / "images" / f"{number}.tar", image)
        write_sums(folder)
        _say(f"writing {file}")
        new = folder.with_suffix(".tar")
        try:
            with tarfile.open(new, "w") as bundle:
                bundle.add(folder, arcname=f"warpcourt-{_version(root)}", filter=_of_root)
            new.replace(file)
        finally:
            new.unlink(missing_ok=True)


def _of_root(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Make root the owner of a file. On the other machine, this account's id may be that of another user.

    That user could change the bundle after its digests were checked, and root installs it.
    """
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    member.mode &= 0o755
    return member


def _add_wheels(root: Path, folder: Path, locks: list[str]) -> None:
    """Download the packages of each lock. pip checks the hashes."""
    folder.mkdir()
    for lock in locks:
        _say(f"wheels of {lock}")
        path = root / "deploy" / "requirements" / f"{lock}.txt"
        if not path.is_file():
            raise BundleFailed(f"the lock {path} does not exist")
        _pip(folder, "--require-hashes", "--no-deps", "-r", path)
        if lock == TORCH_LOCK:
            _say(f"wheels of {TORCH}")
            _pip(folder, TORCH)


def _pip(folder: Path, *wanted: object) -> None:
    options = ("--quiet", "--disable-pip-version-check", "--find-links", folder)
    _run(sys.executable, "-m", "pip", "download", *options, "--dest", folder, *wanted)


def _add_debs(folder: Path, packages: list[str]) -> None:
    """Download `packages` and all their dependencies, and index them for apt.

    Include packages that are installed on this machine.
    """
    _say("Debian packages")
    (folder / "partial").mkdir(parents=True)
    nothing = folder / "status"
    nothing.touch()
    options = (f"Dir::State::status={nothing}", f"Dir::Cache::archives={folder}", "APT::Sandbox::User=root")
    flags = [flag for option in options for flag in ("-o", option)]
    _run("apt-get", "-qq", "-y", *flags, "install", "--download-only", "--no-install-recommends", *packages)
    for leftover in (nothing, folder / "lock"):
        leftover.unlink(missing_ok=True)
    shutil.rmtree(folder / "partial")
    index = "\n".join(map(_deb_entry, sorted(folder.glob("*.deb"))))
    (folder / "Packages").write_text(index, encoding="utf-8")


def _deb_entry(path: Path) -> str:
    """Return the paragraph for a package in an apt index."""
    fields = _run("dpkg-deb", "--field", path, *_DEB_FIELDS).rstrip("\n")
    return f"{fields}\nFilename: ./{path.name}\nSize: {path.stat().st_size}\nSHA256: {_sha256(path)}\n"


def write_sums(folder: Path) -> None:
    """Write the digests of all files of the bundle, which `install` checks."""
    sums = folder / "SHA256SUMS"
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != sums)
    text = "".join(f"{_sha256(path)}  {path.relative_to(folder)}\n" for path in files)
    sums.write_text(text)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _system() -> str:
    """Return the name and release of this system, as `install` computes it."""
    return _run("sh", "-c", '. /etc/os-release && echo "$ID $VERSION_ID"').strip()


def _version(root: Path) -> str:
    return _run("git", "-C", root, "describe", "--always", "--dirty").strip()


def _say(text: str) -> None:
    print(f"== {text}", flush=True)


def _run(*command: object) -> str:
    argv = [*map(str, command)]
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"}
        )
    except FileNotFoundError as error:
        raise BundleFailed(f"{argv[0]} is not installed") from error
    if done.returncode:
        raise BundleFailed(f"{' '.join(argv[:4])} … failed:\n{done.stderr.strip()[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
