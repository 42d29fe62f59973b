"""What a compilation may take, and who is at fault if it takes more.

Theory of operation. Compiling is limited in processor time, which a busy host does not change. The limit in
wall-clock time is several times as long and only ends what would never end. If it is exceeded, the
compilation did not get a processor: the host is at fault, and the job is retried elsewhere. A program could
pretend that by making the compiler wait without using a processor, for example by including a pipe. So the
sandbox also ends a compilation whose processes all sleep, and that is charged to the program.
"""

from dataclasses import replace

from judge.built import Built
from judge.compiler.findings import compile_findings
from judge.errors import CompilerBroken
from problems.schema import Problem
from problems.vocabulary import Verdict
from sandbox.compiled import COMPILE_LIMITS, Compiled, CompileOutcome
from sandbox.spec import Limits, Termination

_BUSY = 4  # times as long as needed, by the clock of a host that does other things too
_HOST_SHARE = 0.5  # of the time of the chain that compiles for a device: host code, at the same time
_IDLE_S = 10.0
_OURS = {
    Termination.WALL_TIME: "it got too little processor time; this host is overloaded",
    Termination.KILLED: "it was killed from outside",
}


def compile_limits(problem: Problem, *, architectures: int = 1) -> Limits:
    """Return the limits of compiling for that many device architectures, each of which has a chain.

    `compile_s` of a problem is processor time for one chain.
    """
    allowed_s = problem.limits.compile_s
    cpu_s = (_HOST_SHARE + architectures) * allowed_s
    return replace(COMPILE_LIMITS, wall_s=_BUSY * allowed_s, cpu_s=cpu_s, idle_s=_IDLE_S)


def failed_build(compiled: Compiled, problem: Problem, source: str) -> Built:
    """Return the result of a failed compilation. Raises CompilerBroken if judge or host are at fault."""
    if compiled.outcome is CompileOutcome.BROKEN:
        raise CompilerBroken(compiled.log)
    if reason := _OURS.get(compiled.ending):
        raise CompilerBroken(f"compiling did not end within {compiled.wall_s:.0f} s: {reason}")
    if compiled.outcome is CompileOutcome.EXCEEDED:
        message = compiled.log.partition("\n")[0]
        return Built(log=compiled.log, failure=Verdict.COMPILE_ERROR, message=message)
    found = compile_findings(compiled.log, source, problem)
    return Built(
        log=compiled.log,
        failure=Verdict.COMPILE_ERROR,
        message=found[0].text if found else "It does not compile.",
        diagnostics=found,
    )
