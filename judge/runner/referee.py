"""The referee of a program if its runner belongs to this process and its arrays are in host memory.

`judge.runner.inspector` has the checks. This referee also owns the runner and converts the runner's exit into
a verdict.
"""

from collections.abc import Callable, Mapping
from typing import Self

import numpy as np

from judge.drawn import CaseData, expected_name, outputs
from judge.errors import JudgementCancelled
from judge.evidence.exit_status import explain
from judge.oracle import Drawn
from judge.replay.recorded import Trace
from judge.report import CaseReport, Diagnostic, own_scalars
from judge.runner.buffers import HostMemory
from judge.runner.checking import CheckerOnHost
from judge.runner.client import ReplyStatus, RunnerClient
from judge.runner.inspector import Inspector, Stopped
from judge.runner.memory import PrivateBytes
from problems.schema import Problem
from problems.vocabulary import Verdict
from sandbox.backend import Process
from sandbox.wire import RunFlag

_EXIT_S = 2.0  # for a process that has closed its channel to exit


class RunnerReferee:
    """Checks the cases of one submission with one runner. Owns the runner's process until `close`.

    After a case that ended the runner, `alive` is false and no further case can be checked.
    """

    def __init__(
        self,
        problem: Problem,
        process: Process,
        cancelled: Callable[[], bool],
        start_checker: Callable[[], Process] | None = None,
    ) -> None:
        """`start_checker` starts the sandbox of the problem's checker, if it has one."""
        self._problem = problem
        self._memory = HostMemory()
        self._conversation = RunnerClient(process, cancelled)
        self._checker: CheckerOnHost | None = None
        if problem.checker is not None and start_checker is not None:
            self._checker = CheckerOnHost(problem, self._memory, start_checker, cancelled)
        self._inspector = Inspector(problem, self._memory, self._conversation, self._checker)
        self.output = b""

    @property
    def alive(self) -> bool:
        """Whether the runner can handle another request."""
        return self._inspector.alive

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All findings of the runner about the program until now."""
        return self._conversation.diagnostics

    @property
    def trace(self) -> Trace | None:
        """The trace of the last call with the flag TRACE; see `judge.runner.inspector`."""
        return self._inspector.trace

    def load(self, *contents: bytes) -> tuple[Verdict, str] | None:
        """Load the program. Returns None, or the verdict and message of a program that did not load."""
        stopped = self._inspector.load(*contents)
        return self._explain(stopped) if stopped else None

    def check(self, drawn: Drawn | CaseData, flags: RunFlag) -> CaseReport:
        """Run one case and check it in full. A drawn set is read without a copy."""
        case = drawn.case
        contents: Mapping[str, PrivateBytes] = (
            self._memory.open_set(drawn) if isinstance(drawn, CaseData) else contents_of(self._problem, drawn)
        )
        found = self._inspector.check(case, contents, flags)
        if isinstance(found, CaseReport):
            return found
        verdict, message = self._explain(found)
        return CaseReport(
            case.name,
            case.group,
            case.public,
            verdict,
            message,
            sizes=dict(case.sizes),
            scalars=own_scalars(case),
            wall_ms=found.wall_ms,
        )

    def finish(self) -> None:
        """Let the runner exit, and keep its output in `output`."""
        if self.alive:
            self._inspector.alive = False
            self.output = self._conversation.quit().stdout

    def close(self) -> None:
        """End the runner and release everything."""
        self._inspector.alive = False
        self._conversation.close()
        if self._checker is not None:
            self._checker.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _explain(self, stopped: Stopped) -> tuple[Verdict, str]:
        if stopped.answer is ReplyStatus.CANCELLED:
            raise JudgementCancelled
        completion = self._conversation.end(patience_s=_EXIT_S if stopped.answer is ReplyStatus.DIED else 0)
        self.output = completion.stdout
        return explain(stopped.answer, completion, self.diagnostics, self._problem.limits)


def contents_of(problem: Problem, drawn: Drawn) -> Mapping[str, PrivateBytes]:
    """Return the contents of a case by name, with the names of a drawn set."""
    expected = {
        expected_name(argument): np.ascontiguousarray(drawn.expected[argument.name])
        for argument in outputs(problem)
    }
    return {**drawn.inputs} | {name: values.reshape(-1).view(np.uint8) for name, values in expected.items()}
