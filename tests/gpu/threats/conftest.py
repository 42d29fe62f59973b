"""If an attack puts the GPU out of use, its test fails, and the GPU is restored for later tests."""

from collections.abc import Iterator

import pytest

from judge.gpu.target import GpuTarget
from judge.target import Target
from sandbox.gpu.nvml import GpuInfo


@pytest.fixture(autouse=True)
def gpu_stays_in_use(target: Target, gpu: GpuInfo) -> Iterator[None]:
    yield
    assert isinstance(target, GpuTarget)
    gpu_runtime = target.gpu_runtimes[gpu.uuid]
    mark = gpu_runtime.quarantine.mark(gpu.uuid)
    if mark is not None:
        if gpu_runtime.card.mps is not None:
            gpu_runtime.card.mps.restart()
        gpu_runtime.quarantine.clear(gpu.uuid)
        pytest.fail(f"the GPU was quarantined: {mark.reason}")
