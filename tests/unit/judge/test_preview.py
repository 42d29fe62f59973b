"""Tests previews of the contents that a case draws."""

import json
from contextlib import nullcontext
from dataclasses import replace

import pytest

from judge.errors import OracleFailed
from judge.proof.preview import CaseWanted, PreviewRefused, preview
from problems.schema import Case
from problems.vocabulary import Group
from tests.unit.judge.environment import SCALING, InProcessOracle

ODD = """
def generate(xp, rng, size):
    return {"x": xp.arange(size["n"])}

def reference(xp, x, n):
    y = x * 2.0
    y[0] = xp.nan
    y[1] = xp.inf
    return {"y": y}
"""


def look(problem, wanted):
    return preview(problem, wanted, lambda some: nullcontext(InProcessOracle(some)))


def test_it_tells_shapes_ranges_and_first_values():
    problem = replace(SCALING, reference=ODD)
    shown = look(problem, CaseWanted(sizes={"n": 20}, seed=5))
    given, expected = shown.arrays
    assert (shown.case, shown.sizes, shown.seed) == ("own sizes", {"n": 20}, 5)
    assert (given.part, given.shape, given.least, given.greatest, given.mean) == ("input", (20,), 0, 19, 9.5)
    assert given.first == tuple(str(number) for number in range(16))
    assert (expected.part, expected.nans, expected.infinities) == ("expected", 1, 1)
    assert (expected.least, expected.first[:3]) == (4.0, ("nan", "inf", "4"))


def test_it_is_stored_as_json_with_its_seed_as_text():
    shown = look(SCALING, CaseWanted(sizes={"n": 3}, seed=2**62))
    body = json.loads(json.dumps(shown.to_json()))
    assert body["seed"] == str(2**62)
    assert body["group"] == "small"
    assert shown.generator_ms is not None
    assert shown.reference_ms >= 0
    again = look(SCALING, CaseWanted.from_json({"sizes": {"n": 3}, "seed": body["seed"]}))
    assert again.arrays == shown.arrays


def test_a_case_that_states_its_inputs_has_no_generator():
    case = Case("stated", Group.SAMPLE, {"n": 2}, {"x": (1.0, 2.0)})
    shown = look(replace(SCALING, cases=(case, *SCALING.cases)), CaseWanted("stated"))
    assert shown.generator_ms is None
    assert shown.arrays[0].first == ("1", "2")


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (CaseWanted("none"), "Choose one of"),
        (CaseWanted(sizes={"rows": 2}), "exactly these sizes"),
        (CaseWanted(sizes={"n": 2**30}), "at most"),
        (CaseWanted(sizes={"n": 2}, seed=-1), "seed"),
        (CaseWanted("huge"), "GiB"),
    ],
)
def test_what_cannot_be_shown_is_refused_before_anything_runs(wanted, reason):
    huge = Case("huge", Group.TIMED, {"n": 2**30})
    with pytest.raises(PreviewRefused, match=reason):
        preview(replace(SCALING, cases=(*SCALING.cases, huge)), wanted, lambda _: pytest.fail("it ran"))


def test_code_that_breaks_says_so():
    with pytest.raises(OracleFailed, match="name 'nothing'"):
        look(replace(SCALING, reference=ODD.replace("x * 2.0", "nothing")), CaseWanted(sizes={"n": 2}))
