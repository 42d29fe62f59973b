import json
import math

from hypothesis import given
from hypothesis import strategies as st

from judge.report import (
    CaseReport,
    Diagnostic,
    KernelResources,
    Mismatch,
    Placement,
    Report,
    Score,
    StageTime,
    Timing,
    from_json,
    to_json,
)
from problems.vocabulary import Group, Severity, Verdict

finite = st.floats(allow_nan=False, allow_infinity=False)
text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
sizes = st.dictionaries(text, st.integers())
places = st.none() | st.tuples(st.integers(), st.integers(), st.integers())
mismatches = st.builds(
    Mismatch,
    text,
    st.lists(st.integers()).map(tuple),
    text,
    text,
    st.none() | finite,
    st.none() | finite,
)
counts = st.integers(0)
timings = st.builds(
    Timing,
    *(finite, finite, finite, counts, finite, finite),
    st.none() | finite,
    sm_mhz=st.none() | counts,
    placement=st.none() | st.builds(Placement, finite, finite, finite, finite),
)
kernels = st.builds(KernelResources, text, counts, counts, counts, counts, counts, counts)
cases = st.builds(
    CaseReport,
    text,
    st.sampled_from(Group),
    st.booleans(),
    st.sampled_from(Verdict),
    text,
    sizes,
    st.none() | finite,
    st.integers(),
    st.integers(),
    st.lists(mismatches, max_size=3).map(tuple),
    st.none() | timings,
)
diagnostics = st.builds(
    Diagnostic,
    st.sampled_from(Severity),
    text,
    text,
    st.none() | text,
    places,
    places,
    st.none() | st.integers(),
)
reports = st.builds(
    Report,
    st.sampled_from(Verdict),
    text,
    st.lists(st.builds(StageTime, text, finite), max_size=3).map(tuple),
    st.lists(cases, max_size=3).map(tuple),
    st.lists(diagnostics, max_size=3).map(tuple),
    text,
    text,
    st.dictionaries(text, text),
    st.none() | st.builds(Score, finite, finite, finite),
    st.lists(kernels, max_size=3).map(tuple),
    st.dictionaries(text, text),
)


@given(reports)
def test_a_report_survives_its_stored_form(report):
    stored = json.dumps(to_json(report), allow_nan=False)
    assert from_json(json.loads(stored)) == report


def test_a_report_stored_before_a_field_was_added_still_reads():
    assert from_json({"verdict": "accepted"}) == Report(Verdict.ACCEPTED)


def test_a_timing_of_an_earlier_clock_still_reads():
    stored = {
        "median_us": 5.0,
        "low_us": 4.9,
        "high_us": 5.1,
        "repetitions": 240,
        "gated_us": 5.5,
        "null_us": 10.2,
        "self_reported_us": 4.75,
        "floor_us": 4.0,
        "discarded": 1,
        "bounded": True,
        "placement": None,
    }
    case = {"name": "timed", "group": "timed", "public": False, "verdict": "accepted", "timing": stored}
    (read,) = from_json({"verdict": "accepted", "cases": [case]}).cases
    assert read.timing == Timing(5.0, 4.9, 5.1, 240, floor_us=4.0, discarded=1)
    assert read.timing.queued
    assert not read.timing.remarkable


def test_what_json_and_databases_cannot_hold_is_replaced():
    odd = Mismatch("a\0\ud800", (0,), "nan", "inf", math.nan, math.inf)
    case = CaseReport("c", Group.SAMPLE, public=True, verdict=Verdict.WRONG_ANSWER, mismatches=(odd,))
    (stored,) = to_json(Report(Verdict.WRONG_ANSWER, cases=(case,)))["cases"][0]["mismatches"]
    assert (stored["absolute_error"], stored["relative_error"]) == (None, None)
    assert stored["argument"] == "a\N{REPLACEMENT CHARACTER}?"
