"""Tests what reports reveal about hidden cases: fixed texts, and few bits that the program chooses."""

import json
import os
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.cases import orders_for
from judge.evaluate import evaluate
from judge.redaction import redact
from judge.report import CaseReport, Diagnostic, Mismatch, Report, Timing, WrongOutput
from judge.report_json import from_json, to_json
from problems.vocabulary import Group, Language, Mode, Severity, Verdict
from sandbox.spec import Completion, Termination
from sandbox.wire import ExitStatus
from tests.unit.judge.packages import DOUBLING
from tests.unit.judge.scripted import Actor
from tests.unit.judge.test_evaluate import ScriptedTarget, double

SECRET = "31337"
WHERE = " Sizes and values are hidden because a hidden case was running."
PUBLIC = CaseReport("example", Group.SAMPLE, public=True, verdict=Verdict.ACCEPTED, sizes={"n": 4})
FAILED = CaseReport("prime", Group.ODD, public=False, verdict=Verdict.RUNTIME_ERROR, message=SECRET)
SAID = Diagnostic(Severity.ERROR, "exception", f"solve() threw {SECRET}", line=7, hidden=True)
texts = st.text(max_size=40)
triples = st.none() | st.tuples(*[st.integers(0, 2**32 - 1)] * 3)
forged = st.builds(
    Diagnostic,
    st.sampled_from(["error", "warning", "note"]),
    texts,
    texts,
    st.none() | texts,
    triples,
    triples,
    hidden=st.just(True),
)


def failed(*diagnostics: Diagnostic, case: CaseReport = FAILED) -> Report:
    return Report(case.verdict, case.message, cases=(PUBLIC, case), diagnostics=diagnostics)


@given(forged, forged, texts, st.integers(1, 10**9), st.floats(0, 1e6))
def test_what_a_program_writes_changes_nothing_that_is_shown(
    one: Diagnostic, other: Diagnostic, text: str, size: int, ms: float
) -> None:
    """Two programs that differ in texts, numbers and sizes alone get the same report."""
    other = replace(other, severity=one.severity, kind=one.kind, thread=one.thread)
    changed = replace(FAILED, message=text, sizes={"n": size}, checked=size, mismatched=size // 2)
    shown = [redact(failed(one)), redact(failed(other, case=changed))]
    assert shown[0] == shown[1]


@given(st.lists(forged, max_size=20))
def test_one_finding_at_most_is_shown_of_all_hidden_cases(found: list[Diagnostic]) -> None:
    assert len(redact(failed(*found)).diagnostics) <= 1


def test_kind_line_array_and_thread_are_shown() -> None:
    said = Diagnostic(
        *(Severity.ERROR, "out_of_bounds", f"element {SECRET} of {SECRET}", "add"),
        *((81, 0, 0), (31, 0, 0)),
        line=3,
        array="c",
        hidden=True,
    )
    report = redact(failed(said))
    (shown,) = report.diagnostics
    assert (shown.kind, shown.line, shown.array, shown.thread) == ("out_of_bounds", 3, "c", (31, 0, 0))
    assert (shown.block, shown.kernel) == (None, None)
    assert shown.text == f"line 3: A thread read or wrote outside an array: c.{WHERE}"
    assert report.message == report.cases[1].message == shown.message


@pytest.mark.parametrize(
    ("message", "type_"),
    [
        (f"ValueError: {SECRET}", " of type ValueError"),
        (f"torch.OutOfMemoryError: {SECRET}", " of type torch.OutOfMemoryError"),
        ("AssertionError", " of type AssertionError"),
        (f"solve() threw an exception: vector::_M_range_check: {SECRET}", " of type std::out_of_range"),
        ("solve() threw an exception: std::bad_alloc", " of type std::bad_alloc"),
        (f"solve() threw an exception: {SECRET}", ""),
        (f"Secret{SECRET}: ValueError", ""),
        (f"solution.ValueError{SECRET}: x", ""),
        (f"ValueError{SECRET}", ""),
    ],
)
def test_the_type_of_an_exception_is_shown_if_it_is_in_our_list(message: str, type_: str) -> None:
    (shown,) = redact(failed(replace(SAID, message=message))).diagnostics
    assert shown.message == f"solve threw an exception{type_}.{WHERE}"


def test_an_exception_has_a_type_instead_of_a_thread() -> None:
    """So a program can choose no more than for other findings."""
    (shown,) = redact(failed(replace(SAID, thread=(31, 0, 0)))).diagnostics
    assert shown.thread is None


def test_a_thread_that_no_block_has_is_not_shown() -> None:
    (shown,) = redact(failed(replace(SAID, kind="race", thread=(1023, 1, 0)))).diagnostics
    assert shown.thread is None


def test_of_public_cases_everything_is_shown() -> None:
    said = replace(SAID, hidden=False)
    report = replace(failed(said), cases=(replace(FAILED, public=True, group=Group.SAMPLE),))
    assert redact(report) == report


def test_a_note_on_speed_of_a_hidden_case_has_its_line_and_no_numbers() -> None:
    note = Diagnostic(Severity.NOTE, "uncoalesced", f"moves {SECRET} sectors", line=7, hidden=True)
    other = replace(note, kind="precision", line=8)
    warning = replace(note, severity=Severity.WARNING, kind="race", line=9)
    accepted = replace(FAILED, verdict=Verdict.ACCEPTED, message="")
    (shown,) = redact(failed(other, note, case=accepted)).diagnostics
    assert (shown.severity, shown.kind, shown.line) == (Severity.NOTE, "uncoalesced", 7)
    assert SECRET not in shown.message
    (shown,) = redact(failed(note, warning, case=accepted)).diagnostics
    assert (shown.kind, shown.line) == ("race", 9)


def test_a_public_case_after_a_hidden_one_is_treated_alike() -> None:
    """The program may keep what it has seen, and answer with it where answers are shown."""
    leak = Mismatch("y", (int(SECRET),), "0", SECRET, 1.0, 1.0)
    late = replace(PUBLIC, verdict=Verdict.WRONG_ANSWER, message="1.17 % of the elements of y are wrong.")
    late = replace(late, checked=10**6, mismatched=11_700, mismatches=(leak,), told_after=True)
    report = redact(
        Report(Verdict.WRONG_ANSWER, late.message, cases=(replace(FAILED, verdict=Verdict.ACCEPTED), late))
    )
    assert report.cases[1].mismatches == ()
    assert report.cases[1].sizes == {"n": 4}
    assert report.message == report.cases[1].message == f"Many elements of y are wrong.{WHERE}"


@pytest.mark.parametrize(
    ("mismatched", "word"), [(1000, "All"), (501, "Most"), (500, "Many"), (10, "Many"), (9, "A few")]
)
def test_how_much_is_wrong_is_a_word(mismatched: int, word: str) -> None:
    case = replace(FAILED, verdict=Verdict.WRONG_ANSWER, checked=1000, mismatched=mismatched)
    shown = redact(failed(case=case)).cases[1]
    assert shown.message == f"{word} elements are wrong.{WHERE}"
    assert (shown.checked, shown.mismatched) == (0, 0)


def test_the_word_is_about_the_outputs_that_it_names() -> None:
    """`loss` is one element of 1001, and all of it is wrong."""
    wrong = Mismatch("loss", (0,), "1", "2", 1.0, 1.0)
    case = replace(FAILED, verdict=Verdict.WRONG_ANSWER, checked=1001, mismatched=1, mismatches=(wrong,))
    shown = redact(failed(case=replace(case, wrong_outputs=(WrongOutput("loss", 1, 1),)))).cases[1]
    assert shown.message == f"All elements of loss are wrong.{WHERE}"
    assert shown.wrong_outputs == ()


def test_a_broken_rule_is_told_in_the_words_of_the_package() -> None:
    case = replace(FAILED, verdict=Verdict.WRONG_ANSWER, rule="More than 1 % of the requests are late.")
    report = redact(failed(case=case))
    assert report.message == report.cases[1].message == f"More than 1 % of the requests are late.{WHERE}"


def test_elements_that_were_never_written_are_explained() -> None:
    missing = Mismatch("y", (7,), "1", "never written", None, None)
    case = replace(FAILED, verdict=Verdict.WRONG_ANSWER, checked=10, mismatched=6, mismatches=(missing,))
    assert redact(failed(case=case)).cases[1].message == (
        "Most elements of y are wrong; the first of them were never written. "
        f"Check the grid and the indices: they must reach every element.{WHERE}"
    )


def test_an_exit_status_and_a_signal_are_not_shown() -> None:
    message = "The process exited with status 37 before solve returned."
    assert "37" not in redact(failed(case=replace(FAILED, message=message))).message


def test_the_referees_own_words_are_shown() -> None:
    case = replace(FAILED, verdict=Verdict.REJECTED, message="The input a was changed.")
    assert redact(failed(case=case)).message == "The input a was changed."


def test_times_are_rough_and_tell_no_size() -> None:
    timing = Timing(10.5, 10.4, 10.6, 20, floor_us=3.0, roofline_percent=28.57)
    shown = redact(failed(case=replace(FAILED, timing=timing, wall_ms=31.337))).cases[1]
    assert shown.timing is not None
    assert (shown.timing.floor_us, shown.wall_ms) == (None, 30.0)
    assert shown.timing.median_us == 10.5


def test_findings_of_reports_from_before_count_as_hidden() -> None:
    body = to_json(failed(SAID))
    for entry in body["diagnostics"]:
        del entry["hidden"]
    assert SECRET not in json.dumps(to_json(redact(from_json(body))))


# --- through a whole judgement ------------------------------------------------------------------------------


def finding(**more: object) -> bytes:
    said = {"severity": "error", "kind": "exception", "message": SECRET, "line": 1} | more
    return json.dumps(said).encode() + b"\n"


def throws(on: str, said: bytes, *, first: str = "example") -> Report:
    """The report of a program that says `said` in the case `on` and ends there. `first` comes first."""
    cases = sorted(DOUBLING.cases, key=lambda case: case.name != first)
    problem = replace(DOUBLING, cases=tuple(cases))
    calls = 0

    def script(actor: Actor) -> None:
        nonlocal calls
        actor.receive()
        actor.answer()
        while actor.receive():
            names = [case.name for case in problem.cases for _ in orders_for(problem, case)]
            if names[calls] == on:
                os.write(actor.diagnostics, said)
                return
            calls += 1
            double(actor)
            actor.answer()

    completion = Completion(Termination.EXITED, ExitStatus.RUNTIME_ERROR, b"", b"", 0.1, 0.1, None)
    target = ScriptedTarget(runner=script, completion=completion)
    return evaluate(problem, "source", language=Language.CUDA, mode=Mode.SUBMIT, target=target)


def test_an_exception_in_a_hidden_case_says_nothing() -> None:
    report = throws("odd", finding(kernel=SECRET, block=[1, 2, 3]))
    assert report.verdict is Verdict.RUNTIME_ERROR
    assert report.message == f"solve threw an exception.{WHERE}"
    (shown,) = redact(report).diagnostics
    assert shown.text == f"line 1: {report.message}"
    assert SECRET in report.cases[1].message  # for those who may see hidden cases
    assert SECRET not in json.dumps(to_json(redact(report)))


def test_an_exception_in_a_public_case_says_all() -> None:
    report = throws("example", finding())
    assert report.message == SECRET
    assert redact(report) == report


def test_an_exception_in_a_public_case_after_a_hidden_one_says_nothing() -> None:
    report = throws("example", finding(), first="odd")
    assert SECRET not in report.message
    assert SECRET not in json.dumps(to_json(redact(report)))


def test_a_line_that_the_source_does_not_have_and_an_array_of_no_argument_are_dropped() -> None:
    report = throws("odd", finding(line=31337, array=SECRET))
    assert (report.diagnostics[-1].line, report.diagnostics[-1].array) == (None, None)
    assert SECRET not in json.dumps(to_json(redact(report)))
    assert throws("odd", finding(array="y")).diagnostics[-1].array == "y"
