"""Tests the parts of `benchmarks.watch_start` and `benchmarks.clock_experiment` that need no GPU."""

import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.clock_experiment import middle_and_spread, repeated
from benchmarks.watch_start import AFTER, CHOSEN, FIRST, PROGRAMS, VARIANTS, report, without_filling

GATE = Path(__file__).resolve().parents[3] / "judge" / "gpu" / "device" / "gate.cu"


def test_each_program_is_watched_in_each_way_and_sums_in_two_kernels_also_without_filling() -> None:
    sessions = Counter((variant.program, variant.filled) for variant in VARIANTS)
    assert {program for program, _ in sessions} == {*PROGRAMS}
    assert set(sessions.values()) == {len((FIRST, AFTER, CHOSEN))}
    unfilled = {program for program, filled in sessions if not filled}
    assert unfilled == {"two-kernels", "two-kernels-three-quarters"}


def test_the_gate_fills_the_instruction_caches_in_one_place() -> None:
    source = GATE.read_text()
    calls = source.count("fill_instruction_caches(")
    assert without_filling(source).count("fill_instruction_caches(") == calls - 1


def test_a_gate_that_fills_them_in_another_way_is_not_measured() -> None:
    with pytest.raises(SystemExit):
        without_filling("hold_gpu() {}")


def test_the_table_shows_median_spread_and_choice(capsys: pytest.CaptureFixture[str]) -> None:
    times_us = (10.0, 10.5, 11.0)
    figures = [{"ranked_us": us, "watched_first": us < 11} for us in times_us]
    report([figures for _ in VARIANTS])
    lines = capsys.readouterr().out.splitlines()[1:]
    assert len(lines) == len(VARIANTS)
    for variant, line in zip(VARIANTS, lines, strict=True):
        assert line.split()[:3] == [variant.program, variant.watch, "yes" if variant.filled else "no"]
        assert "10.50 us" in line
        assert "9.52 %" in line
        assert line.endswith("2 of 3") is (variant.watch == CHOSEN)


def test_the_spread_of_zeros_is_zero() -> None:
    assert middle_and_spread([0.0, 0.0]) == (0.0, 0.0)


def test_numbers_alternate_over_the_rounds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    order: list[int] = []

    def run(argv: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        order.append(int(argv[argv.index("--one") + 1]))
        return subprocess.CompletedProcess(argv, 0, "a line\n" + json.dumps({"us": len(order)}), "")

    monkeypatch.setattr(subprocess, "run", run)
    found = repeated("benchmarks.watch_start", range(2), 3, tmp_path, {})
    assert order == [0, 1, 0, 1, 0, 1]
    assert found == {0: [{"us": 1}, {"us": 3}, {"us": 5}], 1: [{"us": 2}, {"us": 4}, {"us": 6}]}


def test_a_round_that_fails_ends_the_benchmark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    failed = subprocess.CompletedProcess([], 1, "", "no GPU")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(SystemExit, match="no GPU"):
        repeated("benchmarks.watch_start", range(2), 1, tmp_path, {})
