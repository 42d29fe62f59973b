"""Tests that the tolerance follows from the difference between a reference and its float64 version."""

import json

import pytest

from problems.importing.described import parse_description
from problems.importing.planning import Plan, plan


def planned(drift: float, *, zeroed: bool = False) -> Plan:
    array = {"kind": "array", "dtype": "float32", "shape": [4], "low": 0.0, "high": 1.0, "deviation": 0.3}
    test = {
        "part": "functional",
        "number": 0,
        "name": "a",
        "arguments": {"x": array, "y": array},
        "expected": {"y": array},
        "wide": True,
        "drift": drift,
    }
    argument = {"kind": "array", "dtype": ""}
    arguments = [{"name": "x", "role": "in"} | argument, {"name": "y", "role": "out"} | argument]
    described = {"title": "", "absolute": 1e-5, "relative": 0.0, "gpus": 1, "tier": "", "modules": []}
    answer = described | {"arguments": arguments, "tests": [test]}
    return plan(parse_description(json.dumps(answer).encode()), zeroed=zeroed)


@pytest.mark.parametrize(("drift", "factor", "wide"), [(0.01, 1, True), (0.5, 1.5, True), (20, 1, False)])
def test_the_tolerance_covers_the_difference_from_float64(drift: float, factor: float, *, wide: bool) -> None:
    found = planned(drift)
    assert found.absolute == pytest.approx(factor * 1e-5)
    assert found.wide is wide
    assert any("tolerance" in warning for warning in found.warnings) == (drift >= 0.1)


@pytest.mark.parametrize("zeroed", [True, False])
def test_outputs_start_at_zero_if_the_importer_says_so(*, zeroed: bool) -> None:
    assert {a.ours: a.zeroed for a in planned(0.01, zeroed=zeroed).arguments} == {"x": False, "y": zeroed}
