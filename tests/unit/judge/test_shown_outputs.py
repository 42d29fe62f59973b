"""Tests the outputs that a run shows: bounded, only of public cases, and correct."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.redaction import redact
from judge.report import CaseReport, Report, ShownInput
from judge.report_json import from_json, to_json
from judge.runner.buffers import HostMemory
from judge.runner.comparison import UNWRITTEN
from judge.runner.shown_outputs import MOST_BINS, SHOWN_ELEMENTS, show, shown_inputs
from problems.formula import Formula
from problems.schema import Argument, Case
from problems.vocabulary import Dtype, Group, Role, Verdict
from tests.unit.judge.packages import DOUBLING

OUT = Argument(name="c", role=Role.OUT, dtype=Dtype.FLOAT32, shape=(Formula.parse("n"),))
ALPHA = Argument("alpha", Role.SCALAR, Dtype.FLOAT32, value=Formula.parse("1"))


def shown(got, expected, poison=None, argument=OUT):
    return show(
        argument,
        got=np.asarray(got, np.float32),
        expected=None if expected is None else np.asarray(expected, np.float64),
        poison=None if poison is None else np.asarray(poison, np.float32),
    )


def test_a_vector_with_one_wrong_element():
    output = shown([0, 1, 7, 3], [0, 1, 2, 3])
    assert (output.shape, output.corner, output.values) == ((4,), (1, 4), ("0", "1", "7", "3"))
    assert output.wrong == (2,)
    assert (output.grid, output.counts) == ((1, 4), (0, 0, 1, 0))
    assert output.worst is not None
    assert (output.worst.index, output.worst.got, output.worst.expected) == ((2,), "7", "2")


def test_the_worst_is_the_farthest_off_whether_it_is_shown_or_not():
    expected = np.zeros(5000)
    got = expected.copy()
    got[3], got[4321] = 1, -9
    assert shown(got, expected).worst.index == (4321,)


def test_what_is_right_has_no_map():
    output = shown([1, 2], [1, 2])
    assert (output.wrong, output.worst, output.counts) == ((), None, ())


def test_unwritten_elements_show_no_poison():
    output = shown([5, 666], [5, 6], poison=[1, 666])
    assert output.values == ("5", UNWRITTEN)
    assert output.wrong == (1,)
    assert output.worst is None


def test_nothing_is_compared_without_expected_values():
    output = shown([1, 2], None)
    assert (output.values, output.expected, output.wrong, output.counts) == (("1", "2"), (), (), ())


def test_a_matrix_shows_its_corner_and_a_grid():
    expected = np.zeros((40, 100))
    got = expected.copy()
    got[39, 99] = 2
    output = shown(got, expected)
    assert (output.corner, output.grid) == ((8, 8), (16, 16))
    assert output.counts.index(1) == 255


@given(
    st.lists(st.integers(1, 40), min_size=0, max_size=4).map(tuple),
    st.integers(0, 2**32 - 1),
)
def test_it_is_bounded_and_counts_every_wrong_element(shape, seed):
    random = np.random.default_rng(seed)
    expected = random.integers(0, 3, shape).astype(np.float64)
    got = random.integers(0, 3, shape).astype(np.float32)
    output = show(OUT, got=np.asarray(got), expected=np.asarray(expected), poison=None)
    assert len(output.values) == len(output.expected) <= SHOWN_ELEMENTS
    assert len(output.counts) in {0, output.grid[0] * output.grid[1]}
    assert len(output.counts) <= MOST_BINS
    assert sum(output.counts) == int((got != expected).sum())


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_without_a_distance_are_never_the_worst(value):
    assert shown([value, 3], [1, 1]).worst.index == (1,)
    assert shown([value], [1]).worst is None


def test_it_survives_storage():
    report = report_with(public=True)
    assert from_json(to_json(report)) == report


def test_inputs_and_scalars_are_shown_as_they_were_passed():
    x = np.arange(200, dtype=np.float32)
    contents = {"x": x.view(np.uint8)}
    problem = replace(DOUBLING, arguments=(*DOUBLING.arguments, ALPHA))
    case = Case("custom", Group.SAMPLE, {"n": 200}, scalars={"alpha": 0.1})
    first, n, alpha = shown_inputs(problem, case, HostMemory(), contents)
    assert (first.argument, first.shape, first.corner) == ("x", (200,), (1, SHOWN_ELEMENTS))
    assert first.values[:3] == ("0", "1", "2")
    assert (n.shape, n.values) == ((), ("200",))
    assert alpha.values == ("0.100000001",), "rounded to float32"
    assert shown_inputs(problem, replace(case, group=Group.ODD), HostMemory(), contents) == ()


def test_hidden_cases_and_those_after_them_show_none():
    assert redact(report_with(public=True)).cases[0].outputs
    assert redact(report_with(public=True)).cases[0].inputs
    assert not redact(report_with(public=False)).cases[0].inputs
    assert not redact(report_with(public=True, told_after=True)).cases[0].inputs
    assert not redact(report_with(public=False)).cases[0].outputs
    assert not redact(report_with(public=True, told_after=True)).cases[0].outputs


def report_with(*, public: bool, told_after: bool = False) -> Report:
    case = CaseReport("a", Group.SAMPLE, public=public, verdict=Verdict.WRONG_ANSWER, told_after=told_after)
    output = shown([0, 1, 7, 3], [0, 1, 2, 3])
    given = ShownInput("a", (2,), (1, 2), ("1", "2"))
    return Report(Verdict.WRONG_ANSWER, cases=(replace(case, outputs=(output,), inputs=(given,)),))
