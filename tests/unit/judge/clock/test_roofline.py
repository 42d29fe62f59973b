"""Rooflines, and the calibrations that they come from."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from judge.clock.calibration import Calibration, CalibrationFailed, calibrated, load, parse, store
from judge.clock.roofline import Roofline, roofline
from problems.formula import Formula
from problems.loader import load_problem
from problems.vocabulary import Group
from tests.unit.judge.packages import DOUBLING

H200 = Calibration(
    gpu_uuid="GPU-1",
    driver="580.1",
    bytes_per_s=4.2e12,
    operations_per_s={"float16": 7e14, "float32": 5e13, "float64": 5.5e13},
    l2_bytes=50 << 20,
)
PROBLEMS = Path(__file__).resolve().parents[4] / "problems"


def test_memory_bounds_a_large_elementwise_case() -> None:
    found = roofline(DOUBLING, {"n": 1 << 26}, H200)
    assert found.floor_us == pytest.approx(8 * 2**26 / 4.2e6)
    assert 0.5 * found.floor_us < found.impossible_us < 0.9 * found.floor_us


def test_arithmetic_bounds_a_large_product() -> None:
    product = replace(DOUBLING, operations=Formula.parse("2 * n * n * n"), bytes_moved=Formula.parse("n"))
    found = roofline(product, {"n": 4096}, H200)
    assert found.floor_us == pytest.approx(2 * 4096**3 / 5e7)
    assert found.impossible_us < 0.02 * found.floor_us


def test_a_call_has_a_place_under_the_roofline() -> None:
    place = roofline(DOUBLING, {"n": 1 << 26}, H200).place(200.0)
    assert place is not None
    assert place.intensity == 1 / 8
    assert place.bytes_per_s == pytest.approx(8 * 2**26 / 200e-6)
    assert (place.peak_bytes_per_s, place.peak_operations_per_s) == (4.2e12, 5e13)


def test_without_figures_a_call_has_no_place() -> None:
    assert Roofline(40, 20).place(50.0) is None


def test_what_fits_in_the_cache_is_not_bounded_by_memory() -> None:
    assert roofline(DOUBLING, {"n": 1 << 20}, H200).impossible_us == 1.0


@pytest.mark.parametrize("path", sorted(PROBLEMS.glob("*/problem.toml")), ids=lambda path: path.parent.name)
def test_every_timed_case_has_a_roofline_with_room_below_it(path: Path) -> None:
    problem = load_problem(path.parent)
    for case in problem.cases:
        if case.group is Group.TIMED:
            found = roofline(problem, case.sizes, H200)
            assert 1.0 <= found.impossible_us < 0.9 * found.floor_us


def test_a_calibration_is_measured_once(tmp_path: Path) -> None:
    asked: list[str] = []

    def measure(gpu_uuid: str, driver: str) -> Calibration:
        asked.append(driver)
        return replace(H200, gpu_uuid=gpu_uuid, driver=driver)

    for driver in ("580.1", "580.1", "590.2", "590.2"):
        found = calibrated(tmp_path, gpu_uuid="GPU-1", driver=driver, measure=measure)
        assert found.driver == driver
    assert asked == ["580.1", "590.2"]


def test_what_is_kept_reads_back(tmp_path: Path) -> None:
    store(tmp_path, H200)
    assert load(tmp_path, gpu_uuid="GPU-1", driver="580.1") == H200
    assert load(tmp_path, gpu_uuid="GPU-2", driver="580.1") is None
    assert [path.name for path in tmp_path.iterdir()] == ["calibration-GPU-1.json"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}', '{"format": 9}'])
def test_a_file_that_makes_no_sense_is_measured_again(tmp_path: Path, text: str) -> None:
    (tmp_path / "calibration-GPU-1.json").write_text(text)
    assert load(tmp_path, gpu_uuid="GPU-1", driver="580.1") is None


def test_a_rate_of_zero_is_no_calibration() -> None:
    body = {"format": 1, "gpu_uuid": "a", "driver": "b", "l2_bytes": 1, "bytes_per_s": 0}
    body["operations_per_s"] = {"float16": 1, "float32": 1, "float64": 1}
    with pytest.raises(ValueError, match="not positive"):
        parse(json.loads(json.dumps(body)))


def test_a_machine_without_a_gpu_says_why(tmp_path: Path) -> None:
    with pytest.raises(CalibrationFailed, match="GPU-1 failed"):
        calibrated(tmp_path, gpu_uuid="GPU-1", driver="580.1")
