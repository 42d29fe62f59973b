"""Tests that diagnostics are validated, because they come from a process that runs hostile code."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from judge.evidence.diagnostics import (
    MAX_DIAGNOSTICS,
    clean,
    findings,
    first_error,
    headline,
    parse_diagnostics,
)
from judge.report import Diagnostic, Report
from problems.vocabulary import Severity, Verdict


def line(**values: object) -> bytes:
    return json.dumps({"severity": "error", "kind": "race", "message": "m"} | values).encode() + b"\n"


def test_a_full_diagnostic() -> None:
    (found,) = parse_diagnostics(line(kernel="add", block=[1, 0, 0], thread=[31, 0, 0], line=7))
    assert (found.kernel, found.block, found.thread, found.line) == ("add", (1, 0, 0), (31, 0, 0), 7)


def test_lines_that_are_no_diagnostics_are_dropped() -> None:
    junk = (
        b'nonsense\n[]\n{"severity": "fatal", "kind": "x", "message": "y"}\n{"severity": "error"}\n\xff\xfe\n'
    )
    assert parse_diagnostics(junk + line()) == parse_diagnostics(line())


def test_the_finding_that_ended_the_program_leads() -> None:
    launch = Diagnostic(Severity.NOTE, "launch", "add<<<1, 1>>>")
    found = [Diagnostic(severity, "x", severity * 2) for severity in reversed(Severity)]
    ended = Diagnostic(Severity.ERROR, "out_of_bounds", "reads past the end", line=4)
    failed = Report(Verdict.ILLEGAL_ACCESS, message="reads past the end", diagnostics=(launch, *found, ended))
    assert headline(failed) is ended
    assert headline(replace(failed, message="")) is found[2]
    assert findings(failed.diagnostics) == [found[2], ended, found[1], found[0]]
    assert headline(replace(failed, diagnostics=(launch,))) is None
    assert headline(replace(failed, verdict=Verdict.ACCEPTED)) is None


def test_a_finding_about_costs_leads_only_where_it_may_be_the_reason() -> None:
    slow = Diagnostic(Severity.NOTE, "uncoalesced", "each read moves 21.7 sectors", line=4)
    fault = Diagnostic(Severity.NOTE, "no_kernel", "solve returned without launching a kernel")
    wrong = Report(Verdict.WRONG_ANSWER, message="half is wrong", diagnostics=(slow,))
    assert headline(wrong) is None
    assert headline(replace(wrong, diagnostics=(slow, fault))) is fault
    assert headline(replace(wrong, verdict=Verdict.REQUIREMENT_MISSED)) is slow


def test_a_text_names_its_line_once() -> None:
    assert Diagnostic(Severity.ERROR, "x", "a is undefined", line=4).text == "line 4: a is undefined"
    assert Diagnostic(Severity.ERROR, "x", "reads a, line 4.", line=4).text == "reads a, line 4."
    assert Diagnostic(Severity.ERROR, "x", "no place").text == "no place"


def test_numbers_out_of_range_are_dropped_or_clamped() -> None:
    (found,) = parse_diagnostics(line(line=-1, block=[-1, 2**80, 0], thread=[1, 2]))
    assert (found.line, found.block, found.thread) == (None, (0, 2**32 - 1, 0), None)


def test_there_is_an_end_to_diagnostics() -> None:
    assert len(parse_diagnostics(line() * 10_000)) == MAX_DIAGNOSTICS


def test_deep_nesting_is_dropped() -> None:
    assert parse_diagnostics(b"[" * 60_000) == ()


def test_control_characters_are_removed() -> None:
    assert clean("a\x1b[31mb\x00\u202ec\nd", 100) == "a[31mbc\nd"


def test_long_text_is_cut() -> None:
    assert clean("x" * 100, 10) == "x" * 10 + "…"


def test_the_last_error_is_the_one_that_ended_the_program() -> None:
    found = parse_diagnostics(line(message="1") + line(message="2") + line(severity="note", message="3"))
    error = first_error(found)
    assert error is not None
    assert error.message == "2"


@given(st.binary(max_size=2000))
def test_no_bytes_break_the_parser(data: bytes) -> None:
    parse_diagnostics(data)
