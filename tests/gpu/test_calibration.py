"""Tests the measured peak rates of a real GPU, and that no honest program exceeds its roofline."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from judge.clock.calibration import Calibration, measure_in_process
from judge.clock.roofline import SECOND_LOOK, roofline
from judge.evaluate import evaluate
from judge.target import Target
from problems.loader import load_problem, problems_root
from problems.vocabulary import Count, Group, Language, Mode, Verdict
from sandbox.gpu.nvml import GpuInfo

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(300)]
ROOT = Path(__file__).resolve().parents[2]
FAST = (
    ("vector-add", "plain.cu"),
    ("relu", "float4.cu"),
    ("reduction-sum", "cub.cu"),
    ("prefix-sum", "cub.cu"),
    ("matrix-transpose", "padded-tile.cu"),
    ("matrix-multiply", "register-tiles.cu"),
    ("softmax", "online.cu"),
    ("histogram", "private-copies.cu"),
    ("sort", "cub.cu"),
)
# Cold copies of about the size of the cache, by a kernel of the calibration: seconds by share of the cache.
COLD = """
import json
import cupy, numpy as np
from judge.gpu.device import calibrate
kernels, size = calibrate.CalibrationKernels(), int(cupy.cuda.Device().attributes["L2CacheSize"]) // 16 * 16
origin, target, private = (cupy.ones(n * size, cupy.uint8) for n in (2, 2, 3))
def cold(work):
    return calibrate.best_s(work, before=lambda: kernels.read(private, private.nbytes))
launch = cold(lambda: kernels._nothing(*kernels._shape, ()))
found = {}
for share in (0.25, 0.5, 1.0, 2.0):
    quads = np.int64(share * size // 16)
    found[share] = cold(lambda: kernels._copy(*kernels._shape, (target, origin, quads))) - launch
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def measured(gpu: GpuInfo, target: Target) -> Calibration:
    del target  # opened first, so that nothing of it is measured meanwhile
    return measure_in_process(gpu.uuid, gpu.driver)


def test_reads_alone_are_about_as_fast_as_a_copy(measured: Calibration) -> None:
    assert 0.8 < measured.read_bytes_per_s / measured.bytes_per_s < 1.25
    assert measured.absorbed_bytes is not None
    assert 0 <= measured.absorbed_bytes <= measured.l2_bytes
    print(measured)  # noqa: T201 - for docs/measurements.md


def test_a_second_measurement_says_the_same(measured: Calibration, gpu: GpuInfo) -> None:
    again = measure_in_process(gpu.uuid, gpu.driver)
    assert again.read_bytes_per_s == pytest.approx(measured.read_bytes_per_s, rel=0.03)
    assert again.left_in_cache_bytes == pytest.approx(measured.left_in_cache_bytes, rel=0.3)


def test_cold_copies_of_any_size_take_longer_than_what_is_refused(measured: Calibration) -> None:
    copying = load_problem(problems_root() / "relu")
    done = subprocess.run([sys.executable, "-c", COLD], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for share, took_s in json.loads(done.stdout).items():
        found = roofline(copying, {"n": int(float(share) * measured.l2_bytes) // 4}, measured)
        assert took_s * 1e6 > found.second_look_us, (share, took_s, found)


@pytest.mark.parametrize(("slug", "file"), FAST)
def test_a_fast_honest_program_is_neither_refused_nor_doubted(target: Target, slug: str, file: str) -> None:
    problem = load_problem(problems_root() / slug)
    source = (problems_root() / slug / "solutions" / file).read_text()
    report = evaluate(problem, source, language=Language.CUDA, mode=Mode.SUBMIT, target=target)
    assert report.verdict is Verdict.ACCEPTED, report
    percents = [
        case.timing.roofline_percent for case in report.cases if case.group is Group.TIMED and case.timing
    ]
    print(slug, file, [round(percent) for percent in percents if percent])  # noqa: T201
    assert percents
    if Count.OPERATIONS not in problem.beatable:
        assert all(percent is not None and percent <= 100 * SECOND_LOOK for percent in percents)
