"""The inspector: passes a case to the runner, and trusts only the contents of the referee's buffers.

Theory of operation. For every case, the inspector allocates buffers, copies the inputs into them, poisons the
outputs with random bytes, and requests one call from the runner. When the runner reports that it is done, the
inspector immediately makes a private copy of the outputs. It checks guard bands first, then that inputs are
unchanged, then every element of the copy. Finally it compares the live buffers with the copy: a difference
means that work continued after the call. Expected outputs never leave this process. Submitted tests without
inputs must be the same in each call, or a submission could return special tests for a program whose turn it
guesses.

Hosts and GPUs differ only in the memory. On a GPU, the buffers outlive a call that did not end, because the
runner may still write to them, and the inspector must not wait for the device.
"""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from judge.drawn import outputs, reads_nothing
from judge.replay.recorded import Trace, trace_memory
from judge.report import CaseReport, Mismatch, WrongOutput, own_scalars
from judge.runner.call import Call
from judge.runner.checking import ByTolerance, Checking, Compared
from judge.runner.client import ReplyStatus, RunnerChannel
from judge.runner.comparison import OutputComparison
from judge.runner.memory import DeviceLost, Memory, PrivateBytes
from judge.runner.shown_outputs import shown_inputs, shown_outputs
from problems.schema import Case, Problem
from problems.vocabulary import Role, Verdict
from sandbox.wire import RunFlag

_LOAD_S = 30.0
# Adding to large random values does not change them.
_RANDOM = "Outputs hold random bits before a call, so set them before you add to them."
_MISSED = f"Check the grid and the indices: they must reach every element. {_RANDOM}"
_NOT_FINITE = {"nan", "inf", "-inf"}
_OVERFLOW = "Look for an overflow, a division by zero, and values that are used before they are set."
_SHOWN = {Verdict.ACCEPTED, Verdict.WRONG_ANSWER}  # only these have meaningful outputs
_CHANGING = "The tests differ from those of the first call. Write the same ones each time, with fixed seeds."
_GRACE_S = 1.5  # time after its own limit for a runner to report what it was doing
_SLOW = RunFlag.INTERLEAVED | RunFlag.LATE_READS
_COUNTS_S = 20.0  # for tests of custom operators after a call that counts
_SLOWER = 3  # how much slower threads may be in these orders, which is not the program's fault
_AFTERSHOCK_S = 0.1  # time for a fault that ended the runner to reach this context


@dataclass(frozen=True, slots=True)
class Stopped:
    """Says that the runner gave no valid answer, or that the GPU was lost. This is not yet a verdict.

    `answer` is DONE if the runner answered but the GPU was lost. `device_lost` says that the referee's own
    context died: under MPS, possibly because of another program's fault.
    """

    answer: ReplyStatus
    device_lost: bool
    wall_ms: float


@dataclass(frozen=True, slots=True)
class InspectionResult:
    """The result of inspecting the buffers after a call."""

    verdict: Verdict
    message: str = ""
    checked: int = 0
    mismatched: int = 0
    mismatches: tuple[Mismatch, ...] = ()
    wrong_outputs: tuple[WrongOutput, ...] = ()
    score: float | None = None
    rule: str = ""


class Inspector:
    """Checks the cases of one program with one runner, in `memory`. Owns neither.

    After a case that ended the runner, `alive` is false and no further case can be checked.
    """

    def __init__(
        self, problem: Problem, memory: Memory, exchange: RunnerChannel, checking: Checking | None = None
    ) -> None:
        """`checking` compares outputs. If it is None, the problem's tolerances apply."""
        self._problem = problem
        self._checking = checking or ByTolerance(problem, memory)
        self._memory = memory
        self._exchange = exchange
        self._first_tests: Mapping[str, bytes] = {}
        self.alive = True
        self.trace: Trace | None = None

    def load(self, *contents: bytes) -> Stopped | None:
        """Load the program. Returns None if that succeeded."""
        started = time.monotonic()
        answer = self._exchange.load(*contents, timeout_s=_LOAD_S)
        return None if answer is ReplyStatus.DONE else self.stopped(answer, _ms_since(started))

    def check(self, case: Case, contents: Mapping[str, PrivateBytes], flags: RunFlag) -> CaseReport | Stopped:
        """Run one case and check it in full. `contents` are named as in a drawn set.

        With `SHOW` among `flags`, the report of a public case has the first inputs and outputs. With `TRACE`
        in functional mode, `trace` then holds the trace of the call, however it ended; None if unknown.
        """
        limit_s = self._problem.limits.case_s * (_SLOWER if flags & _SLOW else 1)
        answer, wall_ms = ReplyStatus.DONE, 0.0
        try:
            with Call(self._memory) as call, trace_memory(wanted=bool(flags & RunFlag.TRACE)) as trace:
                for argument in self._problem.arguments:
                    call.add(argument, case)
                poisons = prepare(self._problem, call, contents)
                self._memory.synchronize()
                started = time.monotonic()
                answer = self._exchange.run(
                    call.arguments,
                    [*call.descriptors, *([trace.descriptor] if trace else [])],
                    timeout_s=limit_s + _GRACE_S + (_COUNTS_S if flags & RunFlag.SUMS else 0),
                    time_limit_ms=int(limit_s * 1000),
                    flags=flags & ~RunFlag.SHOW,
                    devices=self._problem.devices_needed,
                )
                wall_ms = _ms_since(started)
                if trace:
                    self.trace = trace.read()
                if answer is not ReplyStatus.DONE:
                    return self.stopped(answer, wall_ms)
                snapshots = snapshot(self._problem, call)
                finding = inspect(
                    self._problem, case, self._checking, call, contents, snapshots=snapshots, poisons=poisons
                )
                if finding.verdict in _SHOWN and not self._same_tests(snapshots):
                    finding = InspectionResult(Verdict.REJECTED, _CHANGING)
                report = report_on(case, finding, wall_ms=wall_ms)
                if not flags & RunFlag.SHOW or finding.verdict not in _SHOWN:
                    return report
                shown = shown_outputs(
                    self._problem, case, self._memory, contents, snapshots=snapshots, poisons=poisons
                )
                given = shown_inputs(self._problem, case, self._memory, contents)
                return replace(report, inputs=given, outputs=shown)
        except DeviceLost:
            self.alive = False
            return Stopped(answer, device_lost=True, wall_ms=wall_ms)

    def _same_tests(self, snapshots: Mapping[str, PrivateBytes]) -> bool:
        """Return whether the outputs equal those of the first call. Used only for tests without inputs."""
        if self._problem.under_test is None or not reads_nothing(self._problem):
            return True
        taken = {name: self._memory.to_host(copy).tobytes() for name, copy in snapshots.items()}
        self._first_tests = self._first_tests or taken
        return taken == self._first_tests

    def stopped(self, answer: ReplyStatus, wall_ms: float) -> Stopped:
        """Record that the runner gave `answer` and must get no further requests."""
        self.alive = False
        lost = self._memory.lost(patience_s=_AFTERSHOCK_S if answer is ReplyStatus.DIED else 0)
        return Stopped(answer, device_lost=lost, wall_ms=wall_ms)


def prepare(problem: Problem, call: Call, contents: Mapping[str, PrivateBytes]) -> dict[str, PrivateBytes]:
    """Fill the inputs, and poison or clear outputs. Returns the poison by argument."""
    poisons: dict[str, PrivateBytes] = {}
    for argument in problem.arguments:
        if argument.zeroed:
            call.buffers[argument.name].clear()
        elif argument.role is Role.OUT:
            poisons[argument.name] = call.buffers[argument.name].poison(dtype=argument.dtype)
        elif argument.role is not Role.SCALAR:
            call.buffers[argument.name].fill(contents[argument.name])
    return poisons


def snapshot(problem: Problem, call: Call) -> dict[str, PrivateBytes]:
    """Return private copies of the current outputs."""
    return {argument.name: call.buffers[argument.name].snapshot() for argument in outputs(problem)}


def inspect(
    problem: Problem,
    case: Case,
    checking: Checking,
    call: Call,
    contents: Mapping[str, PrivateBytes],
    *,
    snapshots: Mapping[str, PrivateBytes],
    poisons: Mapping[str, PrivateBytes],
) -> InspectionResult:
    """Check `snapshots`, taken at the end of the call: guard bands, inputs, elements, late changes."""
    for buffer in call.buffers.values():
        if damage := buffer.damage():
            return InspectionResult(Verdict.ILLEGAL_ACCESS, f"Out of bounds: {damage}.")
    for argument in problem.arguments:
        if argument.role is Role.IN and not call.buffers[argument.name].holds(contents[argument.name]):
            message = f"The input {argument.name} was changed. Inputs must stay as they are."
            return InspectionResult(Verdict.REJECTED, message)
    compared = checking.compare(case, contents, snapshots=snapshots, poisons=poisons)
    if not all(call.buffers[name].holds(taken) for name, taken in snapshots.items()):
        message = "An output changed after solve had returned. All work must be complete when solve returns."
        return InspectionResult(Verdict.REJECTED, message)
    wrong = {name: comparison for name, comparison in compared.outputs.items() if comparison.mismatched}
    kept = {
        argument.name
        for argument in problem.arguments
        if argument.role is Role.INOUT
        and argument.name in wrong
        and call.buffers[argument.name].holds(contents[argument.name])
    }
    return _result(compared, wrong, kept)


def report_on(case: Case, finding: InspectionResult, *, wall_ms: float) -> CaseReport:
    """Return the report of `case` for a `finding`."""
    return CaseReport(
        name=case.name,
        group=case.group,
        public=case.public,
        sizes=dict(case.sizes),
        scalars=own_scalars(case),
        wall_ms=wall_ms,
        verdict=finding.verdict,
        message=finding.message,
        checked=finding.checked,
        mismatched=finding.mismatched,
        mismatches=finding.mismatches,
        wrong_outputs=finding.wrong_outputs,
        checker_score=finding.score,
        rule=finding.rule,
    )


def _result(
    compared: Compared, wrong: Mapping[str, OutputComparison], kept: Collection[str]
) -> InspectionResult:
    """Return the result, given the comparisons of `wrong` outputs and the unchanged outputs `kept`."""
    comparisons = compared.outputs
    if wrong and compared.rule:  # no element is wrong by itself
        return InspectionResult(Verdict.WRONG_ANSWER, compared.rule, rule=compared.rule)
    return InspectionResult(
        verdict=Verdict.WRONG_ANSWER if wrong else Verdict.ACCEPTED,
        message=" ".join(_sentence(name, found, kept=name in kept) for name, found in wrong.items()),
        checked=sum(comparison.checked for comparison in comparisons.values()),
        mismatched=sum(comparison.mismatched for comparison in comparisons.values()),
        mismatches=tuple(m for comparison in wrong.values() for m in comparison.mismatches),
        wrong_outputs=tuple(
            WrongOutput(name, comparison.checked, comparison.mismatched) for name, comparison in wrong.items()
        ),
        score=compared.score,
    )


def _sentence(name: str, comparison: OutputComparison, *, kept: bool) -> str:
    """Return a sentence on the error of one output, without sizes and values of a hidden case.

    `kept` says that the output is also an input and still has its old contents.
    """
    if comparison.unwritten == comparison.checked:
        return f"{name} was never written. {_RANDOM}"
    share = 100 * comparison.mismatched / comparison.checked
    text = f"{share:.3g} % of the elements of {name} are wrong"
    if kept:
        return f"{text}: the program left {name} as it was."
    if comparison.unwritten == comparison.mismatched:
        return f"{text}: they were never written. {_MISSED}"
    if comparison.added == comparison.mismatched:
        return f"{text}: they are the expected values plus the previous contents. {_RANDOM}"
    return f"{text}{_more(comparison)}"


def _more(comparison: OutputComparison) -> str:
    """Return the end of a sentence on wrong elements, which says what some of them hold."""
    if comparison.unwritten:
        return ", and some of them were never written."
    shown = comparison.mismatches
    if shown and all(entry.got in _NOT_FINITE and entry.expected not in _NOT_FINITE for entry in shown):
        return f": the first of them are NaN or infinite. {_OVERFLOW}"
    return "."


def _ms_since(started: float) -> float:
    return (time.monotonic() - started) * 1000
