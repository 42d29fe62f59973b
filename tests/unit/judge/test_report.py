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
    ShownInput,
    ShownOutput,
    StageTime,
    Timing,
    WrongOutput,
)
from judge.report_json import from_json, to_json
from problems.vocabulary import Group, Severity, Verdict

finite = st.floats(allow_nan=False, allow_infinity=False)
text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
texts = st.lists(text, max_size=3).map(tuple)
whole = st.lists(st.integers(), max_size=3).map(tuple)
counts = st.integers(0)
places = st.none() | st.tuples(st.integers(), st.integers(), st.integers())
pairs = st.tuples(counts, counts)
mismatches = st.builds(
    Mismatch,
    argument=text,
    index=whole,
    expected=text,
    got=text,
    absolute_error=st.none() | finite,
    relative_error=st.none() | finite,
)
timings = st.builds(
    Timing,
    median_us=finite,
    low_us=finite,
    high_us=finite,
    repetitions=counts,
    floor_us=st.none() | finite,
    roofline_percent=st.none() | finite,
    sm_mhz=st.none() | counts,
    placement=st.none() | st.builds(Placement, finite, finite, finite, finite),
)
kernels = st.builds(KernelResources, text, counts, counts, counts, counts, counts, counts)
shown_inputs = st.builds(ShownInput, argument=text, shape=whole, corner=pairs, values=texts)
shown_outputs = st.builds(
    ShownOutput,
    argument=text,
    shape=whole,
    corner=pairs,
    values=texts,
    expected=texts,
    wrong=whole,
    worst=st.none() | mismatches,
    grid=pairs,
    counts=whole,
)
cases = st.builds(
    CaseReport,
    name=text,
    group=st.sampled_from(Group),
    public=st.booleans(),
    verdict=st.sampled_from(Verdict),
    message=text,
    sizes=st.dictionaries(text, st.integers()),
    scalars=st.dictionaries(text, text),
    wall_ms=st.none() | finite,
    checked=st.integers(),
    mismatched=st.integers(),
    mismatches=st.lists(mismatches, max_size=3).map(tuple),
    timing=st.none() | timings,
    told_after=st.booleans(),
    outputs=st.lists(shown_outputs, max_size=2).map(tuple),
    inputs=st.lists(shown_inputs, max_size=2).map(tuple),
    wrong_outputs=st.lists(st.builds(WrongOutput, text, counts, counts), max_size=2).map(tuple),
)
diagnostics = st.builds(
    Diagnostic,
    severity=st.sampled_from(Severity),
    kind=text,
    message=text,
    kernel=st.none() | text,
    block=places,
    thread=places,
    line=st.none() | st.integers(),
    array=st.none() | text,
    hidden=st.booleans(),
)
reports = st.builds(
    Report,
    verdict=st.sampled_from(Verdict),
    message=text,
    stages=st.lists(st.builds(StageTime, text, finite), max_size=3).map(tuple),
    cases=st.lists(cases, max_size=3).map(tuple),
    diagnostics=st.lists(diagnostics, max_size=3).map(tuple),
    log=text,
    output=text,
    environment=st.dictionaries(text, text),
    score=st.none() | st.builds(Score, finite, finite, finite),
    kernels=st.lists(kernels, max_size=3).map(tuple),
    listings=st.dictionaries(text, text),
    attempts=counts,
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
