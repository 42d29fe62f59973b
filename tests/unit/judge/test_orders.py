"""Tests the result of a case that runs in several orders."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from judge.cases import LATE_READS, ORDERS, run_orders
from judge.cpu.orders import check_in_orders
from judge.drawn import CaseData
from judge.report import CaseReport, Diagnostic
from judge.target import Referee
from problems.loader import load_problem, problems_root
from problems.vocabulary import Group, Language, Severity, Verdict
from sandbox.wire import RunFlag

RIGHT, WRONG = Verdict.ACCEPTED, Verdict.WRONG_ANSWER
RACE = Diagnostic(Severity.WARNING, "race", "race on element 0 of argument y: (line 3) and (line 5).", line=3)
HAZARD = Diagnostic(Severity.WARNING, "stream_hazard", "stream hazard on element 0 of argument y.", line=3)
NOTE = Diagnostic(Severity.NOTE, "launch", "k<<<(1,1,1), (1,1,1)>>>")
UNINITIALISED = Diagnostic(Severity.WARNING, "uninitialised", "read of uninitialised memory", line=3)
REORDERED = Diagnostic(
    Severity.NOTE, "reordered_read", "In kernel k, thread (0,0,0) gets an old value.", line=3
)
DRAWN = cast("CaseData", None)


class ScriptedReferee:
    """Gives one verdict after the other, and then `again`. It finds `diagnostics` in the first order."""

    def __init__(
        self,
        verdicts: Sequence[Verdict],
        *diagnostics: Diagnostic,
        earlier: Sequence[Diagnostic] = (),
        again: Sequence[Verdict] = (RIGHT, RIGHT),
    ) -> None:
        self._verdicts = [*verdicts, *again]
        self._found = diagnostics
        self.diagnostics = tuple(earlier)
        self.asked: list[RunFlag] = []

    def check(self, _: Any, flags: RunFlag) -> CaseReport:
        if not self.asked:
            self.diagnostics += self._found
        self.asked.append(flags)
        verdict = self._verdicts.pop(0)
        message = "" if verdict is RIGHT else "3 % of the elements of y are wrong."
        return CaseReport("one", Group.SMALL, False, verdict, message, wall_ms=float(len(self.asked)))


def check(
    referee: ScriptedReferee,
    orders: tuple[RunFlag, ...] = ORDERS,
    *,
    source: str = "",
    right_alone: Callable[[], bool] = lambda: False,
) -> CaseReport:
    return check_in_orders(cast("Referee", referee), DRAWN, orders, source=source, right_alone=right_alone)


def test_a_case_that_is_right_in_all_orders_is_reported_by_the_first() -> None:
    referee = ScriptedReferee([RIGHT] * 3, NOTE)
    report = check(referee)
    assert (report.verdict, report.message, report.wall_ms) == (RIGHT, "", 1.0)
    assert tuple(referee.asked) == ORDERS


@pytest.mark.parametrize("found", [(), (NOTE,), (HAZARD,), (UNINITIALISED,)])
def test_a_program_that_does_not_race_runs_in_three_orders(found: tuple[Diagnostic, ...]) -> None:
    referee = ScriptedReferee([RIGHT] * 3, *found)
    check(referee)
    assert tuple(referee.asked) == ORDERS


def test_a_program_that_races_also_runs_with_late_reads() -> None:
    referee = ScriptedReferee([RIGHT] * 7, NOTE, RACE)
    report = check(referee)
    assert (report.verdict, report.message, report.wall_ms) == (RIGHT, "", 1.0)
    assert tuple(referee.asked) == ORDERS + LATE_READS
    assert len(set(referee.asked)) == len(referee.asked)


def test_a_case_that_runs_once_has_no_late_reads() -> None:
    referee = ScriptedReferee([RIGHT], RACE)
    check(referee, ORDERS[:1])
    assert tuple(referee.asked) == ORDERS[:1]


@pytest.mark.parametrize("verdicts", [[WRONG], [RIGHT, WRONG], [RIGHT, RIGHT, WRONG], [RIGHT] * 4 + [WRONG]])
def test_a_wrong_order_ends_the_case_and_the_race_explains_it(verdicts: list[Verdict]) -> None:
    report = check(ScriptedReferee(verdicts, NOTE, RACE))
    assert report.verdict is WRONG
    assert report.message == f"3 % of the elements of y are wrong. There is a data {RACE.message}"


def test_a_reordered_read_explains_a_wrong_order_if_there_is_no_race() -> None:
    for verdicts in ([WRONG], [RIGHT, WRONG]):
        report = check(ScriptedReferee(verdicts, REORDERED))
        assert report.message == f"3 % of the elements of y are wrong. {REORDERED.message}"
    raced = check(ScriptedReferee([WRONG], REORDERED, RACE))
    assert raced.message.endswith(f"There is a data {RACE.message}")
    assert not check(ScriptedReferee([RIGHT] * 3, REORDERED)).message


def test_a_race_is_explained_by_a_barrier_of_its_kernel_that_threads_miss() -> None:
    race = replace(RACE, kernel="sum")
    barrier = Diagnostic(Severity.WARNING, "divergent_barrier", "divergent __syncthreads()", kernel="sum")
    report = check(ScriptedReferee([WRONG], race, earlier=(barrier,)))
    assert report.message.endswith("Some threads miss a barrier: divergent __syncthreads()")
    other = check(ScriptedReferee([WRONG], race, earlier=(replace(barrier, kernel="scan"),)))
    assert other.message.endswith(f"There is a data {RACE.message}")


def test_a_wrong_order_is_explained_by_a_hazard_between_streams() -> None:
    report = check(ScriptedReferee([RIGHT, WRONG], NOTE, HAZARD))
    assert report.verdict is WRONG
    assert report.message.endswith(f"There is a {HAZARD.message} See line 3.")


def test_a_wrong_order_without_a_race_says_that_there_is_no_order() -> None:
    report = check(ScriptedReferee([RIGHT, WRONG], NOTE))
    assert report.verdict is WRONG
    assert "a GPU guarantees no order" in report.message


def test_a_wrong_order_is_explained_by_a_read_of_uninitialised_memory() -> None:
    report = check(ScriptedReferee([RIGHT, WRONG], NOTE, UNINITIALISED))
    assert report.message.endswith("Write to the memory before you read it.")


def test_what_is_wrong_in_the_first_order_stays_as_it_is() -> None:
    assert check(ScriptedReferee([WRONG], NOTE)).message == "3 % of the elements of y are wrong."


def test_another_failure_keeps_its_own_words() -> None:
    report = check(ScriptedReferee([RIGHT, Verdict.ILLEGAL_ACCESS], RACE))
    assert report.verdict is Verdict.ILLEGAL_ACCESS
    assert "race" not in report.message


KEEPS = "__device__ int calls;\n__global__ void k() { ++calls; }\n"
CHANGES = (
    "The result changes from one call of solve to the next, because the program keeps something between calls"
)


@pytest.mark.parametrize("again", [[WRONG], [RIGHT, WRONG], [Verdict.ILLEGAL_ACCESS]])
@pytest.mark.parametrize("found", [(), (RACE,), (UNINITIALISED,)])
def test_what_changes_between_calls_in_the_same_order_is_not_explained_by_the_order(
    found: tuple[Diagnostic, ...], again: list[Verdict]
) -> None:
    referee = ScriptedReferee([RIGHT, WRONG], *found, again=again)
    report = check(referee, source=KEEPS)
    assert (
        report.message
        == f"3 % of the elements of y are wrong. {CHANGES}: calls (line 1). Set it in each call."
    )
    assert set(referee.asked[2:]) == {ORDERS[0]}


def test_what_is_kept_needs_no_name() -> None:
    report = check(ScriptedReferee([RIGHT, WRONG], again=[WRONG]))
    assert f"{CHANGES}, such as a static variable" in report.message


def test_a_case_that_is_right_without_the_cases_before_it_is_explained_by_what_they_left() -> None:
    report = check(ScriptedReferee([WRONG], NOTE), source=KEEPS, right_alone=lambda: True)
    assert CHANGES in report.message
    raced = check(ScriptedReferee([WRONG], RACE), source=KEEPS, right_alone=lambda: True)
    assert raced.message.endswith(f"There is a data {RACE.message}")


def test_a_failure_after_a_right_call_names_what_is_kept() -> None:
    report = check(ScriptedReferee([RIGHT, Verdict.ILLEGAL_ACCESS], NOTE), source=KEEPS)
    assert report.message.endswith("was correct. Kept between calls: calls (line 1).")


@pytest.mark.parametrize("earlier", [RACE, HAZARD, UNINITIALISED])
def test_a_finding_of_an_earlier_case_explains_no_later_one(earlier: Diagnostic) -> None:
    assert check(ScriptedReferee([WRONG], earlier=[earlier])).message == "3 % of the elements of y are wrong."
    assert "a GPU guarantees no order" in check(ScriptedReferee([RIGHT, WRONG], earlier=[earlier])).message


def test_a_triton_program_that_races_runs_in_its_own_orders_only() -> None:
    referee = ScriptedReferee([RIGHT] * 2, RACE)
    assert check(referee, ORDERS[:2]).verdict is RIGHT
    assert tuple(referee.asked) == ORDERS[:2]


def test_only_odd_cases_of_a_triton_program_run_in_two_orders() -> None:
    problem = load_problem(problems_root() / "reduction-sum")
    orders = {
        case.group: run_orders(problem, case, Language.TRITON, functional=True) for case in problem.cases
    }
    assert orders[Group.ODD] == ORDERS[:2]
    assert orders[Group.SAMPLE] == ORDERS[:1]
    assert orders[Group.LARGE] == (RunFlag.NONE,)
    odd = next(case for case in problem.cases if case.group is Group.ODD)
    assert run_orders(problem, odd, Language.TRITON, functional=False) == ORDERS[1:2]
