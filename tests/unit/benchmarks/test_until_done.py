"""Tests the parts of `benchmarks.until_done` that need no GPU."""

import pytest

from benchmarks.clock_experiment import SOURCE
from benchmarks.until_done import FREEING, ON_A_SIDE_STREAM, ROWS, SYNCHRONISING, figures_of, report
from judge.clock.contracts import CallObservation


def test_free_time_is_not_charged_and_the_rest_is() -> None:
    observed = [CallObservation(alone=True, last_us=10.0, done_us=done) for done in (11.0, 12.0, 14.0)]
    figures = figures_of(observed)
    assert (figures["least"], figures["median"], figures["greatest"]) == (1.0, 2.0, 4.0)
    assert figures["inf"] == 10.0
    assert 10.0 < figures["1.5"] < figures["0.0"] < 14.0


def test_each_program_that_waits_differs_from_the_plain_one_and_from_the_others() -> None:
    assert len({SOURCE, SYNCHRONISING, FREEING, ON_A_SIDE_STREAM}) == 4
    assert "cudaFree(scratch)" in FREEING
    assert "256, 0, side>>>" in ON_A_SIDE_STREAM


def test_the_table_has_a_line_for_each_program(capsys: pytest.CaptureFixture[str]) -> None:
    figures = figures_of([CallObservation(alone=True, last_us=10.0, done_us=12.0)])
    report([[figures] for _ in ROWS])
    lines = capsys.readouterr().out.splitlines()[1:]
    for row, line in zip(ROWS, lines, strict=True):
        assert line.startswith(row.title)
        assert "2.00 us" in line
