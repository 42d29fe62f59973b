"""Maps the exit of a runner that gave no answer to a verdict. Every outcome is a failing verdict.

The runner sets the exit status, but the submission shares its process and can imitate it. So a submission can
choose among the verdicts below, but all of them are failures.
"""

import signal
from collections.abc import Iterable, Mapping

from judge.evidence.diagnostics import first_error
from judge.report import Diagnostic
from judge.runner.client import ReplyStatus
from problems.schema import ProblemLimits
from problems.vocabulary import Verdict
from sandbox.spec import Completion, Termination
from sandbox.wire import ExitStatus

_BY_STATUS: Mapping[int, Verdict] = {
    ExitStatus.ILLEGAL_ACCESS: Verdict.ILLEGAL_ACCESS,
    ExitStatus.RUNTIME_ERROR: Verdict.RUNTIME_ERROR,
    ExitStatus.TIME_LIMIT: Verdict.TIME_LIMIT,
    ExitStatus.MEMORY_LIMIT: Verdict.MEMORY_LIMIT,
    ExitStatus.LOAD_ERROR: Verdict.COMPILE_ERROR,
    ExitStatus.REFUSED: Verdict.REJECTED,
}
_BY_SIGNAL: Mapping[int, Verdict] = {
    signal.SIGSEGV: Verdict.ILLEGAL_ACCESS,
    signal.SIGBUS: Verdict.ILLEGAL_ACCESS,
    signal.SIGXCPU: Verdict.TIME_LIMIT,
}
_BY_ENDING: Mapping[Termination, Verdict] = {
    Termination.WALL_TIME: Verdict.TIME_LIMIT,
    Termination.CPU_TIME: Verdict.TIME_LIMIT,
    Termination.MEMORY: Verdict.MEMORY_LIMIT,
    Termination.OUTPUT: Verdict.OUTPUT_LIMIT,
}


def explain(
    answer: ReplyStatus, completion: Completion, diagnostics: Iterable[Diagnostic], limits: ProblemLimits
) -> tuple[Verdict, str]:
    """Return the verdict for a runner that gave `answer` and ended with `completion`, and a message."""
    if answer is ReplyStatus.BROKE_PROTOCOL:
        return Verdict.REJECTED, "The program wrote to a channel that is reserved for the judge."
    verdict = Verdict.TIME_LIMIT if answer is ReplyStatus.TIMED_OUT else _verdict(completion)
    error = first_error(diagnostics)
    return verdict, error.message if error else _sentence(verdict, completion, limits)


def _verdict(completion: Completion) -> Verdict:
    if completion.ending is Termination.EXITED:
        return _BY_STATUS.get(completion.status, Verdict.RUNTIME_ERROR)
    if completion.ending is Termination.SIGNALLED:
        return _BY_SIGNAL.get(completion.status, Verdict.RUNTIME_ERROR)
    return _BY_ENDING.get(completion.ending, Verdict.RUNTIME_ERROR)


def _sentence(verdict: Verdict, completion: Completion, limits: ProblemLimits) -> str:
    match verdict:
        case Verdict.TIME_LIMIT:
            return f"It ran longer than the limit of {limits.case_s:g} s for one case."
        case Verdict.MEMORY_LIMIT:
            return f"It used more than the limit of {limits.memory_mib} MiB of memory."
        case Verdict.OUTPUT_LIMIT:
            return "It printed too much output. Print less."
        case Verdict.COMPILE_ERROR:
            return "The program could not be loaded."
    if completion.ending is Termination.SIGNALLED:
        return f"The process was killed by {_signal_name(completion.status)}."
    return f"The process exited with status {completion.status} before solve returned."


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
