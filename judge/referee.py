"""The referee: hands a case to the runner, and believes only what it finds in its own buffers.

Theory of operation. For every case the referee makes fresh memory, copies the inputs in, poisons the
outputs with random bytes and asks the runner for one call. When the runner says that it is done, or
claims so, the referee takes a private copy of the outputs at once and judges that copy: guard bands
first, then inputs that should be untouched, then every element. Last it looks at the live buffers
again: a change means that work went on after the call was over. Expected outputs never leave this
process.
"""

import time
from collections.abc import Callable, Mapping
from typing import Self

import numpy as np

from judge.buffers import Bytes
from judge.call import Call
from judge.checker import Comparison, compare
from judge.conversation import Answer, Conversation
from judge.elements import storage
from judge.endings import explain
from judge.errors import JudgementCancelled
from judge.oracle import Drawn, outputs
from judge.report import CaseReport, Diagnostic
from judge.sizes import shape_of
from problems.schema import Argument, Problem, Tolerance
from problems.vocabulary import Role, Verdict
from sandbox.backend import Process
from sandbox.wire import Flag

_LOAD_S = 30.0
_EXIT_S = 2.0  # for a process that has hung up, to be gone
_GRACE_S = 1.5  # past its own limit, in which a runner can still say what it was doing


class Referee:
    """Judges one submission's cases against one runner. Owns the runner's process; close it.

    After a case that ended the runner, `alive` is false and no further case can be checked.
    """

    def __init__(self, problem: Problem, process: Process, cancelled: Callable[[], bool]) -> None:
        self._problem = problem
        self._conversation = Conversation(process, cancelled)
        self.alive = True
        self.output = b""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the runner said about the program so far."""
        return self._conversation.diagnostics

    def load(self, *contents: bytes) -> tuple[Verdict, str] | None:
        """Load the program. Returns None, or the verdict and message of a program that did not load."""
        answer = self._conversation.load(*contents, timeout_s=_LOAD_S)
        return None if answer is Answer.DONE else self._stop(answer)

    def check(self, drawn: Drawn, flags: Flag) -> CaseReport:
        """Run one case and check it in full."""
        limit_s = self._problem.limits.case_s
        with Call() as call:
            for argument in self._problem.arguments:
                call.add(argument, drawn.case.sizes)
            poisons = self._prepare(call, drawn)
            started = time.monotonic()
            answer = self._conversation.run(
                call.arguments,
                call.descriptors,
                timeout_s=limit_s + _GRACE_S,
                time_limit_ms=int(limit_s * 1000),
                flags=flags,
            )
            wall_ms = (time.monotonic() - started) * 1000
            if answer is not Answer.DONE:
                return _report(drawn, *self._stop(answer), wall_ms=wall_ms)
            snapshots = {name: call.buffers[name].snapshot() for name in drawn.expected}
            return self._judge(drawn, call, snapshots, poisons, wall_ms)

    def finish(self) -> None:
        """Let the runner leave, and keep what it printed in `output`."""
        if self.alive:
            self.alive = False
            self.output = self._conversation.quit().stdout

    def close(self) -> None:
        """End the runner and release everything."""
        self.alive = False
        self._conversation.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepare(self, call: Call, drawn: Drawn) -> dict[str, Bytes]:
        for name, content in drawn.inputs.items():
            call.buffers[name].fill(content)
        return {
            argument.name: call.buffers[argument.name].poison()
            for argument in self._problem.arguments
            if argument.role is Role.OUT
        }

    def _judge(
        self,
        drawn: Drawn,
        call: Call,
        snapshots: Mapping[str, Bytes],
        poisons: Mapping[str, Bytes],
        wall_ms: float,
    ) -> CaseReport:
        for buffer in call.buffers.values():
            if damage := buffer.damage():
                message = f"Out of bounds: {damage}."
                return _report(drawn, Verdict.ILLEGAL_ACCESS, message, wall_ms=wall_ms)
        for argument in self._problem.arguments:
            if argument.role is Role.IN and _changed(call, argument.name, drawn.inputs[argument.name]):
                message = f"The input {argument.name} was changed. Inputs must stay as they are."
                return _report(drawn, Verdict.REJECTED, message, wall_ms=wall_ms)
        comparisons = {
            argument.name: self._compare(argument, drawn, snapshots, poisons)
            for argument in outputs(self._problem)
        }
        if any(_changed(call, name, snapshot) for name, snapshot in snapshots.items()):
            message = "An output changed after solve had returned. All work must be done by then."
            return _report(drawn, Verdict.REJECTED, message, wall_ms=wall_ms)
        return _compared(drawn, comparisons, wall_ms)

    def _compare(
        self,
        argument: Argument,
        drawn: Drawn,
        snapshots: Mapping[str, Bytes],
        poisons: Mapping[str, Bytes],
    ) -> Comparison:
        shape = shape_of(argument, drawn.case.sizes)
        dtype = storage(argument.dtype)
        poison = poisons.get(argument.name)
        return compare(
            argument.name,
            dtype=argument.dtype,
            got=snapshots[argument.name].view(dtype).reshape(shape),
            expected=drawn.expected[argument.name],
            poison=None if poison is None else poison.view(dtype).reshape(shape),
            tolerance=argument.tolerance or Tolerance(),
        )

    def _stop(self, answer: Answer) -> tuple[Verdict, str]:
        self.alive = False
        if answer is Answer.CANCELLED:
            raise JudgementCancelled
        completion = self._conversation.end(patience_s=_EXIT_S if answer is Answer.DIED else 0)
        self.output = completion.stdout
        return explain(answer, completion, self.diagnostics, self._problem.limits)


def _changed(call: Call, name: str, before: Bytes) -> bool:
    return not np.array_equal(call.buffers[name].payload, before)


def _compared(drawn: Drawn, comparisons: Mapping[str, Comparison], wall_ms: float) -> CaseReport:
    wrong = {name: comparison for name, comparison in comparisons.items() if comparison.mismatched}
    return CaseReport(
        name=drawn.case.name,
        group=drawn.case.group,
        public=drawn.case.public,
        sizes=dict(drawn.case.sizes),
        wall_ms=wall_ms,
        verdict=Verdict.WRONG_ANSWER if wrong else Verdict.ACCEPTED,
        message=" ".join(_sentence(name, comparison) for name, comparison in wrong.items()),
        checked=sum(comparison.checked for comparison in comparisons.values()),
        mismatched=sum(comparison.mismatched for comparison in comparisons.values()),
        mismatches=tuple(m for comparison in wrong.values() for m in comparison.mismatches),
    )


def _sentence(name: str, comparison: Comparison) -> str:
    """What is wrong with one output, in words that give away no size and no value of a hidden case."""
    if comparison.unwritten == comparison.checked:
        return f"{name} was never written."
    share = 100 * comparison.mismatched / comparison.checked
    text = f"{share:.3g} % of the elements of {name} are wrong"
    if comparison.unwritten == comparison.mismatched:
        return f"{text}: they were never written."
    return f"{text}, and some of them were never written." if comparison.unwritten else f"{text}."


def _report(drawn: Drawn, verdict: Verdict, message: str, *, wall_ms: float) -> CaseReport:
    case = drawn.case
    return CaseReport(
        case.name, case.group, case.public, verdict, message, sizes=dict(case.sizes), wall_ms=wall_ms
    )
