"""Rooflines, and the calibrations that they come from."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.clock.calibration import (
    Calibration,
    CalibrationFailed,
    calibrated,
    load,
    not_yet_written,
    parse,
    store,
)
from judge.clock.roofline import IMPOSSIBLE, Roofline, roofline, surely_moved
from judge.sizes import bytes_of
from problems.formula import Formula
from problems.loader import load_problem
from problems.schema import Problem
from problems.vocabulary import Count, Group, Role
from tests.unit.judge.packages import DOUBLING

H200 = Calibration(
    gpu_uuid="GPU-1",
    driver="580.1",
    bytes_per_s=4.2e12,
    operations_per_s={"float16": 7e14, "float32": 5e13, "float64": 5.5e13},
    l2_bytes=50 << 20,
    read_bytes_per_s=4.5e12,
    absorbed_bytes=8 << 20,
)
LEFT = 50 * 2**20 // 4  # in the cache: a quarter of it at least
PROBLEMS = Path(__file__).resolve().parents[4] / "problems"
# Their programs can stop early, so no count says how little they move. docs/threat-model.md lists this risk.
STOPS_EARLY = {"bfs-levels", "canary"}
LEAST_US = 0.2  # of every case, whatever its formulas say


def test_memory_bounds_a_large_elementwise_case() -> None:
    found = roofline(DOUBLING, {"n": 1 << 26}, H200)
    assert found.floor_us == pytest.approx((8 * 2**26 - LEFT) / 4.5e6)
    assert found.second_look_us == pytest.approx(found.floor_us / 1.05)
    assert found.impossible_us == pytest.approx(found.floor_us / 1.2)


def test_inputs_of_a_cold_call_are_read_however_few_they_are() -> None:
    for n in (1 << 16, 1 << 20, 1 << 22):
        assert surely_moved(DOUBLING, {"n": n}, H200) >= 4 * n
    assert roofline(DOUBLING, {"n": 1 << 22}, H200).impossible_us > 3


def test_an_addition_of_126_megabytes_has_a_floor_near_the_honest_time() -> None:
    """Twice the cache was subtracted once, which left nothing of it: any forged time passed."""
    addition = replace(DOUBLING, bytes_moved=Formula.parse("8 * n"))
    found = roofline(addition, {"n": 126_000_000 // 8}, H200)
    assert found.impossible_us > 0.65 * 126e6 / 4.2e6


def test_what_a_gpu_was_not_measured_to_absorb_is_its_whole_cache() -> None:
    unmeasured = replace(H200, absorbed_bytes=None)
    assert surely_moved(DOUBLING, {"n": 1 << 26}, unmeasured) == 8 * 2**26 - (50 << 20)
    assert surely_moved(DOUBLING, {"n": 1 << 20}, unmeasured) == 4 * 2**20


def test_arithmetic_is_shown_by_its_dtype_and_refused_by_the_fastest_units() -> None:
    product = replace(DOUBLING, operations=Formula.parse("2 * n * n * n"), bytes_moved=Formula.parse("n"))
    found = roofline(product, {"n": 4096}, H200)
    assert found.floor_us == pytest.approx(2 * 4096**3 / 5e7)
    assert found.second_look_us == pytest.approx(found.floor_us / 1.05)
    assert found.impossible_us == pytest.approx(2 * 4096**3 / 7e8 / 1.2)


def test_no_time_is_refused_for_a_count_that_can_be_beaten() -> None:
    product = replace(
        DOUBLING, operations=Formula.parse("2 * n * n * n"), bytes_moved=Formula.parse("8 * n * n")
    )
    strict = roofline(product, {"n": 4096}, H200)
    smarter = roofline(replace(product, beatable=(Count.OPERATIONS,)), {"n": 4096}, H200)
    assert smarter.floor_us == strict.floor_us
    moving_us = surely_moved(product, {"n": 4096}, H200) / 4.5e6
    assert smarter.impossible_us == pytest.approx(moving_us / 1.2)
    assert smarter.second_look_us == pytest.approx(moving_us / 1.05)
    lazy = roofline(replace(product, beatable=(Count.BYTES, Count.OPERATIONS)), {"n": 4096}, H200)
    assert lazy.impossible_us == lazy.second_look_us < 1


RATES = st.floats(1e10, 1e14)
SIZES = st.integers(1, 2**31 - 1)
BUFFER_KINDS = st.sampled_from(
    [DOUBLING, load_problem(PROBLEMS / "sort"), load_problem(PROBLEMS / "vector-add")]
)
CALIBRATIONS = st.builds(
    lambda mixed, reads, half, single, l2, absorbed: replace(
        H200,
        bytes_per_s=mixed,
        read_bytes_per_s=reads,
        operations_per_s={"float16": half, "float32": single, "float64": single},
        l2_bytes=l2,
        absorbed_bytes=absorbed,
    ),
    RATES,
    st.just(0.0) | RATES,
    RATES,
    RATES,
    st.integers(0, 2**28),
    st.none() | st.integers(0, 2**30),
)


@given(problem=BUFFER_KINDS, gpu=CALIBRATIONS, n=SIZES, more=SIZES)
def test_more_to_do_never_takes_less(problem: Problem, gpu: Calibration, n: int, more: int) -> None:
    one, other = (roofline(problem, {"n": size}, gpu) for size in sorted((n, more)))
    for figure in ("floor_us", "second_look_us", "impossible_us"):
        assert getattr(one, figure) <= getattr(other, figure)


@given(problem=BUFFER_KINDS, gpu=CALIBRATIONS, n=SIZES)
def test_what_is_refused_is_doubted_and_lies_above_the_roofline(
    problem: Problem, gpu: Calibration, n: int
) -> None:
    found = roofline(problem, {"n": n}, gpu)
    assert found.impossible_us <= found.second_look_us <= found.floor_us


@given(problem=BUFFER_KINDS, gpu=CALIBRATIONS, n=SIZES, better=st.floats(1, IMPOSSIBLE))
def test_no_time_is_refused_that_the_memory_allows(
    problem: Problem, gpu: Calibration, n: int, better: float
) -> None:
    """A perfect program at the peak of the memory, up to a fifth above what was measured, however cached."""
    peak = better * gpu.fastest_bytes_per_s
    computing_us = problem.operations.evaluate({"n": n}) / gpu.fastest_operations_per_s * 1e6
    perfect_us = max(surely_moved(problem, {"n": n}, gpu) / peak * 1e6, computing_us, 0.2)
    assert roofline(problem, {"n": n}, gpu).impossible_us <= perfect_us * (1 + 1e-9)


@given(problem=BUFFER_KINDS, gpu=CALIBRATIONS, n=SIZES)
def test_at_most_the_cache_is_subtracted_once_and_never_an_input(
    problem: Problem, gpu: Calibration, n: int
) -> None:
    sizes = {"n": n}
    arrays = [a for a in problem.arguments if a.role is not Role.SCALAR]
    read = sum(bytes_of(a, sizes) for a in arrays if a.role is not Role.OUT)
    written = sum(bytes_of(a, sizes) for a in arrays if a.role is not Role.IN)
    moved = surely_moved(problem, sizes, gpu)
    assert moved >= read + max(0, written - gpu.l2_bytes)
    assert moved <= read + written


def test_a_call_has_a_place_under_the_roofline() -> None:
    place = roofline(DOUBLING, {"n": 1 << 26}, H200).place(200.0)
    assert place is not None
    assert place.intensity == 1 / 8
    assert place.bytes_per_s == pytest.approx(8 * 2**26 / 200e-6)
    assert (place.peak_bytes_per_s, place.peak_operations_per_s) == (4.2e12, 5e13)


def test_without_figures_a_call_has_no_place() -> None:
    assert Roofline(40, 20).place(50.0) is None


@pytest.mark.parametrize("path", sorted(PROBLEMS.glob("*/problem.toml")), ids=lambda path: path.parent.name)
def test_every_timed_case_has_a_roofline_with_room_below_it(path: Path) -> None:
    problem = load_problem(path.parent)
    stops_early = problem.slug in STOPS_EARLY
    assert stops_early == (Count.BYTES in problem.beatable)
    least_us = LEAST_US if stops_early else 5.0
    for case in problem.cases:
        if case.group is Group.TIMED:
            found = roofline(problem, case.sizes, H200)
            assert least_us <= found.impossible_us < 0.9 * found.floor_us


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


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 2}', '{"format": 9}'])
def test_a_file_that_makes_no_sense_is_measured_again(tmp_path: Path, text: str) -> None:
    (tmp_path / "calibration-GPU-1.json").write_text(text)
    assert load(tmp_path, gpu_uuid="GPU-1", driver="580.1") is None


def test_a_file_without_the_rate_of_reads_is_measured_again(tmp_path: Path) -> None:
    store(tmp_path, H200)
    (path,) = tmp_path.iterdir()
    body = json.loads(path.read_text()) | {"format": 1}
    del body["read_bytes_per_s"], body["absorbed_bytes"]
    path.write_text(json.dumps(body))
    assert load(tmp_path, gpu_uuid="GPU-1", driver="580.1") is None


def test_what_was_written_faster_than_memory_takes_it_is_in_the_cache() -> None:
    assert not_yet_written(40_000_000, 40_000_000, 8e-6, 4e12) == pytest.approx(8e6)
    assert not_yet_written(40_000_000, 80_000_000, 18e-6, 4e12) == pytest.approx(8e6)
    assert not_yet_written(40_000_000, 40_000_000, 30e-6, 4e12) == 0
    assert not_yet_written(40_000_000, 80_000_000, -1e-6, 4e12) == 40_000_000


def test_a_rate_of_zero_is_no_calibration() -> None:
    body = {"format": 2, "gpu_uuid": "a", "driver": "b", "l2_bytes": 1, "bytes_per_s": 0}
    body |= {"read_bytes_per_s": 1, "absorbed_bytes": 1}
    body["operations_per_s"] = {"float16": 1, "float32": 1, "float64": 1}
    with pytest.raises(ValueError, match="not positive"):
        parse(json.loads(json.dumps(body)))


def test_a_machine_without_a_gpu_says_why(tmp_path: Path) -> None:
    with pytest.raises(CalibrationFailed, match="GPU-1 failed"):
        calibrated(tmp_path, gpu_uuid="GPU-1", driver="580.1")
