"""Scalars that are drawn for each case: reproducible, in their range, and known to reports and checkers."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.redaction import redact
from judge.report import Report, own_scalars
from judge.report_json import from_json, to_json
from judge.runner.checking import checker_manifest
from judge.runner.inspector import InspectionResult, report_on
from judge.scalars import with_scalars
from judge.sizes import SizesInvalid, check_sizes, scalar_of
from judge.values import check_values
from problems.formula import Formula, FormulaError
from problems.schema import Argument, Case, Problem, ValueRule
from problems.vocabulary import Dtype, Group, Role, Verdict
from tests.unit.judge.packages import DOUBLING

CASE = DOUBLING.cases[1]


def scalar(least: str, most: str, dtype: Dtype = Dtype.FLOAT32) -> Argument:
    low, high = (Formula.parse(text, fractions=dtype.is_float) for text in (least, most))
    return Argument("alpha", Role.SCALAR, dtype, values=ValueRule(low, high))


def problem(*scalars: Argument) -> Problem:
    return replace(DOUBLING, arguments=(*DOUBLING.arguments, *scalars))


def value(argument: Argument, seed: int, case: Case = CASE) -> float:
    return scalar_of(argument, with_scalars(problem(argument), case, seed))


def test_a_seed_gives_the_same_value_and_each_case_another() -> None:
    alpha = scalar("0.5", "2")
    values = [value(alpha, seed, case) for seed in range(20) for case in DOUBLING.cases]
    assert values == [value(alpha, seed, case) for seed in range(20) for case in DOUBLING.cases]
    assert len(set(values)) == len(values)
    assert min(values) < 0.8
    assert max(values) > 1.7


@given(st.integers(0, 2**128 - 1), st.sampled_from(list(Dtype)))
def test_values_keep_to_the_range_and_the_dtype(seed: int, dtype: Dtype) -> None:
    least, most = ("0", "1") if dtype is Dtype.BOOL else ("1", "n")
    drawn = value(scalar(least, most, dtype), seed)
    assert float(least) <= drawn <= (1 if dtype is Dtype.BOOL else CASE.sizes["n"])
    assert isinstance(drawn, float) == dtype.is_float


def test_integers_include_both_ends_and_may_be_as_wide_as_the_dtype() -> None:
    assert {value(scalar("2", "4", Dtype.INT8), seed) for seed in range(60)} == {2, 3, 4}
    wide = scalar("-9223372036854775807", "9223372036854775807", Dtype.INT64)
    assert len({value(wide, seed) for seed in range(20)}) == 20


def test_a_stated_value_stays_and_other_problems_keep_their_cases() -> None:
    stated = replace(CASE, scalars={"alpha": 1.5})
    assert with_scalars(problem(scalar("0.5", "2")), stated, 1) is stated
    assert with_scalars(DOUBLING, CASE, 1) is CASE
    with pytest.raises(FormulaError, match="is empty"):
        value(scalar("3", "2"), 1)
    with pytest.raises(FormulaError, match="alpha was not drawn"):
        scalar_of(scalar("1", "2"), CASE)


def test_sizes_that_leave_a_scalar_no_value_are_refused() -> None:
    check_sizes(problem(scalar("0.5", "n - 1")), {"n": 2})
    with pytest.raises(SizesInvalid, match="leave no value for alpha"):
        check_sizes(problem(scalar("0.5", "n - 1")), {"n": 1})
    with pytest.raises(SizesInvalid, match="make alpha 300, beyond int8"):
        check_sizes(problem(scalar("0", "n", Dtype.INT8)), {"n": 300})
    with pytest.raises(SizesInvalid, match="divides by zero"):
        check_sizes(problem(scalar("0", "1 / (n - 1)")), {"n": 1})


def test_reports_show_it_for_public_cases_only() -> None:
    drawn = with_scalars(problem(scalar("0.5", "2")), DOUBLING.cases[0], 1)
    shown, hidden = (
        report_on(replace(drawn, group=group), InspectionResult(Verdict.ACCEPTED), wall_ms=1.0)
        for group in (Group.SAMPLE, Group.ODD)
    )
    report = Report(Verdict.ACCEPTED, cases=(shown, hidden))
    assert from_json(to_json(report)) == report
    assert [case.scalars for case in redact(report).cases] == [own_scalars(drawn), {}]


def test_a_checker_gets_it_and_a_user_may_give_another() -> None:
    checked = replace(problem(scalar("0.5", "2")), checker="def check(): pass")
    assert b'"inputs": ["x", "alpha"]' in checker_manifest(checked)
    check_values(checked.arguments, {"n": 1}, {"alpha": (1.0,)}, checker=True)
    with pytest.raises(ValueError, match=r"alpha: value 1, 3\.0, must be from 0\.5 to 2"):
        check_values(checked.arguments, {"n": 1}, {"alpha": (3.0,)}, checker=True)
