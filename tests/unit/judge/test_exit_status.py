"""Tests that every exit of a runner has a failing verdict and a message."""

import signal

import pytest

from judge.evidence.exit_status import explain
from judge.report import Diagnostic
from judge.runner.client import ReplyStatus
from problems.schema import ProblemLimits
from problems.vocabulary import Severity, Verdict
from sandbox.spec import Completion, Termination
from sandbox.wire import ExitStatus


def ended(ending: Termination, status: int = 0) -> Completion:
    return Completion(ending, status, b"", b"", 1.0, 1.0, None)


@pytest.mark.parametrize(
    ("completion", "verdict"),
    [
        (ended(Termination.EXITED, 0), Verdict.RUNTIME_ERROR),
        (ended(Termination.EXITED, 1), Verdict.RUNTIME_ERROR),
        (ended(Termination.EXITED, ExitStatus.ILLEGAL_ACCESS), Verdict.ILLEGAL_ACCESS),
        (ended(Termination.EXITED, ExitStatus.RUNTIME_ERROR), Verdict.RUNTIME_ERROR),
        (ended(Termination.EXITED, ExitStatus.TIME_LIMIT), Verdict.TIME_LIMIT),
        (ended(Termination.EXITED, ExitStatus.MEMORY_LIMIT), Verdict.MEMORY_LIMIT),
        (ended(Termination.EXITED, ExitStatus.LOAD_ERROR), Verdict.COMPILE_ERROR),
        (ended(Termination.SIGNALLED, signal.SIGSEGV), Verdict.ILLEGAL_ACCESS),
        (ended(Termination.SIGNALLED, signal.SIGABRT), Verdict.RUNTIME_ERROR),
        (ended(Termination.SIGNALLED, 64), Verdict.RUNTIME_ERROR),
        (ended(Termination.WALL_TIME), Verdict.TIME_LIMIT),
        (ended(Termination.CPU_TIME), Verdict.TIME_LIMIT),
        (ended(Termination.MEMORY), Verdict.MEMORY_LIMIT),
        (ended(Termination.OUTPUT), Verdict.OUTPUT_LIMIT),
        (ended(Termination.KILLED), Verdict.RUNTIME_ERROR),
    ],
)
def test_exit_status(completion: Completion, verdict: Verdict) -> None:
    got, sentence = explain(ReplyStatus.DIED, completion, (), ProblemLimits())
    assert got is verdict
    assert sentence.endswith(".")


@pytest.mark.parametrize("status", range(256))
def test_no_exit_status_earns_a_pass(status: int) -> None:
    verdict, _ = explain(ReplyStatus.DIED, ended(Termination.EXITED, status), (), ProblemLimits())
    assert verdict not in {Verdict.ACCEPTED, Verdict.INTERNAL_ERROR, Verdict.CANCELLED}


def test_our_own_deadline_is_a_time_limit_however_the_process_then_ends() -> None:
    assert (
        explain(ReplyStatus.TIMED_OUT, ended(Termination.KILLED), (), ProblemLimits())[0]
        is Verdict.TIME_LIMIT
    )


def test_a_broken_protocol_is_rejected() -> None:
    assert (
        explain(ReplyStatus.BROKE_PROTOCOL, ended(Termination.KILLED), (), ProblemLimits())[0]
        is Verdict.REJECTED
    )


def test_the_error_that_ended_the_program_is_the_message() -> None:
    error = Diagnostic(Severity.ERROR, "out_of_bounds", "out-of-bounds write to c")
    completion = ended(Termination.EXITED, ExitStatus.ILLEGAL_ACCESS)
    assert explain(ReplyStatus.DIED, completion, [error], ProblemLimits())[1] == "out-of-bounds write to c"
