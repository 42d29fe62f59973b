"""The trusted clock on a real GPU: its probe, its calibration, and an honest program from end to end."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from benchmarks.clock_experiment import build, one_round

pytestmark = pytest.mark.gpu
cupy = pytest.importorskip("cupy", reason="no CuPy")

from judge.device.memory import DeviceMemory  # noqa: E402 - needs CuPy
from judge.device.stillness import Probe  # noqa: E402 - needs CuPy

ROOT = Path(__file__).resolve().parents[2]
LINGER = r"""
extern "C" __global__ void linger(volatile int* leave) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (!*leave && now - start < 5000000000ull);
}
"""


@pytest.fixture(autouse=True)
def gpu() -> None:
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        pytest.skip(f"no usable GPU: {error}")
    if not count:
        pytest.skip("no GPU")


@contextmanager
def lingering(threads: int) -> Iterator[None]:
    """A kernel of one block that stays on the GPU."""
    kernel = cupy.RawKernel(LINGER, "linger")
    pinned = cupy.cuda.alloc_pinned_memory(4)
    leave = np.frombuffer(pinned, np.int32, 1)
    leave[0] = 0
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        kernel((1,), (threads,), (np.uint64(pinned.ptr),))
    time.sleep(0.05)
    try:
        yield
    finally:
        leave[0] = 1
        stream.synchronize()


def test_an_idle_gpu_is_still() -> None:
    stream = cupy.cuda.Stream(non_blocking=True)
    probe = Probe(stream)
    assert [probe.still() for _ in range(50)] == [True] * 50


def test_a_probe_is_quick(capsys: pytest.CaptureFixture[str]) -> None:
    probe = Probe(cupy.cuda.Stream(non_blocking=True))
    started = time.perf_counter()
    for _ in range(20):
        probe.still()
    each_us = (time.perf_counter() - started) / 20 * 1e6
    with capsys.disabled():
        sys.stdout.write(f"\nprobe {each_us:.0f} us\n")
    assert each_us < 1000


@pytest.mark.parametrize("threads", [1, 1024])
def test_one_warp_that_stays_is_seen(threads: int) -> None:
    probe = Probe(cupy.cuda.Stream(non_blocking=True))
    with lingering(threads):
        assert not probe.still()
    assert probe.still()


def test_calibration_gives_rates_that_can_be() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "judge.device.calibrate"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    assert 1e11 < measured["bytes_per_s"] < 2e13
    rates = measured["operations_per_s"]
    assert 1e12 < rates["float32"] < rates["float16"] < 1e16
    assert measured["l2_bytes"] >= 1 << 20


@pytest.mark.parametrize(("extent", "share"), [(8192, 0.01), (4096, 0.02), (1024, 0.1)])
def test_an_honest_program_is_ranked_by_what_it_takes(
    extent: int, share: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(tmp_path)
    figures = one_round(extent, tmp_path)
    with capsys.disabled():
        sys.stdout.write("\n" + "".join(f"{name}: {us:.2f} us\n" for name, us in figures.items()))
    assert abs(figures["RANKED"] / figures["batch 20 ms, events"] - 1) < share
    assert figures["ranked, took"] < 1e6


def test_a_sweep_is_quick_and_finds_no_difference(capsys: pytest.CaptureFixture[str]) -> None:
    memory = DeviceMemory.open()
    try:
        memory.kernels.clear_differences()
        memory.settle()
        memory.synchronize()
        started = time.perf_counter()
        for _ in range(20):
            memory.settle()
            memory.synchronize()
        each_us = (time.perf_counter() - started) / 20 * 1e6
        assert memory.kernels.differences() == (False, False)
    finally:
        memory.close()
    with capsys.disabled():
        sys.stdout.write(f"\nsweep {each_us:.0f} us\n")
    assert each_us < 500
