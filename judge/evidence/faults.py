"""Decides whether a failed run on a GPU is charged to the program or repeated alone.

Theory of operation. Under MPS a fault of one client ends the contexts of all, a kernel that hangs keeps the
others waiting, and a crowd makes everything slower. So what a program did while others shared the GPU is
held against it only where a neighbour cannot have caused it:

    what ended the run                               shared GPU     alone
    the referee's own context died                   run again      charged
    the runner says: an illegal access               run again      charged
    the runner says: this node is at fault           run again      charged, if the GPU is well
    no answer within the limit                       run again      charged
    the runner says: no memory left                  run again      charged
    anything else (it ended itself, it lied, ...)    charged        charged

"Run again" means alone, with a fresh runner and referee (`judge.evaluate`). On a shared GPU the limit for a
case is shorter, since the run that counts is still to come: a hang then costs its neighbours less.

A runner that blames the node (no GPU, MPS in trouble, an ECC error) shares its process with the program,
which can say the same. It is believed once; the second time, alone, the GPU itself is asked.
"""

from collections.abc import Iterable
from dataclasses import replace

from judge.evidence.diagnostics import first_error
from judge.evidence.exit_status import explain
from judge.evidence.sanitizer import refined
from judge.report import Diagnostic
from judge.runner.client import ReplyStatus
from judge.runner.inspector import Stopped
from problems.schema import Problem, ProblemLimits
from problems.vocabulary import DiagnosticKind, Language, Verdict
from sandbox.runner.session import OUR_FAULT
from sandbox.spec import Completion, Termination
from sandbox.wire import ExitStatus

# Triton compiles in its first case, and so may a program in Python.
SHARED_CASE_S = {Language.CUDA: 2.0, Language.TRITON: 4.0, Language.PYTHON: 4.0}
_SLOWER = 10
_FAULTED = "The GPU failed while this program ran on it alone."


def under_tool(problem: Problem) -> Problem:
    """Return `problem` with higher limits, because programs run much slower under a tool."""
    limits = problem.limits
    return replace(problem, limits=replace(limits, case_s=_SLOWER * limits.case_s))


def on_shared_gpu(problem: Problem, language: Language) -> Problem:
    """`problem` with the limits of a run among others."""
    limits = problem.limits
    return replace(problem, limits=replace(limits, case_s=min(limits.case_s, SHARED_CASE_S[language])))


def may_be_a_neighbours(stopped: Stopped, completion: Completion) -> bool:
    """Whether another program on the same GPU can have caused this end."""
    return (
        stopped.device_lost
        or took_too_long(stopped, completion)
        or blames_us(stopped, completion)
        or _says(stopped, completion, ExitStatus.ILLEGAL_ACCESS)
        or _says(stopped, completion, ExitStatus.MEMORY_LIMIT)
    )


def blames_us(stopped: Stopped, completion: Completion) -> bool:
    """Whether the runner, or a program in its name, says that this node is at fault."""
    return _says(stopped, completion, OUR_FAULT)


def took_too_long(stopped: Stopped, completion: Completion) -> bool:
    """Whether a case ran longer than its limit, by our clock or by the runner's own."""
    return stopped.answer is ReplyStatus.TIMED_OUT or _says(stopped, completion, ExitStatus.TIME_LIMIT)


def _says(stopped: Stopped, completion: Completion, status: int) -> bool:
    """Whether the runner ended itself with that status."""
    ended = stopped.answer is ReplyStatus.DIED and completion.ending is Termination.EXITED
    return ended and completion.status == status


def charge(
    stopped: Stopped, completion: Completion, diagnostics: tuple[Diagnostic, ...], limits: ProblemLimits
) -> tuple[Verdict, str]:
    """The verdict for a program whose run, alone, was `stopped`, and a sentence on it."""
    if stopped.answer is ReplyStatus.DONE:  # it said that all was well, and the GPU was lost
        if _names_a_failure(completion):  # and when it was to leave, it knew better
            return explain(ReplyStatus.DIED, completion, diagnostics, limits)
        error = first_error(diagnostics)
        return Verdict.RUNTIME_ERROR, error.message if error else _FAULTED
    return explain(stopped.answer, completion, diagnostics, limits)


def classified(
    verdict: Verdict, message: str, said: Iterable[Diagnostic], found: Iterable[Diagnostic]
) -> tuple[Verdict, str]:
    """The verdict and its sentence once the doctor has `found` something about a program that `said` so much.

    A GPU says of some bad accesses, and not each time, only that a launch failed, as it does of a trap. Both
    are failures, so the doctor may choose between them.
    """
    error, bad = first_error(said), first_error(found)
    if error is None or bad is None or error.kind != DiagnosticKind.TRAP:
        return verdict, message
    better = refined(verdict, [bad])
    return (verdict, message) if better is verdict else (better, bad.message)


def _names_a_failure(completion: Completion) -> bool:
    return completion.ending is Termination.EXITED and completion.status in tuple(ExitStatus)
