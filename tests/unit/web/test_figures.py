"""Times and scores as text."""

from dataclasses import replace

import pytest

from judge.report import Report, RequirementReport, Score
from problems.vocabulary import Counter, Relation, RequirementState, Verdict
from tests.unit.web.figures import timed_report, timing
from web.site.figures import NONE, attempts_note, clocks, host_code_note, interval, microseconds
from web.submissions.render_text import render_figures


@pytest.mark.parametrize(
    ("value_us", "text"),
    [
        (0.0125, "12.50 ns"),
        (3.67239, "3.672 µs"),
        (32.4555, "32.46 µs"),
        (118.83, "118.8 µs"),
        (1204.3, "1.204 ms"),
        (None, NONE),
    ],
)
def test_times_have_a_unit_and_four_digits(value_us, text):
    assert microseconds(value_us) == text


def test_an_interval_has_the_precision_of_its_median():
    assert interval(Score(9.999, 9.95, 10.05)) == "9.950 to 10.050 µs"
    assert interval(Score(1500.0, 990.0, 1510.0)) == "0.990 to 1.510 ms"


def test_clocks_are_shown_as_far_as_they_are_known():
    assert clocks(timing()) == "1980 / 3201 MHz"
    assert clocks(replace(timing(), memory_mhz=None)) == f"1980 / {NONE} MHz"
    assert clocks(replace(timing(), sm_mhz=None, memory_mhz=None)) == NONE


def test_runs_that_did_not_count_are_told_of():
    assert attempts_note(Report(Verdict.ACCEPTED)) == ""
    assert "first run was disturbed" in attempts_note(Report(Verdict.ACCEPTED, attempts=2))
    assert "2 runs were disturbed" in attempts_note(Report(Verdict.ACCEPTED, attempts=3))


def test_times_that_include_host_code_are_told_of():
    report = timed_report()
    assert host_code_note(report) == ""
    sample, first, second = report.cases
    called = replace(second, name="timed-small", timing=replace(timing(), queued=False))
    mixed = replace(report, cases=(sample, first, called))
    assert host_code_note(mixed) == (
        "The time of timed-small includes host code: the program waits for the GPU in solve, "
        "or uses a stream that does not wait for the default stream."
    )
    assert host_code_note(mixed) in render_figures(mixed)


def test_a_terminal_gets_score_times_and_resources():
    text = "\n".join(render_figures(timed_report(5.0, attempts=2)))
    assert "score 5.000 µs, 95 % interval 4.950 to 5.050 µs" in text
    assert "2.500 µs  2.475 to 2.525 µs    240     162 %  1980 / 3201 MHz" in text
    assert "add(float*)" in text
    assert "a run alone" in text


def test_a_long_kernel_name_is_cut():
    kernel = replace(timed_report().kernels[0], name="k" * 500)
    lines = render_figures(Report(Verdict.ACCEPTED, kernels=(kernel,)))
    assert max(map(len, lines)) < 120


def test_a_report_without_figures_has_none():
    assert render_figures(Report(Verdict.ACCEPTED)) == []


def test_requirements_are_a_table_with_advice_for_those_that_are_missed() -> None:
    met = RequirementReport(Counter.BARRIERS_PER_BLOCK, Relation.AT_MOST, 2, ".", RequirementState.MET, 2.0)
    missed = RequirementReport(
        Counter.LAUNCHES, Relation.EQUALS, 1, "Launch one kernel.", RequirementState.MISSED, 3.0, line=7
    )
    head, first, second, advice = render_figures(
        Report(Verdict.REQUIREMENT_MISSED, requirements=(met, missed))
    )[1:]
    assert head.split() == ["requirement", "state", "measured", "bound", "line"]
    assert first.split()[-5:] == ["2", "at", "most", "2", NONE]
    assert second.split()[-4:] == ["3", "exactly", "1", "7"]
    assert advice.endswith(": Launch one kernel.")
