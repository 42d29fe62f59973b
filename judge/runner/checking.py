"""Compares outputs by the tolerances of the problem, or by the author's `checker.py`.

Theory of operation. The checker does not decide the verdict; the referee does. It passes copies of inputs,
expected values and outputs to a sandbox in which no submission ever runs. The checker returns the exact
values that each output must hold (`sandbox.runner.checker_work`). The referee compares these with its own
copy of the outputs, element by element, like other outputs. If a checker fails or takes too long, the problem
is at fault and the user is not charged. Hosts and GPUs differ only in the memory.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from judge.drawn import expected_name, inputs, outputs
from judge.dtypes import expected_dtype
from judge.errors import CheckerFailed, JudgementCancelled
from judge.oracle import programs_of
from judge.runner.call import Call
from judge.runner.client import ReplyStatus, RunnerChannel, RunnerClient
from judge.runner.comparison import OutputComparison
from judge.runner.memory import DeviceLost, Memory, PrivateBytes
from judge.sizes import bytes_of, shape_of, size_names
from problems.schema import Argument, Case, Problem, Tolerance
from problems.vocabulary import Dtype, Role
from sandbox.backend import Process
from sandbox.wire import NO_RULE

_LOAD_S = 20.0
_CHECK_S = 30.0
_AFTERSHOCK_S = 0.1  # time for a fault that ended the checker to reach this context
_EXACT = Tolerance(nan=True)
_ANSWER = "answer of the checker"  # the score and the index of a broken rule; no argument has this name


@dataclass(frozen=True, slots=True)
class Compared:
    """The comparison of each output by name, and the checker's score if all outputs are right.

    `rule` is the sentence of the rule of the package that the whole answer breaks; empty if there is none.
    """

    outputs: Mapping[str, OutputComparison]
    score: float | None = None
    rule: str = ""


class Checking(Protocol):
    """Compares the outputs of a call with the expected values."""

    def compare(
        self,
        case: Case,
        contents: Mapping[str, PrivateBytes],
        *,
        snapshots: Mapping[str, PrivateBytes],
        poisons: Mapping[str, PrivateBytes],
    ) -> Compared:
        """Return one comparison for each output. `contents` are the contents of a drawn set of `case`.

        Raises:
            judge.errors.CheckerFailed: the author's checker fails or takes too long.
            judge.errors.JudgementCancelled: the judgement was cancelled.
            judge.runner.memory.DeviceLost: the GPU is lost.
        """


class ByTolerance:
    """Compares by the tolerances of `problem`, in `memory`. Implements Checking."""

    def __init__(self, problem: Problem, memory: Memory) -> None:
        self._problem = problem
        self._memory = memory

    def compare(
        self,
        case: Case,
        contents: Mapping[str, PrivateBytes],
        *,
        snapshots: Mapping[str, PrivateBytes],
        poisons: Mapping[str, PrivateBytes],
    ) -> Compared:
        """See Checking."""
        return Compared(
            {
                argument.name: self._memory.compare(
                    argument,
                    shape_of(argument, case.sizes),
                    got=snapshots[argument.name],
                    expected=contents[expected_name(argument)],
                    poison=poisons.get(argument.name),
                )
                for argument in outputs(self._problem)
            }
        )


class ByChecker:
    """Compares by the checker of `problem`, over `exchange` with its sandbox. Implements Checking.

    The checker is loaded when it is first needed, or by `open`. The caller keeps ownership of `exchange`.
    """

    def __init__(self, problem: Problem, memory: Memory, exchange: RunnerChannel) -> None:
        self._problem = problem
        self._memory = memory
        self._exchange = exchange
        self._loaded = False

    def open(self) -> None:
        """Open the sandbox's GPU, if it has one, and load the checker.

        Raises the same errors as `compare`.
        """
        if self._loaded:
            return
        self._require(self._exchange.prepare(timeout_s=_LOAD_S), "opening the GPU")
        source = (self._problem.checker or "").encode()
        answer = self._exchange.load(source, checker_manifest(self._problem), timeout_s=_LOAD_S)
        self._require(answer, "loading checker.py")
        self._loaded = True

    def compare(
        self,
        case: Case,
        contents: Mapping[str, PrivateBytes],
        *,
        snapshots: Mapping[str, PrivateBytes],
        poisons: Mapping[str, PrivateBytes],
    ) -> Compared:
        """See Checking."""
        self.open()
        with Call(self._memory) as call:
            self._fill(call, case, contents, snapshots)
            self._memory.synchronize()
            answer = self._exchange.run(
                call.arguments,
                call.descriptors,
                timeout_s=_CHECK_S,
                time_limit_ms=int(_CHECK_S * 1000),
            )
            self._require(answer, f"checking case {case.name}")
            compared = {
                argument.name: self._memory.compare(
                    replace(argument, tolerance=_EXACT),
                    shape_of(argument, case.sizes),
                    got=snapshots[argument.name],
                    expected=call.buffers[expected_name(argument)].snapshot(),
                    poison=poisons.get(argument.name),
                )
                for argument in outputs(self._problem)
            }
            if any(comparison.mismatched for comparison in compared.values()):
                return Compared(compared, rule=self._broken_rule(call, case))
            return Compared(compared, self._score(call, case))

    def _answer(self, call: Call) -> tuple[float, float]:
        """Return the score, and the index of the broken rule, as the sandbox of the checker wrote them."""
        score, rule = self._memory.to_host(call.buffers[_ANSWER].snapshot()).view(np.float64).tolist()
        return score, rule

    def _broken_rule(self, call: Call, case: Case) -> str:
        """Return the sentence of the rule that wrong outputs break, empty if there is none."""
        rules = self._problem.checker_rules
        if not rules:
            return ""
        _, index = self._answer(call)
        if index == NO_RULE:
            return ""
        if index not in range(len(rules)):  # also rejects NaN
            raise CheckerFailed(f"{self._problem.slug}: checking case {case.name}: there is no rule {index}")
        return rules[int(index)][1]

    def _score(self, call: Call, case: Case) -> float | None:
        """Return the checker's score of correct outputs. Its sandbox has checked the bounds too."""
        rule = self._problem.score
        if rule is None:
            return None
        score, _ = self._answer(call)
        if not rule.least <= score <= rule.most:  # also rejects NaN
            raise CheckerFailed(f"{self._problem.slug}: checking case {case.name}: the score is {score}")
        return score

    def _fill(
        self,
        call: Call,
        case: Case,
        contents: Mapping[str, PrivateBytes],
        snapshots: Mapping[str, PrivateBytes],
    ) -> None:
        """Add copies of inputs, sizes, and the actual and expected values of each output to `call`."""
        for argument in _read_by_checker(self._problem):
            if argument.role is Role.SCALAR:
                call.add(argument, case)
            else:  # on the checker's device, also if programs get it on the host or another device
                call.add_array(argument.name, argument.dtype, shape_of(argument, case.sizes))
                call.buffers[argument.name].fill(contents[argument.name])
        for name in size_names(self._problem):
            call.add_scalar(Dtype.INT64, case.sizes[name])
        for argument in outputs(self._problem):
            shape = shape_of(argument, case.sizes)
            given, expected = _given_name(argument.name), expected_name(argument)
            call.add_array(given, argument.dtype, shape)
            call.buffers[given].fill(snapshots[argument.name])
            call.add_array(expected, expected_dtype(argument.dtype), shape)
            call.buffers[expected].fill(contents[expected])
        if checker_answers(self._problem):
            call.add_array(_ANSWER, Dtype.FLOAT64, (2,))
            call.buffers[_ANSWER].clear()

    def _require(self, answer: ReplyStatus, doing: str) -> None:
        if answer is ReplyStatus.DONE:
            return
        if answer is ReplyStatus.CANCELLED:
            raise JudgementCancelled
        if answer is ReplyStatus.DIED and self._memory.lost(patience_s=_AFTERSHOCK_S):
            raise DeviceLost(f"{doing}: the GPU is lost")
        said = [diagnostic.message for diagnostic in self._exchange.diagnostics]
        reason = answer.name.lower().replace("_", " ")
        raise CheckerFailed(f"{self._problem.slug}: {doing}: {reason}: " + "\n".join(said))


class CheckerOnHost:
    """A checker in a sandbox of this host, started when it is first needed. Implements Checking.

    Callers must close it.
    """

    def __init__(
        self,
        problem: Problem,
        memory: Memory,
        start: Callable[[], Process],
        cancelled: Callable[[], bool],
    ) -> None:
        self._problem = problem
        self._memory = memory
        self._start = start
        self._cancelled = cancelled
        self._conversation: RunnerClient | None = None
        self._checking: ByChecker | None = None

    def compare(
        self,
        case: Case,
        contents: Mapping[str, PrivateBytes],
        *,
        snapshots: Mapping[str, PrivateBytes],
        poisons: Mapping[str, PrivateBytes],
    ) -> Compared:
        """See Checking. Also raises RunnerUnusable if the sandbox does not start."""
        if self._checking is None:
            self._conversation = RunnerClient(self._start(), self._cancelled)
            self._checking = ByChecker(self._problem, self._memory, self._conversation)
        return self._checking.compare(case, contents, snapshots=snapshots, poisons=poisons)

    def close(self) -> None:
        """End its sandbox."""
        if self._conversation is not None:
            self._conversation.close()


@contextmanager
def checking_on_host(
    problem: Problem,
    memory: Memory,
    start: Callable[[], Process],
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Checking]:
    """Yield the checking for `problem`. A checker runs in a sandbox from `start` until the block ends."""
    checking = CheckerOnHost(problem, memory, start, cancelled)
    try:
        yield checking
    finally:
        checking.close()


def checker_manifest(problem: Problem) -> bytes:
    """Return the checker's manifest as JSON: the signature."""
    tolerances = {argument.name: argument.tolerance or Tolerance() for argument in outputs(problem)}
    manifest: dict[str, object] = {
        "checker": True,
        "inputs": [argument.name for argument in _read_by_checker(problem)],
        "sizes": list(size_names(problem)),
        "outputs": [argument.name for argument in outputs(problem)],
        "tolerance": {
            name: {"relative": allowed.relative, "absolute": allowed.absolute, "nan": allowed.nan}
            for name, allowed in tolerances.items()
        },
        **programs_of(problem),
    }
    if problem.score is not None:
        manifest["score"] = {"least": problem.score.least, "most": problem.score.most}
    if problem.checker_rules:
        manifest["rules"] = [name for name, _ in problem.checker_rules]
    return json.dumps(manifest).encode()


def checker_answers(problem: Problem) -> bool:
    """Return whether the checker answers more than which elements are right: a score or a broken rule."""
    return problem.score is not None or bool(problem.checker_rules)


def checker_bytes(problem: Problem, case: Case) -> int:
    """Return the bytes that the judge needs for one comparison by a checker, without the checker's own."""
    if problem.checker is None:
        return 0
    copies = sum(bytes_of(argument, case.sizes) for argument in (*inputs(problem), *outputs(problem)))
    wide = sum(
        bytes_of(argument, case.sizes) // argument.dtype.itemsize * expected_dtype(argument.dtype).itemsize
        for argument in outputs(problem)
    )
    return copies + 2 * wide


def _read_by_checker(problem: Problem) -> list[Argument]:
    """Return the arguments whose values a checker gets: inputs, and scalars that do not follow from sizes."""
    return [argument for argument in problem.arguments if argument.drawn or argument in inputs(problem)]


def _given_name(name: str) -> str:
    return f"given-{name}"
