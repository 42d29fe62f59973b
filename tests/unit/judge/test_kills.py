"""Tests submissions that are tests: the result of each case, the verdict, and what learners may see."""

from dataclasses import replace

import numpy as np
import pytest

from judge.cases import select_cases
from judge.kills import MAX_COMMENT, explained, in_random_order, judged_program, overall
from judge.oracle import Drawn
from judge.proof.checker_audit import check_checker
from judge.proof.programs import never_killed
from judge.proof.results import ProgramOutcome
from judge.redaction import HiddenNames, redact
from judge.report import CaseReport, Mismatch, Report
from judge.report_json import from_json, to_json
from judge.sizes import CustomCaseInvalid
from problems.loader import load_problem, problems_root
from problems.schema import Argument, Case, Problem
from problems.vocabulary import Dtype, Group, Language, Mode, ProgramKind, Role, Verdict
from tests.unit.judge.packages import DOUBLING

PROBLEM = load_problem(problems_root() / "templates" / "tests")
SAID = Mismatch("values", (3, 0), "1", "2", None, None)
EARLIER = Mismatch("lengths", (1,), "1", "2", None, None)


def case_named(name: str) -> Case:
    return next(case for case in PROBLEM.cases if case.name == name)


def judged(name: str, verdict: Verdict, *found: Mismatch, problem: Problem = PROBLEM) -> CaseReport:
    """Return the report's entry for the program `name` if the outputs of its case got `verdict`."""
    case = case_named(name)
    report = CaseReport(
        name, case.group, case.public, verdict, "As it was.", mismatched=len(found), mismatches=found
    )
    return judged_program(problem, case, report)


def all_judged(**refused: bool) -> list[CaseReport]:
    """Reports on all programs: rightly judged but for those in `refused`."""
    reports = []
    for case in PROBLEM.cases:
        faulty = case.program is ProgramKind.FAULTY
        wrong = refused.get(case.name.replace("-", "_"), faulty)
        verdict = Verdict.WRONG_ANSWER if wrong else Verdict.ACCEPTED
        reports.append(judged(case.name, verdict, *([SAID] if wrong else [])))
    return reports


@pytest.mark.parametrize(
    ("name", "outputs", "verdict", "message"),
    [
        ("first-place", Verdict.ACCEPTED, Verdict.ACCEPTED, "Passed."),
        ("first-place", Verdict.WRONG_ANSWER, Verdict.WRONG_ANSWER, "Rejected by test 1 (lengths)."),
        ("last-place", Verdict.ACCEPTED, Verdict.WRONG_ANSWER, "Survived."),
        ("last-place", Verdict.WRONG_ANSWER, Verdict.ACCEPTED, "Killed by test 1 (lengths)."),
    ],
)
def test_a_case_says_whether_its_program_was_judged_rightly(
    name: str, outputs: Verdict, verdict: Verdict, message: str
) -> None:
    found = [SAID, EARLIER] if outputs is Verdict.WRONG_ANSWER else []
    report = judged(name, outputs, *found)
    assert (report.verdict, report.message, report.program) == (verdict, message, case_named(name).program)
    assert (report.mismatched, report.mismatches) == (0, ())
    assert report.sizes == {"tests": 8, "longest": 16}


def test_the_test_is_not_named_if_the_submission_reads_anything() -> None:
    """A checker could tell by the index what it has read."""
    x = Argument("x", Role.IN, Dtype.INT32, shape=PROBLEM.arguments[0].shape)
    reading = replace(PROBLEM, arguments=(x, *PROBLEM.arguments))
    assert judged("last-place", Verdict.WRONG_ANSWER, SAID, problem=reading).message == "Killed."
    assert judged("first-place", Verdict.WRONG_ANSWER, SAID, problem=reading).message == "Rejected."


@pytest.mark.parametrize("verdict", [Verdict.RUNTIME_ERROR, Verdict.REJECTED, Verdict.TIME_LIMIT])
def test_a_failure_of_the_submission_kills_nothing(verdict: Verdict) -> None:
    report = judged("last-place", verdict)
    assert (report.verdict, report.message) == (verdict, "As it was.")
    assert overall(PROBLEM, [*all_judged()[:3], report]) == (verdict, "As it was.")


@pytest.mark.parametrize(
    ("refused", "verdict", "message"),
    [
        ({}, "accepted", "Killed 4 of 4 faulty programs. Passed 2 right programs."),
        (
            {"last_place": False},
            "wrong_answer",
            "Killed 3 of 4 faulty programs; at least 4 must be killed. Rejected 0 of 2 right programs.",
        ),
        (
            {"first_place": True},
            "wrong_answer",
            "Killed 4 of 4 faulty programs. Rejected 1 of 2 right programs; all must pass.",
        ),
    ],
)
def test_the_verdict_counts(refused: dict[str, bool], verdict: str, message: str) -> None:
    assert overall(PROBLEM, all_judged(**refused)) == (verdict, message)


def test_some_faulty_programs_may_survive_if_the_problem_says_so() -> None:
    assert PROBLEM.under_test is not None
    lenient = replace(PROBLEM, under_test=replace(PROBLEM.under_test, least_killed=3))
    assert overall(lenient, all_judged(without_last=False))[0] is Verdict.ACCEPTED


def test_a_run_needs_only_the_programs_that_it_has() -> None:
    assert overall(PROBLEM, all_judged()[:2]) == (
        Verdict.ACCEPTED,
        "Killed 1 of 1 faulty program. Passed 1 right program.",
    )


def test_hidden_programs_come_in_random_order_after_the_public_ones() -> None:
    orders = {tuple(case.name for case in in_random_order(PROBLEM, PROBLEM.cases)) for _ in range(100)}
    assert len(orders) > 5
    assert {order[:2] for order in orders} == {("first-place", "last-place")}
    assert {frozenset(order) for order in orders} == {frozenset(case.name for case in PROBLEM.cases)}
    assert in_random_order(DOUBLING, DOUBLING.cases) == list(DOUBLING.cases)


def test_accepted_tests_are_told_what_is_wrong_with_each_program() -> None:
    reports = explained(PROBLEM, all_judged())
    assert reports[0].message == "Passed. Right: the first place of the largest number."
    assert reports[4].message == "Killed by test 3 (values). Faulty: leaves out the last number."


def test_long_comments_are_shortened() -> None:
    assert PROBLEM.under_test is not None
    sources = (f'"""{"x" * 1000}"""', *PROBLEM.under_test.programs[1:])
    problem = replace(PROBLEM, under_test=replace(PROBLEM.under_test, programs=sources))
    assert len(explained(problem, all_judged())[0].message) == len("Passed. ") + MAX_COMMENT


def test_learners_see_the_kind_of_a_hidden_program_and_not_its_name() -> None:
    verdict, message = overall(PROBLEM, all_judged(without_last=False))
    shown = redact(Report(verdict, message, cases=tuple(all_judged(without_last=False))))
    assert shown.message == message
    assert [case.name for case in shown.cases] == [
        "first-place",
        "last-place",
        "right 1",
        "faulty 1",
        "faulty 2",
        "faulty 3",
    ]
    assert [case.message for case in shown.cases[3:]] == [
        "Killed by test 3 (values).",
        "Survived.",
        "Killed by test 3 (values).",
    ]
    assert all(case.sizes == {} for case in shown.cases[2:])


def test_names_of_programs_are_counted_by_kind() -> None:
    names = HiddenNames()
    asked = [ProgramKind.FAULTY, None, ProgramKind.RIGHT, ProgramKind.FAULTY]
    assert [names.following(Group.SMALL, kind) for kind in asked] == [
        "faulty 1",
        "small 1",
        "right 1",
        "faulty 2",
    ]


def test_reports_are_stored_with_the_kind_and_old_ones_have_none() -> None:
    report = Report(Verdict.ACCEPTED, cases=tuple(all_judged()))
    body = to_json(report)
    assert from_json(body) == report
    for case in body["cases"]:
        del case["program"]
    assert {case.program for case in from_json(body).cases} == {None}


def test_no_case_of_ones_own_chooses_a_hidden_program() -> None:
    with pytest.raises(CustomCaseInvalid, match="programs under test are fixed"):
        select_cases(PROBLEM, Mode.RUN, {"tests": 8, "longest": 16, "program": 3}, ranked=False)
    assert [case.name for case in select_cases(PROBLEM, Mode.RUN, None, ranked=False)] == [
        "first-place",
        "last-place",
    ]


def drawn_for(name: str) -> Drawn:
    answer = {"lengths": np.ones(8, np.int32), "values": np.ones((8, 16), np.int32)}
    return Drawn(case_named(name), {}, answer)


@pytest.mark.parametrize(
    ("name", "refused", "found"),
    [
        ("by-comparison", False, ""),
        ("by-comparison", True, "is right, but the tests that the reference returns reject it"),
        ("without-last", True, ""),
        ("without-last", False, "is faulty, but the tests that the reference returns do not kill it"),
    ],
)
def test_a_proof_runs_the_tests_of_the_reference(name: str, refused: bool, found: str) -> None:
    """Random bits are refused in any case."""
    texts = [
        f"{finding.place}: {finding.text}"
        for finding in check_checker(
            PROBLEM, [drawn_for(name)], lambda _, stored: not refused and bool((stored["lengths"] == 1).all())
        )
    ]
    assert texts == ([f"programs/{name}.py: {found}"] if found else [])


def test_a_proof_names_faulty_programs_that_no_solution_kills() -> None:
    def outcome(file: str, verdict: Verdict, *survivors: str) -> ProgramOutcome:
        cases = {
            case.name: Verdict.WRONG_ANSWER if case.name in survivors else Verdict.ACCEPTED
            for case in PROBLEM.cases
        }
        return ProgramOutcome(file, Language.PYTHON, verdict, verdict, "", 1.0, cases=cases)

    accepted = outcome("a", Verdict.ACCEPTED, "without-last", "last-place")
    other = outcome("b", Verdict.ACCEPTED, "without-last")
    failing = outcome("c", Verdict.WRONG_ANSWER)
    places = [finding.place for finding in never_killed(PROBLEM, [accepted, other, failing])]
    assert places == ["programs/without-last.py"]
    assert list(never_killed(DOUBLING, [accepted])) == []
