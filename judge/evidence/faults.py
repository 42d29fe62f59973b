"""Decides whether a failed run on a GPU is charged to the program or repeated alone.

Theory of operation. Under MPS, a fault of one client ends the contexts of all clients, a hung kernel blocks
the others, and many clients slow each other down. So a program that fails on a shared GPU is charged only if
no other program can have caused the failure:

    what ended the run                               shared GPU     alone
    the referee's own context died                   run again      charged
    the runner says: an illegal access               run again      charged
    the runner says: this node is at fault           run again      charged, if the GPU is well
    no answer within the limit                       run again      charged
    the runner says: no memory left                  run again      charged
    anything else (it ended itself, it lied, ...)    charged        charged

"Run again" means alone, with a new runner and referee (`judge.evaluate`). On a shared GPU the time limit for
a case is shorter, so that a hung program blocks the others for less time. A run that exceeds this limit does
not count, so the shorter limit is fair.

A runner may report that the node is at fault (no GPU, MPS errors, an ECC error), but the program shares its
process and can forge this report. The first report is believed. After a second report, in the run alone, the
GPU itself is tested.
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

# Triton programs compile during their first case, and Python programs may do so too.
SHARED_CASE_S = {Language.CUDA: 2.0, Language.TRITON: 4.0, Language.PYTHON: 4.0}
_SLOWER = 10
_FAULTED = "The GPU failed while this program ran on it alone."


def under_tool(problem: Problem) -> Problem:
    """Return `problem` with higher limits, because programs run much slower under a tool."""
    limits = problem.limits
    return replace(problem, limits=replace(limits, case_s=_SLOWER * limits.case_s))


def on_shared_gpu(problem: Problem, language: Language) -> Problem:
    """Return `problem` with the limits of a run on a shared GPU."""
    limits = problem.limits
    return replace(problem, limits=replace(limits, case_s=min(limits.case_s, SHARED_CASE_S[language])))


def may_be_a_neighbours(stopped: Stopped, completion: Completion) -> bool:
    """Return whether another program on the same GPU can have caused this end."""
    return (
        stopped.device_lost
        or took_too_long(stopped, completion)
        or blames_us(stopped, completion)
        or _says(stopped, completion, ExitStatus.ILLEGAL_ACCESS)
        or _says(stopped, completion, ExitStatus.MEMORY_LIMIT)
    )


def blames_us(stopped: Stopped, completion: Completion) -> bool:
    """Return whether the runner, or a program that imitates it, reports that this node is at fault."""
    return _says(stopped, completion, OUR_FAULT)


def took_too_long(stopped: Stopped, completion: Completion) -> bool:
    """Return whether a case exceeded its time limit, by the referee's clock or by the runner's."""
    return stopped.answer is ReplyStatus.TIMED_OUT or _says(stopped, completion, ExitStatus.TIME_LIMIT)


def _says(stopped: Stopped, completion: Completion, status: int) -> bool:
    """Return whether the runner exited with this status."""
    ended = stopped.answer is ReplyStatus.DIED and completion.ending is Termination.EXITED
    return ended and completion.status == status


def charge(
    stopped: Stopped, completion: Completion, diagnostics: tuple[Diagnostic, ...], limits: ProblemLimits
) -> tuple[Verdict, str]:
    """Return the verdict and the message for a program whose run alone was `stopped`."""
    if stopped.answer is ReplyStatus.DONE:  # the runner reported success, but the GPU was lost
        if _names_a_failure(completion):  # its exit status reports a failure after all
            return explain(ReplyStatus.DIED, completion, diagnostics, limits)
        error = first_error(diagnostics)
        return Verdict.RUNTIME_ERROR, error.message if error else _FAULTED
    return explain(stopped.answer, completion, diagnostics, limits)


def classified(
    verdict: Verdict, message: str, said: Iterable[Diagnostic], found: Iterable[Diagnostic]
) -> tuple[Verdict, str]:
    """Return the verdict and message, given the runner's diagnostics `said` and the doctor's `found`.

    For some illegal accesses, a GPU sometimes reports only a failed launch, as for a trap. Both are failures,
    so the doctor may decide between them.
    """
    error, bad = first_error(said), first_error(found)
    if error is None or bad is None or error.kind != DiagnosticKind.TRAP:
        return verdict, message
    better = refined(verdict, [bad])
    return (verdict, message) if better is verdict else (better, bad.message)


def _names_a_failure(completion: Completion) -> bool:
    return completion.ending is Termination.EXITED and completion.status in tuple(ExitStatus)
