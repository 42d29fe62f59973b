"""Tests that a bundle installs a checkout without a network, in a network namespace without routes."""

import base64
import hashlib
import os
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from deploy import bundle
from deploy.setup import ROOT
from testing.services import need

pytestmark = pytest.mark.integration

NAME = "tinycourt"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small checkout with our scripts, whose locks need one wheel. pip finds it in a folder."""
    wheels = tmp_path / "index"
    wheels.mkdir()
    wheel = write_wheel(wheels)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    root = tmp_path / "checkout"
    requirements = root / "deploy" / "requirements"
    requirements.mkdir(parents=True)
    for lock in ("run", "nvcc"):
        (requirements / f"{lock}.txt").write_text(f"{NAME}==1.0 --hash=sha256:{digest}\n")
    for name in ("setup", "setup.py", "install-bundle"):
        shutil.copy2(ROOT / "deploy" / name, root / "deploy" / name)
    (root / "not-committed").write_text("stays")
    git = ("git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b")
    for command in (("init", "-q"), ("add", "deploy"), ("commit", "-qm", "A checkout")):
        subprocess.run([*git, *command], check=True, capture_output=True)
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return root


def write_wheel(folder: Path) -> Path:
    path = folder / f"{NAME}-1.0-py3-none-any.whl"
    info = f"{NAME}-1.0.dist-info"
    files = {
        f"{NAME}.py": "answer = 42\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(path, "w") as archive:
        record = ""
        for name, text in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(text)}\n"
            archive.writestr(name, text)
        archive.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return path


@pytest.fixture
def unpacked(checkout: Path, tmp_path: Path) -> Path:
    """A bundle of the checkout, as it lies on the other machine. The index is gone there."""
    file = tmp_path / "bundle.tar"
    bundle.build(checkout, file, ["run", "nvcc"])
    shutil.rmtree(tmp_path / "index")
    there = tmp_path / "there"
    shutil.unpack_archive(file, there, filter="data")
    (folder,) = there.iterdir()
    return folder


def install(folder: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """Install in a network namespace that has no route and no interface that is up."""
    program = 'test -z "$(cat /proc/net/route | tail -n +2)" && exec ./install "$0" --no-triton'
    environment = {"PATH": os.environ["PATH"], "HOME": str(target.parent)}
    return subprocess.run(
        ["unshare", "--user", "--map-root-user", "--net", "sh", "-c", program, str(target)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_bundle_installs_without_a_network(unpacked: Path, tmp_path: Path) -> None:
    probe = ["unshare", "--user", "--map-root-user", "--net", "true"]
    need(
        subprocess.run(probe, check=False).returncode == 0,
        "user namespaces",
        "sysctl user.max_user_namespaces",
    )
    target = tmp_path / "site"
    done = install(unpacked, target)
    assert done.returncode == 0, done.stdout + done.stderr
    program = [str(target / ".venv" / "bin" / "python"), "-c", f"import {NAME}; print({NAME}.answer)"]
    assert subprocess.run(program, capture_output=True, text=True, check=True).stdout == "42\n"
    assert not (target / "not-committed").exists()
    again = install(unpacked, target)
    assert again.returncode == 2
    assert "Choose a new folder" in again.stderr


def test_a_damaged_bundle_is_refused(unpacked: Path, tmp_path: Path) -> None:
    (wheel,) = (unpacked / "wheels").iterdir()
    wheel.write_bytes(wheel.read_bytes()[:-1] + b"x")
    done = install(unpacked, tmp_path / "site")
    assert done.returncode == 1
    assert "The bundle is damaged" in done.stderr
    assert not (tmp_path / "site").exists()


def test_a_bundle_with_other_files_is_refused(unpacked: Path, tmp_path: Path) -> None:
    (unpacked / "images").mkdir()
    for added in (unpacked / "images" / "0.tar", unpacked / "wheels" / "torch-99-py3-none-any.whl"):
        added.symlink_to("/dev/null")
        done = install(unpacked, tmp_path / "site")
        assert done.returncode == 1
        assert "other files than when it was built" in done.stderr
        added.unlink()
    assert not (tmp_path / "site").exists()


def test_a_folder_is_named_from_where_the_user_is(unpacked: Path) -> None:
    (unpacked / "programs.txt").write_text("no-such-program no-such-package\n")
    (unpacked.parent / "site").symlink_to("nowhere")
    done = subprocess.run(
        [unpacked / "install", "site"], cwd=unpacked.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert f"{unpacked.parent}/site exists" in done.stderr
    done = subprocess.run(
        [unpacked / "install", "--no-triton"],
        cwd=unpacked.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "usage: ./install FOLDER" in done.stderr


def test_the_files_of_a_bundle_belong_to_root(checkout: Path, tmp_path: Path) -> None:
    file = tmp_path / "bundle.tar"
    bundle.build(checkout, file, ["run"])
    with tarfile.open(file) as opened:
        for member in opened:
            assert (member.uid, member.gid, member.uname, member.mode & 0o022) == (0, 0, "root", 0)


def test_what_is_missing_is_named(unpacked: Path, tmp_path: Path) -> None:
    (unpacked / "programs.txt").write_text("no-such-program no-such-package\n")
    bundle.write_sums(unpacked)
    done = install(unpacked, tmp_path / "site")
    assert done.returncode == 1
    assert "lacks: no-such-package" in done.stderr


def test_a_bundle_is_not_overwritten(checkout: Path, tmp_path: Path) -> None:
    file = tmp_path / "bundle.tar"
    file.touch()
    with pytest.raises(bundle.BundleFailed, match="Name a new file"):
        bundle.build(checkout, file, ["run"])
    with pytest.raises(bundle.BundleFailed, match="does not exist"):
        bundle.build(checkout, tmp_path / "other.tar", ["none"])
    assert [path.name for path in tmp_path.glob("*.tar")] == ["bundle.tar"]
