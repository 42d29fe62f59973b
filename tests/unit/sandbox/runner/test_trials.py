"""Tests repeated calls of a reference in other ways: observed NumPy calls, rounding and order of sums."""

from typing import Any

import numpy as np
import pytest

from sandbox.runner.trials import attempted, rounded, watched

XP: Any = np
ONE = np.linspace(0.1, 3, 1000)


def reference(xp: Any, a: Any, n: int) -> dict[str, Any]:
    """A little of everything that references do."""
    into = xp.zeros(n)
    into += a * xp.float64(2.1)
    square = a[:900].reshape(30, 30)
    return {
        "sum": xp.sum(a),
        "mean": a.mean(),
        "rows": square.sum(axis=1, keepdims=True),
        "where": xp.where(a > 1, a, 0) / 3,
        "product": square @ square,
        "deviation": a.std(),
        "into": into,
        "scan": xp.cumsum(a),
        "modf": xp.modf(a)[0],
        "order": xp.argsort(a),
    }


EXACT = reference(XP, ONE, 1000)


def worst(answer: dict[str, Any], name: str) -> float:
    return float(np.max(np.abs(np.asarray(answer[name], np.float64) - EXACT[name])))


@pytest.mark.parametrize("order", ["plain", "sequential", "reversed", "lanes"])
def test_float32_in_any_order_is_close(order: str) -> None:
    answer = dict(attempted(reference, [("float32", "", "", order)])(XP, a=ONE, n=1000))
    assert worst(answer, "sum") < 1e-2
    assert 0 < worst(answer, "product") < 1e-3
    for name in ("deviation", "rows", "where", "into", "scan"):
        assert 0 < worst(answer, name) < 2e-3, name
    assert np.asarray(answer["rows"]).shape == (30, 1)
    assert np.asarray(answer["sum"]).dtype == np.float32


def test_orders_differ() -> None:
    many = np.random.default_rng(5).standard_normal(50_000)
    manners = [("float32", "", "", order) for order in ("plain", "sequential", "reversed", "lanes")]
    ask = attempted(lambda xp, a: {"s": a.sum()}, manners)
    assert len({float(ask(XP, a=many)["s"]) for _ in manners}) >= 3


def test_manners_take_turns() -> None:
    ask = attempted(reference, [("float32", "", "", ""), ("float64", "bfloat16", "", "")])
    kinds = [np.asarray(ask(XP, a=ONE, n=1000)["sum"]).dtype for _ in range(4)]
    assert kinds == [np.float32, np.float64] * 2


def test_results_are_rounded_wherever_they_arise() -> None:
    answer = attempted(reference, [("float32", "bfloat16", "bfloat16", "plain")])(XP, a=ONE, n=1000)
    for name in ("sum", "where", "product", "into", "rows"):
        kept = np.asarray(answer[name], np.float32)
        assert np.array_equal(rounded(kept, "bfloat16"), kept), name


@pytest.mark.parametrize(
    ("form", "value", "near"),
    [
        ("bfloat16", 1 + 2**-8, 1.0),
        ("bfloat16", 1 + 3 * 2**-8, 1 + 2**-6),
        ("tf32", 1 + 2**-11, 1.0),
        ("tf32", 1 + 2**-10, 1 + 2**-10),
        ("float8", 1.07, 1.125),
        ("float16", 70000.0, np.inf),
        ("", 0.1, 0.1),
    ],
)
def test_formats_round_to_nearest_even(form: str, value: float, near: float) -> None:
    with np.errstate(over="ignore"):
        assert rounded(np.array([value]), form)[0] == near


def test_what_is_no_number_stays() -> None:
    values = np.array([np.nan, np.inf, -np.inf])
    assert np.array_equal(rounded(values, "bfloat16"), values, equal_nan=True)


def test_a_watched_reference_is_caught() -> None:
    def careless(xp: Any, a: Any) -> dict[str, Any]:
        a *= 2
        return {"b": a}

    with pytest.raises(RuntimeError, match="modifies its argument a"):
        watched(careless)(XP, a=ONE.copy())
    assert watched(reference)(XP, a=ONE.copy(), n=1000)["sum"] == EXACT["sum"]


def test_what_a_watched_reference_never_wrote_is_noticed() -> None:
    def forgetful(xp: Any, a: Any) -> dict[str, Any]:
        b = xp.empty_like(a)
        b[1:] = a[1:]
        return {"b": b}

    def thorough(xp: Any, a: Any) -> dict[str, Any]:
        b = xp.empty(a.shape)
        b[...] = a
        return {"b": b}

    def random(xp: Any, a: Any) -> dict[str, Any]:
        return {"b": a * xp.random.uniform()}

    empty = np.empty
    with pytest.raises(RuntimeError, match="returns uninitialised elements of b"):
        watched(forgetful)(np, a=ONE.copy())
    assert (watched(thorough)(np, a=ONE.copy())["b"] == ONE).all()
    assert watched(random)(np, a=ONE.copy())["b"].shape == ONE.shape  # another check says so
    assert np.empty is empty
