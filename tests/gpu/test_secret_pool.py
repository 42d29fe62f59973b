"""Tests the secret pool in GPU memory: it runs outside of MPS, and other processes read and write it."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge.drawn import CaseData
from judge.gpu.pool.client import SecretPool, SecretPoolSettings
from sandbox.gpu.mps import Mps
from sandbox.gpu.nvml import GpuInfo
from sandbox.spec import SandboxGpu
from tests.unit.judge.packages import DOUBLING

pytestmark = pytest.mark.gpu
ROOT = Path(__file__).resolve().parents[2]
CASE = DOUBLING.cases[1]
CLIENT = """
import sys
from sandbox.runner.vmm import Allocation, Device
device = Device.open()
with Allocation.from_descriptor(device, int(sys.argv[1]), int(sys.argv[2])) as memory:
    if len(sys.argv) > 3:
        memory.write(sys.argv[3].encode())
    device.synchronize()
    print(memory.read(6).decode())
"""


@pytest.fixture(scope="module")
def runtime() -> Path:
    return Path(tempfile.mkdtemp(prefix="wcv"))


@pytest.fixture(scope="module")
def secret_pool(gpu: GpuInfo, runtime: Path) -> Iterator[SecretPool]:
    opened = SecretPool(
        runtime,
        gpu.uuid,
        gpu=SandboxGpu(gpu.uuid, gpu.minor),
        settings=SecretPoolSettings(budget_mib=64, idle_s=1),
    )
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def mps(gpu: GpuInfo, runtime: Path) -> Iterator[Mps]:
    found = Mps(gpu.uuid, gpu.minor, runtime)
    found.ensure()
    yield found
    found.stop()


def client(gpu: GpuInfo, pipes: Path, drawn: CaseData, *words: str) -> str:
    """Return the contents of a set after a separate process, under MPS or without it, wrote `words` to it."""
    done = subprocess.run(
        [sys.executable, "-c", CLIENT, str(drawn.descriptor), str(drawn.size_bytes), *words],
        cwd=ROOT,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": gpu.uuid, "CUDA_MPS_PIPE_DIRECTORY": str(pipes)},
        pass_fds=[drawn.descriptor],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_set_is_written_beside_mps_and_read_by_a_client_of_mps(
    gpu: GpuInfo, secret_pool: SecretPool, mps: Mps, runtime: Path
) -> None:
    """The node depends on this: the oracle and the secret pool run outside of MPS, and referees under it."""
    reservation = secret_pool.reserve(DOUBLING, CASE)
    assert reservation is not None
    assert client(gpu, runtime / "no-mps", reservation.drawn, "secret") == "secret"
    secret_pool.commit(reservation, used=False)
    reservation.drawn.close()
    (drawn,), _ = secret_pool.take(DOUBLING, CASE, 1, keep=0, once=False)
    assert client(gpu, mps.pipe_directory, drawn) == "secret"
    drawn.close()


def test_fresh_memory_of_the_secret_pool_shows_nobodys_secret(
    gpu: GpuInfo, secret_pool: SecretPool, mps: Mps, runtime: Path
) -> None:
    """The secret pool does not scrub what it lets go, since a referee may still read it: the driver must."""
    for word in ("first!", "other!"):
        reservation = secret_pool.reserve(DOUBLING, CASE)
        assert reservation is not None
        assert client(gpu, runtime / "no-mps", reservation.drawn) == "\0" * 6
        assert client(gpu, runtime / "no-mps", reservation.drawn, word) == word
        secret_pool.drop(reservation)
        reservation.drawn.close()


def test_the_secret_pool_is_no_client_of_mps(secret_pool: SecretPool, mps: Mps) -> None:
    assert secret_pool.pid not in mps.clients()
