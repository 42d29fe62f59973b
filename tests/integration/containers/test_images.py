"""Tests the images on a base that is built here, because CI has no registry.

The engine keeps them between runs.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sandbox.containers.backend import Containers
from sandbox.containers.images import Images
from sandbox.spec import Command, Completion, Image, Limits
from testing.services import ROOT, need

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("images")]

LIMITS = Limits(wall_s=60, cpu_s=60, memory_mib=512)
COMPILED = "echo 'int main() {}' > a.c && $CC a.c -o a.out && ./a.out"
WORKS = {
    Image.COMPILE: f"CC=g++; {COMPILED} && python3 -c 'import subprocess'",
    Image.CUDA: "ls /usr/lib/*/libstdc++.so.6",
    Image.LIBRARIES: "ls /usr/lib/*/libstdc++.so.6",
    Image.TRITON: f"CC=gcc; {COMPILED} && python3 -c 'import ctypes, json'",
    Image.ORACLE: "python3 -c 'import socket, mmap'",
}


@pytest.fixture(scope="module")
def built(docker_engine: str | None, tmp_path_factory: pytest.TempPathFactory) -> Containers:
    need(shutil.which("docker") is not None, "the docker command", "apt-get install docker.io")
    need(shutil.which("debootstrap") is not None, "debootstrap", "apt-get install debootstrap")
    need(os.geteuid() == 0, "root, for debootstrap", "run the tests as root")
    environment = dict(os.environ) | ({"DOCKER_HOST": docker_engine} if docker_engine else {})
    if shutil.disk_usage("/dev/shm").free > 4 << 30:
        environment["TMPDIR"] = "/dev/shm"
    options = ["--prefix", "warpcourt-test", "--tag", "test", "--structure-only", "--base-from-debootstrap"]
    done = subprocess.run(
        [str(ROOT / "deploy" / "build-images"), *options],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    backend = Containers(
        Images.tagged("warpcourt-test", "test"),
        directory=tmp_path_factory.mktemp("containers"),
        engine=docker_engine,
    )
    backend.verify()
    return backend


def shell(backend: Containers, image: Image, script: str) -> Completion:
    environment = {"PATH": "/usr/bin:/bin", "TMPDIR": "/tmp"}
    command = Command(("/bin/sh", "-c", script), LIMITS, image=image, environment=environment)
    process = backend.start(command)
    try:
        return process.wait(90)
    finally:
        process.close()


@pytest.mark.parametrize("image", Image)
def test_it_has_what_it_is_for_and_no_more_rights(built: Containers, image: Image) -> None:
    completion = shell(built, image, WORKS[image])
    assert completion.status == 0, completion.stderr
    leftovers = "find / -xdev -perm /6000 -type f 2>/dev/null; ls /opt; ls -A /work; touch /usr/x 2>&1"
    assert b"Read-only file system" in (said := shell(built, image, leftovers).stdout)
    assert len(said.splitlines()) == 1


def test_each_kind_has_a_file() -> None:
    folder = Path(ROOT, "deploy", "images")
    assert {path.stem for path in folder.glob("*.Dockerfile")} == set(Image)
    for path in folder.glob("*.Dockerfile"):
        text = path.read_text()
        assert text.index("ARG BASE=") < text.index("FROM ${BASE}"), "the base is an argument"
        assert text.rstrip().endswith("RUN /opt/warpcourt/seal")
