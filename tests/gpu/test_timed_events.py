"""Which kernels events time on a GPU: functional mode counts the same ones (`timed_launches`, ADR 31)."""

import subprocess
from pathlib import Path

import pytest

from sandbox.gpu.nvml import GpuInfo
from sandbox.toolchain import ToolchainMissing, find_toolkit
from testing.services import need

pytestmark = pytest.mark.gpu
SOURCE = Path(__file__).parent / "programs" / "timed_events.cu"


@pytest.fixture(scope="module")
def said(gpu: GpuInfo, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    try:
        nvcc = find_toolkit().nvcc
    except ToolchainMissing as error:
        need(available=False, what="nvcc", fix=str(error))
        raise
    program = tmp_path_factory.mktemp("events") / "timed_events"
    subprocess.run([nvcc, "-std=c++17", "-arch=native", "-o", program, SOURCE], check=True)
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return {words[0]: words[1:] for words in map(str.split, output.splitlines())}


@pytest.mark.parametrize(
    "streams", ["same", "default-around-ordinary", "ordinary-around-default", "ordinary-and-default"]
)
def test_events_that_enclose_a_kernel(said: dict[str, list[str]], streams: str) -> None:
    assert said[streams] == ["cudaSuccess", "long", "cudaSuccess"]


def test_events_of_a_stream_that_does_not_wait(said: dict[str, list[str]]) -> None:
    assert said["default-around-apart"] == ["cudaSuccess", "short", "cudaSuccess"]


def test_an_event_that_the_host_has_not_waited_for(said: dict[str, list[str]]) -> None:
    assert said["early"] == ["cudaErrorNotReady", "none", "cudaSuccess"]
