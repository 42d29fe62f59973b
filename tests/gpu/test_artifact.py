"""Tests that compiled artifacts run on the GPU and report errors, without a container and a runner."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge.built import Built
from judge.target import Target
from problems.schema import Problem
from problems.vocabulary import Language

pytestmark = pytest.mark.gpu

CLIENT = Path(__file__).with_name("artifact_client.py")
SOLVE = 'extern "C" void solve(const float* a, const float* b, float* c, int n)'
ADD = """
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""
MANGLED = "_Z3addPKfS0_Pfi"
COUNT = 1000
Run = Callable[[str], dict[str, Any]]


@pytest.fixture
def built(target: Target, vector_add: Problem) -> Callable[[str], Built]:
    return lambda source: target.build(vector_add, source, Language.CUDA, lambda: False)


@pytest.fixture
def run(built: Callable[[str], Built], tmp_path: Path) -> Run:
    def run(body: str) -> dict[str, Any]:
        made = built(f"#include <cuda_runtime.h>\n{ADD}{SOLVE} {{ {body} }}\n")
        assert made.failure is None, made.log
        artifact = tmp_path / "solution.so"
        artifact.write_bytes(made.contents[0])
        argv = [sys.executable, str(CLIENT), str(artifact), str(COUNT)]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    return run


def test_it_computes(run: Run) -> None:
    said = run("add<<<(n + 255) / 256, 256, 512>>>(a, b, c, n);")
    assert said["right"]
    assert (said["launch_error"], said["sync_error"], said["name"]) == (0, 0, "")
    assert said["last"] == [MANGLED, 1, 4, 1, 1, 256, 1, 1, 512]


@pytest.mark.parametrize(
    "launch",
    [
        "cudaLaunchKernel((void*)add, dim3(4), dim3(256), at, 0, 0);",
        "cudaLaunchCooperativeKernel((void*)add, dim3(4), dim3(256), at, 0, 0);",
        "how.gridDim = dim3(4); how.blockDim = dim3(256); cudaLaunchKernelEx(&how, add, a, b, c, n);",
    ],
    ids=["by name", "cooperative", "with attributes"],
)
def test_every_way_to_launch_is_recorded(run: Run, launch: str) -> None:
    said = run(f"void* at[] = {{&a, &b, &c, &n}}; cudaLaunchConfig_t how = {{}}; {launch}")
    assert said["right"]
    assert said["last"] == [MANGLED, 1, 4, 1, 1, 256, 1, 1, 0]


def test_a_fault_names_the_last_launch(run: Run) -> None:
    said = run("add<<<1, 32>>>(a, b, c + (1ll << 40), n);")
    assert (said["sync_error"], said["name"]) == (700, "cudaErrorIllegalAddress")
    assert said["failed"] == [MANGLED, 1, 1, 1, 32, 1, 1]


def test_a_refused_launch_is_named_not_the_one_after_it(run: Run) -> None:
    said = run("add<<<1, 4096>>>(a, b, c, n); add<<<4, 256>>>(a, b, c, n);")
    names = {1: "cudaErrorInvalidValue", 9: "cudaErrorInvalidConfiguration"}  # the first since CUDA 13
    assert said["sync_error"] == 0
    assert said["name"] == names[said["launch_error"]]
    assert said["failed"] == [MANGLED, 1, 1, 1, 4096, 1, 1]


def test_resources_and_listings_are_there(built: Callable[[str], Built]) -> None:
    """cuobjdump and nvdisasm come with the toolkit of a GPU host."""
    made = built(f"{ADD}{SOLVE} {{ add<<<(n + 127) / 128, 128>>>(a, b, c, n); }} // not cached\n")
    [kernel] = made.kernels
    assert kernel.name == "add"
    assert 0 < kernel.registers < 64
    assert kernel.constant_bytes > 0
    listings = made.later.result(60) if made.later is not None else made.listings
    assert ".entry" in listings["ptx"]
    assert "LDG" in listings["sass"]
