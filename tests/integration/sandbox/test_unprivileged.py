"""Tests the backend as an unprivileged user: without control groups and separate ids, but isolated."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from testing.services import need
from tests.integration.sandbox.conftest import SYSTEM_PYTHON

pytestmark = pytest.mark.integration

PACKAGE = Path(__file__).resolve().parents[3] / "sandbox"
SCRIPT = """
from sandbox.bubblewrap import Bubblewrap
from sandbox.spec import Command, Limits
backend = Bubblewrap()
backend.verify()
print(len(backend.weaknesses))
def run(script, **rest):
    limits = Limits(wall_s=60, cpu_s=1, memory_mib=128)
    process = backend.start(Command(("/bin/sh", "-c", script), limits, **rest))
    try:
        return process.wait()
    finally:
        process.close()
print(run("id -u; grep CapBnd /proc/self/status").stdout)
print(run("echo a > x; ln -s /etc/passwd y", collect={"x": 10, "y": 1000}).files)
print(run("while :; do :; done").ending)
print(run("python3 -c 'bytearray(1 << 30)'", environment={"PATH": "/usr/bin"}).status)
print(run("touch /dev/x /x || exit 3").status)
"""


@pytest.mark.usefixtures("bubblewrap")
def test_an_unprivileged_user_can_judge(tmp_path: Path) -> None:
    need(os.geteuid() == 0, "root, to become somebody else", "run the tests as root")
    shutil.copytree(PACKAGE, tmp_path / "sandbox", ignore=shutil.ignore_patterns("__pycache__", "cpu"))
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid() and str(folder).startswith("/tmp/pytest"):
            folder.chmod(0o755)
    completion = subprocess.run(
        [
            *("setpriv", "--reuid", "1234", "--regid", "1234", "--clear-groups", "--inh-caps=-all"),
            *(str(SYSTEM_PYTHON), "-I", "-S", "-B", "-c"),
            f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{SCRIPT}",
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert completion.returncode == 0, completion.stderr
    weak, identity, files, spin, memory, writes = completion.stdout.splitlines()
    assert weak == "2"
    assert identity == r"b'65534\nCapBnd:\t0000000000000000\n'"
    assert files == r"{'x': b'a\n'}"
    assert spin == "cpu_time"
    assert memory == "1"
    assert writes == "3"
