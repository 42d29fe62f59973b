"""The verdict of submissions that are tests: which programs under test they kill, and which they pass.

Theory of operation. Each case tests another program (`problems.under_test`). The outputs of a case are wrong
if the submitted tests reject its program, which is correct if the program is faulty. So the report of a case
says whether the tests judged its program correctly. For the verdict, all right programs must pass, and enough
faulty programs must be killed. Any other failure of a submission, such as an exception, is charged as in
other problems.

A submission could count its calls and return different tests for different programs. So hidden cases run in a
random order (`in_random_order`), and the inspector rejects tests without inputs that differ between calls.
The report lists the cases in the order of the file.

For a hidden case, the report says whether the program was rejected. In problems without inputs it also says
which test rejected it, because a submission without inputs cannot use this to reveal them. If the submission
is accepted, the comments at the top of the programs are shown.
"""

import secrets
from collections.abc import Sequence
from dataclasses import replace

from judge.drawn import reads_nothing
from judge.report import CaseReport
from problems.comments import first_paragraph
from problems.schema import Case, Problem
from problems.under_test import SIZE, own_sizes
from problems.vocabulary import Language, ProgramKind, Verdict

MAX_COMMENT = 400  # characters of a comment that a report shows
_JUDGED = {Verdict.ACCEPTED, Verdict.WRONG_ANSWER}


def in_random_order(problem: Problem, cases: Sequence[Case]) -> list[Case]:
    """Return `cases` in the order to run them. With programs under test, hidden cases are shuffled."""
    if problem.under_test is None:
        return list(cases)
    hidden = [case for case in cases if not case.public]
    secrets.SystemRandom().shuffle(hidden)
    return [*(case for case in cases if case.public), *hidden]


def judged_program(problem: Problem, case: Case, report: CaseReport) -> CaseReport:
    """Return `report`, accepted if the tests judged the program of `case` correctly."""
    if case.program is None or report.verdict not in _JUDGED:
        return replace(report, program=case.program, sizes=own_sizes(case))
    refused = report.verdict is Verdict.WRONG_ANSWER
    faulty = case.program is ProgramKind.FAULTY
    if refused:
        text = f"{'Killed' if faulty else 'Rejected'}{_by_test(problem, report)}."
    else:
        text = "Survived." if faulty else "Passed."
    return replace(
        report,
        program=case.program,
        sizes=own_sizes(case),
        verdict=Verdict.ACCEPTED if refused == faulty else Verdict.WRONG_ANSWER,
        message=text,
        mismatched=0,
        mismatches=(),
        wrong_outputs=(),
        rule="",
    )


def overall(problem: Problem, reports: Sequence[CaseReport]) -> tuple[Verdict, str]:
    """Return the verdict and the message for tests with these `reports` on the programs."""
    failed = next((report for report in reports if report.verdict not in _JUDGED), None)
    if failed is not None or problem.under_test is None:
        return (failed.verdict, failed.message) if failed else (Verdict.ACCEPTED, "")
    right = _judged(reports, ProgramKind.RIGHT)
    faulty = _judged(reports, ProgramKind.FAULTY)
    killed, passed = sum(faulty), sum(right)
    needed = min(problem.under_test.least_killed, len(faulty))
    if passed == len(right) and killed >= needed:
        text = f"Killed {killed} of {_programs(faulty, 'faulty')}."
        return Verdict.ACCEPTED, f"{text} Passed {_programs(right, 'right')}."
    lacking = f"; at least {needed} must be killed" if killed < needed else ""
    text = f"Killed {killed} of {_programs(faulty, 'faulty')}{lacking}."
    rejected = len(right) - passed
    return Verdict.WRONG_ANSWER, f"{text} Rejected {rejected} of {_programs(right, 'right')}" + (
        "; all must pass." if rejected else "."
    )


def explained(problem: Problem, reports: Sequence[CaseReport]) -> tuple[CaseReport, ...]:
    """Return the reports of accepted tests, with the comments at the top of the programs."""
    sources = problem.under_test.programs if problem.under_test else ()
    comments = {
        case.name: first_paragraph(sources[case.sizes[SIZE] - 1], Language.PYTHON)
        for case in problem.cases
        if case.program
    }
    return tuple(
        replace(report, message=f"{report.message} {_shortened(comments.get(report.name, ''))}".strip())
        for report in reports
    )


def _shortened(comment: str) -> str:
    return comment if len(comment) <= MAX_COMMENT else f"{comment[: MAX_COMMENT - 1]}…"


def _by_test(problem: Problem, report: CaseReport) -> str:
    """`by test 5 (tolerance)`: the index and the output of the first test that refused a program."""
    if not reads_nothing(problem) or not report.mismatches:
        return ""
    first = min(report.mismatches, key=lambda mismatch: mismatch.index[:1])
    return f" by test {first.index[0]} ({first.argument})"


def _judged(reports: Sequence[CaseReport], kind: ProgramKind) -> list[bool]:
    """Return whether the tests judged each program of this kind correctly."""
    return [report.verdict is Verdict.ACCEPTED for report in reports if report.program is kind]


def _programs(judged: Sequence[bool], word: str) -> str:
    return f"{len(judged)} {word} program{'' if len(judged) == 1 else 's'}"
