"""The limits of a compilation, and who is charged if it exceeds them.

Theory of operation. The main limit of a compilation is its CPU time, because a busy host does not change CPU
time. The wall-clock limit is several times as long and only ends compilations that would never end. A
compilation that exceeds it did not get a processor: the host is at fault, and the job is retried elsewhere. A
program could simulate this by making the compiler wait without using a processor, for example by including a
pipe. So the sandbox also ends a compilation if all of its processes sleep, and this is charged to the
program.
"""

from dataclasses import replace

from judge.built import Built
from judge.compiler.findings import compile_findings
from judge.compiler.shown_log import shown_log
from judge.errors import CompilerBroken
from problems.schema import Problem
from problems.vocabulary import Verdict
from sandbox.compiled import COMPILE_LIMITS, Compiled, CompileOutcome
from sandbox.spec import Limits, Termination

_BUSY = 4  # wall-clock time on a busy host, as a multiple of the CPU time
_HOST_SHARE = 0.5  # host code compiles in parallel, and takes this share of the time of a device's tool chain
_IDLE_S = 10.0
_OURS = {
    Termination.WALL_TIME: "it got too little processor time; this host is overloaded",
    Termination.KILLED: "it was killed from outside",
}


def compile_limits(problem: Problem, *, architectures: int = 1) -> Limits:
    """Return the limits of a compilation for this many device architectures. Each has its own tool chain.

    The limit `compile_s` of a problem is CPU time for one tool chain.
    """
    allowed_s = problem.limits.compile_s
    cpu_s = (_HOST_SHARE + architectures) * allowed_s
    return replace(COMPILE_LIMITS, wall_s=_BUSY * allowed_s, cpu_s=cpu_s, idle_s=_IDLE_S)


def failed_build(compiled: Compiled, problem: Problem, source: str) -> Built:
    """Return the result of a failed compilation. Raises CompilerBroken if judge or host is at fault."""
    if compiled.outcome is CompileOutcome.BROKEN:
        raise CompilerBroken(compiled.log)
    if reason := _OURS.get(compiled.ending):
        raise CompilerBroken(f"compiling did not end within {compiled.wall_s:.0f} s: {reason}")
    if compiled.outcome is CompileOutcome.EXCEEDED:
        message = compiled.log.partition("\n")[0]
        return Built(log=compiled.log, failure=Verdict.COMPILE_ERROR, message=message)
    found = compile_findings(compiled.log, source, problem)
    return Built(
        log=shown_log(compiled.log),
        failure=Verdict.COMPILE_ERROR,
        message=found[0].text if found else "It does not compile.",
        diagnostics=found,
    )
