"""NVML's answers about a real GPU, and the audit of a real GPU host."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandbox.gpu.nvml import GpuInfo, GpuLost, NvmlUnavailable, open_nvml

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def gpu() -> GpuInfo:
    try:
        return open_nvml().gpus()[0]
    except (NvmlUnavailable, IndexError) as error:
        pytest.skip(f"no GPU: {error}")


def test_an_inventory_is_complete(gpu: GpuInfo) -> None:
    assert re.fullmatch(r"GPU-[0-9a-f-]{36}", gpu.uuid)
    assert Path(f"/dev/nvidia{gpu.minor}").exists()
    assert gpu.model
    assert gpu.memory_mib > 1024
    assert re.fullmatch(r"\d+\.\d+(\.\d+)?", gpu.driver)
    assert gpu.cuda >= (12, 0)
    assert gpu.architecture.startswith("sm_")
    assert gpu.sm_mhz
    assert gpu.memory_mhz


def test_a_sample_is_quick_and_plausible(gpu: GpuInfo) -> None:
    nvml = open_nvml()
    nvml.sample(gpu.uuid)
    began = time.monotonic()
    sample = nvml.sample(gpu.uuid)
    assert time.monotonic() - began < 0.1
    assert 0 < sample.sm_mhz <= gpu.sm_mhz
    assert 0 < sample.memory_mhz <= gpu.memory_mhz
    assert 0 < sample.temperature_c < 100
    assert 0 < sample.power_w < 2000
    assert 0 < sample.free_mib <= gpu.memory_mib


def test_memory_errors_can_be_asked_for(gpu: GpuInfo) -> None:
    errors = open_nvml().memory_errors(gpu.uuid)
    assert not errors.remap_failed


def test_an_unknown_gpu_is_lost(gpu: GpuInfo) -> None:
    with pytest.raises(GpuLost):
        open_nvml().sample("GPU-00000000-0000-0000-0000-000000000000")


def test_the_audit_sees_driver_and_gpus(gpu: GpuInfo) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "deploy.check_environment", "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    findings = json.loads(done.stdout)
    assert gpu.driver in [finding["found"] for finding in findings if finding["check"] == "driver"]
    assert any(gpu.uuid in finding["found"] for finding in findings)
    for finding in findings:
        assert finding["level"] == "ok" or finding["fix"], finding
