"""Tests custom values of users: how they are read, and which are refused."""

import contextlib
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.cases import select_cases
from judge.oracle import given_inputs
from judge.sizes import SizesInvalid
from judge.value_text import MAX_CHARACTERS, ValuesInvalid, read_array
from judge.values import NO_VALUES, as_text, check_values, from_json, matching_nan, read_values, to_json
from problems.formula import Formula
from problems.schema import Argument, ValueRule
from problems.vocabulary import Dtype, Mode, Role, ValueOrder
from tests.unit.judge.packages import DOUBLING, N

ROWS, COLS = Formula.parse("rows"), Formula.parse("cols")
X = DOUBLING.arguments[0]
MATRIX = Argument("m", Role.IN, Dtype.FLOAT32, shape=(ROWS, COLS))
KEYS = Argument(
    "keys", Role.IN, Dtype.INT32, shape=(N,), values=ValueRule(Formula.parse("0"), Formula.parse("n - 1"))
)
ALPHA = Argument("alpha", Role.SCALAR, Dtype.FLOAT32, value=Formula.parse("0.5", fractions=True))
NAN = float("nan")


def array(dtype: Dtype, said: object, *, most: int = 8) -> tuple[float, ...]:
    return read_array(Argument("x", Role.IN, dtype, shape=(N,)), said, most=most).values


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("1 2,3;4\n5", (1, 2, 3, 4, 5)),
        (" [1, 2.5, -3e2] ", (1, 2.5, -300)),
        ("[[1, 2], [3, 4]]", (1, 2, 3, 4)),
        ("inf -inf +Infinity", (math.inf, -math.inf, math.inf)),
        ("[1 inf]", (1, math.inf)),
        ("[Infinity, -Infinity]", (math.inf, -math.inf)),
        ('["inf", "-inf"]', (math.inf, -math.inf)),
        ([1, [2]], None),
        ([[1, 2], [3]], None),
        ([[[[[1]]]]], None),
        ([1, "2", 2.5, math.inf], (1, 2, 2.5, math.inf)),
        (3, (3,)),
        (".5 5. +1", (0.5, 5, 1)),
    ],
)
def test_values_are_text_numbers_and_nested_lists(said: object, values: tuple[float, ...] | None) -> None:
    if values is None:
        with pytest.raises(ValuesInvalid, match="differ in length or depth"):
            array(Dtype.FLOAT32, said)
    else:
        assert array(Dtype.FLOAT32, said) == values


def test_nan_is_a_value_of_every_float_dtype() -> None:
    for dtype in Dtype:
        if dtype.is_float:
            assert all(math.isnan(value) for value in array(dtype, "nan -NaN") + array(dtype, [NAN, "nan"]))
        else:
            with pytest.raises(ValuesInvalid, match="value 2, nan, is not"):
                array(dtype, "1 nan")


@pytest.mark.parametrize(
    ("dtype", "said", "words"),
    [
        (Dtype.FLOAT32, "1 x 3", "x: value 2, x, is not a float32 number"),
        (Dtype.FLOAT32, "1 1e39", "value 2, 1e39, does not fit float32"),
        (Dtype.FLOAT16, "65505", "does not fit float16, which holds -65504.0 to 65504.0. Write inf"),
        (Dtype.FLOAT64, "1e400", "does not fit float64"),
        (Dtype.FLOAT64, 10**400, "a number of many digits, does not fit"),
        (Dtype.INT32, "1, 2.5", "value 2, 2.5, is not a whole number"),
        (Dtype.INT32, "inf", "is not a whole number"),
        (Dtype.INT32, [True], "value 1, True, is not a whole number"),
        (Dtype.INT32, [None], "is not a whole number"),
        (Dtype.FLOAT32, [True], "is not a float32 number"),
        (Dtype.FLOAT32, {"a": 1}, "is not a float32 number"),
        (Dtype.INT8, "127 128", "value 2, 128, does not fit int8, which holds -128 to 127. Change it"),
        (Dtype.UINT8, "-1", "does not fit uint8"),
        (Dtype.INT64, "9" * 20, "does not fit int64"),
        (Dtype.INT64, "9" * 5000, "value 1, 999999999999999999999999…, is not a whole number"),
        (Dtype.BOOL, "1 0 2", "value 3, 2, does not fit bool"),
        (Dtype.BOOL, "yes", "is not true, false, 0 or 1"),
        (Dtype.FLOAT32, " ", "there are no values"),
        (Dtype.FLOAT32, [], "there are no values"),
        (Dtype.FLOAT32, "[1, 2", "x: the brackets do not match"),
        (Dtype.FLOAT32, "1, 2]", "the brackets do not match"),
        (Dtype.FLOAT32, "[1], [2]", "the brackets do not match"),
        (Dtype.FLOAT32, "[" * 5000, "the brackets do not match"),
        (Dtype.FLOAT32, "[" * 5000 + "1" + "]" * 5000, "differ in length or depth"),
        (Dtype.FLOAT32, "1 " * 9, "9 values are given, but at most 8 can be"),
        (Dtype.FLOAT32, "1" * (MAX_CHARACTERS + 1), "longer than 65536 characters"),
    ],
)
def test_what_is_no_value_is_named_with_its_position(dtype: Dtype, said: object, words: str) -> None:
    with pytest.raises(ValuesInvalid) as refused:
        array(dtype, said)
    assert words in str(refused.value)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", ["1" * 60_000 + "x", "1." + "1" * 60_000 + "x", "1e" + "1" * 60_000 + "x"])
def test_a_long_number_is_refused_in_linear_time(text: str) -> None:
    """A pattern that can split the digits in several ways takes a minute for each."""
    with pytest.raises(ValuesInvalid, match="is not a float32 number"):
        array(Dtype.FLOAT32, text)


def test_bools_are_words_or_numbers() -> None:
    assert array(Dtype.BOOL, "true False 1 0") == array(Dtype.BOOL, [True, False, 1, 0.0]) == (1, 0, 1, 0)
    assert array(Dtype.INT64, str(2**63 - 1)) == (2**63 - 1,)


@given(st.text(max_size=60), st.sampled_from(list(Dtype)))
def test_any_text_is_read_or_refused(text: str, dtype: Dtype) -> None:
    values = None
    with contextlib.suppress(ValuesInvalid):
        values = array(dtype, text, most=100)
    if values is not None:
        assert str(array(dtype, as_text(to_json({"x": values})["x"]), most=100)) == str(values)


@given(st.lists(st.floats(width=32), min_size=1, max_size=9))
def test_values_survive_storage(values: list[float]) -> None:
    stored = to_json({"x": tuple(values)})
    assert all(isinstance(value, str) or math.isfinite(value) for value in stored["x"])
    assert str(from_json(stored)) == str({"x": tuple(values)})


def read(
    said: dict[str, object], sizes: dict[str, int], *arguments: Argument, names: tuple[str, ...] = ("n",)
):
    limits = dict.fromkeys(names, 1000)
    return read_values(arguments or DOUBLING.arguments, said, sizes, limits=limits, most=8)


def test_their_number_determines_a_size_that_is_not_given() -> None:
    assert read({"x": "1 2 3"}, {}) == ({"n": 3}, {"x": (1, 2, 3)})
    names = ("rows", "cols")
    assert read({"m": "[[1, 2, 3], [4, 5, 6]]"}, {}, MATRIX, names=names)[0] == {"rows": 2, "cols": 3}
    with pytest.raises(SizesInvalid, match="Enter the size rows, which the given values do not determine"):
        read({"m": "1 2 3"}, {}, MATRIX, names=names)
    with pytest.raises(SizesInvalid, match="exactly these sizes"):
        read({"x": "1"}, {"m": 3})
    with pytest.raises(
        ValuesInvalid,
        match="make it 1 \N{MULTIPLICATION SIGN} 2, but its shape is 2 \N{MULTIPLICATION SIGN} 1",
    ):
        read({"m": [[1, 2]]}, {"rows": 2, "cols": 1}, MATRIX, names=names)


def check(
    sizes: dict[str, int], *arguments: Argument, checker: bool = False, **values: tuple[float, ...]
) -> None:
    check_values(arguments, sizes, values, checker=checker)


@pytest.mark.parametrize(
    ("argument", "sizes", "values", "words"),
    [
        (
            X,
            {"n": 4},
            (1, 2),
            "x: 2 values are given, but its shape with n = 4 is 4. Enter 4, or change n to 2.",
        ),
        (X, {"n": 4}, (1,), "1 value is given"),
        (
            MATRIX,
            {"rows": 2, "cols": 2},
            (1,),
            "with cols = 2, rows = 2 is 2 \N{MULTIPLICATION SIGN} 2. Enter 4, or change the sizes.",
        ),
        (KEYS, {"n": 3}, (0, 3, 1), "keys: value 2, 3, must be from 0 to 2."),
        (DOUBLING.arguments[1], {"n": 1}, (1,), "y is an output"),
        (DOUBLING.arguments[2], {"n": 1}, (1,), "n follows from the sizes. Change the sizes instead."),
        (replace(KEYS, values=None), {"n": 1}, (0,), "they may be indices"),
        (replace(X, values=ValueRule(custom=False)), {"n": 1}, (0,), "does not allow custom values for x"),
        (replace(ALPHA, dtype=Dtype.INT8), {"n": 1}, (300,), "alpha: value 1, 300, does not fit int8"),
    ],
)
def test_values_keep_to_shape_and_promise(
    argument: Argument, sizes: dict[str, int], values: tuple[float, ...], words: str
) -> None:
    with pytest.raises(ValuesInvalid) as refused:
        check_values([X, argument], sizes, {argument.name: values}, checker=False)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("order", "right", "wrong", "words"),
    [
        (ValueOrder.ASCENDING, (1, 1, 2, 0, 0, 5), (1, 2, 1, 0, 0, 0), "value 3, 1, must not be below"),
        (
            ValueOrder.INCREASING,
            (1, 2, 3, 0, 1, 2),
            (1, 2, 3, 0, 0, 1),
            "value 5, 0, must be above the value",
        ),
        (ValueOrder.PERMUTATION, (0, 2, 1, 2, 1, 0), (0, 2, 1, 2, 2, 0), "value 5, 2, comes twice"),
        (ValueOrder.PERMUTATION, (0, 2, 1, 2, 1, 0), (0, 3, 1, 2, 1, 0), "must be an index from 0 to 2"),
    ],
)
def test_the_order_holds_for_each_row(
    order: ValueOrder, right: tuple[int, ...], wrong: tuple[int, ...], words: str
) -> None:
    argument = replace(MATRIX, dtype=Dtype.INT32, values=ValueRule(order=order))
    check({"rows": 2, "cols": 3}, argument, m=right)
    with pytest.raises(ValuesInvalid, match=words):
        check({"rows": 2, "cols": 3}, argument, m=wrong)


def test_nan_keeps_no_bound_and_no_order() -> None:
    bound = replace(X, values=ValueRule(least=Formula.parse("0")))
    with pytest.raises(ValuesInvalid, match="value 1, nan, must be 0 or more"):
        check({"n": 1}, bound, x=(NAN,))
    with pytest.raises(ValuesInvalid, match="must not be below"):
        check({"n": 2}, replace(X, values=ValueRule(order=ValueOrder.ASCENDING)), x=(1, NAN))


def test_scalars_that_no_length_follows_from_are_free() -> None:
    check({"n": 1}, X, ALPHA, alpha=(0.25,))
    with pytest.raises(ValuesInvalid, match="checker of this problem relies"):
        check({"n": 1}, X, ALPHA, checker=True, alpha=(0.25,))
    with pytest.raises(ValuesInvalid, match="alpha is a scalar, but 2 values"):
        read_array(ALPHA, "1 2", most=8)


def test_a_case_of_ones_own_has_the_values() -> None:
    problem = replace(DOUBLING, arguments=(*DOUBLING.arguments, ALPHA))
    values = {"x": (1.0, math.inf), "alpha": (0.25,)}
    (case,) = select_cases(problem, Mode.RUN, {"n": 2}, ranked=False, values=values)
    assert (case.inputs, case.scalars, case.public) == ({"x": (1.0, math.inf)}, {"alpha": 0.25}, True)
    assert given_inputs(problem, case) == b'{"x": "0000803f0000807f"}'
    (plain,) = select_cases(problem, Mode.RUN, {"n": 2}, ranked=False, values=NO_VALUES)
    assert not plain.inputs


def test_nan_matches_an_expected_nan_once_there_are_values() -> None:
    x, y, n = matching_nan(DOUBLING).arguments
    assert y.tolerance is not None
    assert y.tolerance.nan
    assert (x, n) == (DOUBLING.arguments[0], DOUBLING.arguments[2])
