"""Tests which faults on a shared GPU may be caused by another program, and which are charged."""

import pytest

from judge.evidence.faults import (
    SHARED_CASE_S,
    blames_us,
    charge,
    classified,
    may_be_a_neighbours,
    on_shared_gpu,
)
from judge.report import Diagnostic
from judge.runner.client import ReplyStatus
from judge.runner.inspector import Stopped
from problems.vocabulary import Language, Severity, Verdict
from sandbox.runner.session import OUR_FAULT
from sandbox.spec import Completion, Termination
from sandbox.wire import ExitStatus
from tests.unit.judge.packages import DOUBLING


def ended(status: int = 0, ending: Termination = Termination.EXITED) -> Completion:
    return Completion(ending, status, b"", b"", 1.0, 1.0, None)


def stopped(answer: ReplyStatus, *, lost: bool = False) -> Stopped:
    return Stopped(answer, device_lost=lost, wall_ms=1.0)


@pytest.mark.parametrize(
    ("what", "completion"),
    [
        (stopped(ReplyStatus.DONE, lost=True), ended()),
        (stopped(ReplyStatus.DIED, lost=True), ended(ExitStatus.RUNTIME_ERROR)),
        (stopped(ReplyStatus.TIMED_OUT), ended(9, Termination.KILLED)),
        (stopped(ReplyStatus.DIED), ended(ExitStatus.ILLEGAL_ACCESS)),
        (stopped(ReplyStatus.DIED), ended(ExitStatus.TIME_LIMIT)),
        (stopped(ReplyStatus.DIED), ended(OUR_FAULT)),
        (stopped(ReplyStatus.DIED), ended(ExitStatus.MEMORY_LIMIT)),
    ],
)
def test_what_a_neighbour_can_cause_is_held_against_nobody(what: Stopped, completion: Completion) -> None:
    assert may_be_a_neighbours(what, completion)


@pytest.mark.parametrize(
    ("what", "completion"),
    [
        (stopped(ReplyStatus.DIED), ended(0)),
        (stopped(ReplyStatus.DIED), ended(ExitStatus.RUNTIME_ERROR)),
        (stopped(ReplyStatus.DIED), ended(ExitStatus.LOAD_ERROR)),
        (stopped(ReplyStatus.DIED), ended(ExitStatus.ILLEGAL_ACCESS, Termination.SIGNALLED)),
        (stopped(ReplyStatus.DIED), ended(9, Termination.OUTPUT)),
        (stopped(ReplyStatus.DIED), ended(9, Termination.MEMORY)),
        (stopped(ReplyStatus.BROKE_PROTOCOL), ended(9, Termination.KILLED)),
    ],
)
def test_what_a_program_does_to_itself_is_charged_at_once(what: Stopped, completion: Completion) -> None:
    assert not may_be_a_neighbours(what, completion)


@pytest.mark.parametrize(
    ("what", "completion", "blames"),
    [
        (stopped(ReplyStatus.DIED), ended(OUR_FAULT), True),
        (stopped(ReplyStatus.DIED), ended(OUR_FAULT, Termination.SIGNALLED), False),
        (stopped(ReplyStatus.DIED), ended(ExitStatus.RUNTIME_ERROR), False),
        (stopped(ReplyStatus.BROKE_PROTOCOL), ended(OUR_FAULT), False),
        (stopped(ReplyStatus.TIMED_OUT), ended(OUR_FAULT), False),
    ],
)
def test_only_a_runner_that_ends_itself_so_blames_the_node(
    what: Stopped, completion: Completion, blames: bool
) -> None:
    assert blames_us(what, completion) is blames


def test_blaming_the_node_alone_on_a_gpu_that_is_well_is_a_runtime_error() -> None:
    verdict, message = charge(stopped(ReplyStatus.DIED), ended(OUR_FAULT), (), DOUBLING.limits)
    assert verdict is Verdict.RUNTIME_ERROR
    assert "70" in message


def test_a_run_among_others_has_less_time() -> None:
    for language in Language:
        shared = on_shared_gpu(DOUBLING, language).limits
        assert shared.case_s == min(SHARED_CASE_S[language], DOUBLING.limits.case_s)


def test_claiming_success_while_the_gpu_is_lost_is_a_runtime_error() -> None:
    verdict, message = charge(stopped(ReplyStatus.DONE, lost=True), ended(), (), DOUBLING.limits)
    assert verdict is Verdict.RUNTIME_ERROR
    assert "alone" in message


def test_what_comes_to_light_when_it_leaves_counts() -> None:
    said = (Diagnostic(Severity.ERROR, "misaligned", "misaligned address in kernel k"),)
    verdict, message = charge(
        stopped(ReplyStatus.DONE, lost=True), ended(ExitStatus.ILLEGAL_ACCESS), said, DOUBLING.limits
    )
    assert verdict is Verdict.ILLEGAL_ACCESS
    assert message == "misaligned address in kernel k"


def test_what_the_runner_said_explains_the_verdict() -> None:
    said = (Diagnostic(Severity.ERROR, "misaligned", "misaligned address in kernel k"),)
    verdict, message = charge(
        stopped(ReplyStatus.DIED, lost=True), ended(ExitStatus.ILLEGAL_ACCESS), said, DOUBLING.limits
    )
    assert verdict is Verdict.ILLEGAL_ACCESS
    assert message == "misaligned address in kernel k"


def diagnostic(kind: str, message: str = "what it was") -> Diagnostic:
    return Diagnostic(Severity.ERROR, kind, message)


@pytest.mark.parametrize("kind", ["misaligned", "out_of_bounds", "null_pointer", "stack_overflow"])
def test_the_doctor_tells_a_bad_access_from_a_trap(kind: str) -> None:
    said, found = [diagnostic("trap")], [diagnostic(kind)]
    better = classified(Verdict.RUNTIME_ERROR, "was stopped", said, found)
    assert better == (Verdict.ILLEGAL_ACCESS, "what it was")


@pytest.mark.parametrize(
    ("said", "found"),
    [("trap", "trap"), ("assert", "misaligned"), ("trap", "time_limit")],
)
def test_the_doctor_decides_nothing_else(said: str, found: str) -> None:
    verdict = Verdict.RUNTIME_ERROR, "was stopped"
    assert classified(*verdict, [diagnostic(said)], [diagnostic(found)]) == verdict
    assert classified(*verdict, [diagnostic(said)], []) == verdict
    assert classified(*verdict, [], [diagnostic(found)]) == verdict
