"""Draws the inputs and expected outputs of a case by running the author's code in its sandbox.

The oracle sees seeds and expected outputs, and never a submission; runners see neither. Its answer is
what it wrote into buffers of known shape, so nothing that it says is parsed either.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from judge.buffers import Bytes
from judge.call import Call
from judge.conversation import Answer, Conversation
from judge.diagnostics import clean
from judge.elements import expected_dtype, narrow, storage
from judge.errors import JudgementCancelled, OracleFailed
from judge.sizes import shape_of, size_names
from problems.schema import Argument, Case, Problem
from problems.vocabulary import Dtype, Role
from sandbox.backend import Process
from sandbox.wire import Flag

_LOAD_S = 20.0
_DRAW_S = 60.0


@dataclass(frozen=True, slots=True)
class Drawn:
    """A case with contents.

    `inputs` holds the payload bytes of in and inout arrays; `expected` one array per out and inout
    argument in the argument's shape, float64 for floats and the argument's dtype otherwise.
    """

    case: Case
    inputs: Mapping[str, Bytes]
    expected: Mapping[str, npt.NDArray[np.generic]]


class Oracle:
    """A loaded reference. Owns its process; close it.

    Every method raises OracleFailed when the author's code breaks or takes too long, and
    JudgementCancelled when the judgement was cancelled.
    """

    def __init__(self, problem: Problem, process: Process, cancelled: Callable[[], bool]) -> None:
        self._problem = problem
        self._conversation = Conversation(process, cancelled)
        source = problem.reference.encode()
        answer = self._conversation.load(source, oracle_manifest(problem), timeout_s=_LOAD_S)
        self._require(answer, "loading reference.py")

    def draw(self, case: Case, seed: int | None = None) -> Drawn:
        """Fill `case` with contents for `seed` (128 bits), by default one that nobody can guess."""
        problem = self._problem
        with Call() as call:
            for argument in problem.arguments:
                call.add(argument, case.sizes)
            for name in size_names(problem):
                call.add_scalar(Dtype.INT64, case.sizes[name])
            for argument in outputs(problem):
                shape = shape_of(argument, case.sizes)
                call.add_array(_expected_name(argument), expected_dtype(argument.dtype), shape)
            answer = self._conversation.run(
                call.arguments,
                call.descriptors,
                timeout_s=_DRAW_S,
                time_limit_ms=int(_DRAW_S * 1000),
                flags=_fill_literals(problem, case, call),
                seed=secrets.randbits(128) if seed is None else seed,
            )
            self._require(answer, f"drawing case {case.name}")
            return _collect(problem, case, call)

    def close(self) -> None:
        """End the oracle's process."""
        self._conversation.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _require(self, answer: Answer, doing: str) -> None:
        if answer is Answer.DONE:
            return
        if answer is Answer.CANCELLED:
            raise JudgementCancelled
        said = [diagnostic.message for diagnostic in self._conversation.diagnostics]
        if answer is Answer.DIED:
            completion = self._conversation.end()
            said.append(f"it ended by itself: {completion.ending}, status {completion.status}")
            said.append(clean(completion.stderr.decode("utf-8", "replace"), 2000))
        reason = answer.name.lower().replace("_", " ")
        raise OracleFailed(f"{self._problem.slug}: {doing}: {reason}: " + "\n".join(filter(None, said)))


def outputs(problem: Problem) -> list[Argument]:
    """The arguments that are checked, in order."""
    return [argument for argument in problem.arguments if argument.role in {Role.OUT, Role.INOUT}]


def inputs(problem: Problem) -> list[Argument]:
    """The arguments that come with contents, in order."""
    return [argument for argument in problem.arguments if argument.role in {Role.IN, Role.INOUT}]


def oracle_manifest(problem: Problem) -> bytes:
    """What the oracle must know of the signature, JSON."""
    manifest = {
        "arguments": _signature(problem),
        "sizes": list(size_names(problem)),
        "expected": [argument.name for argument in outputs(problem)],
    }
    return json.dumps(manifest).encode()


def runner_manifest(problem: Problem) -> bytes:
    """What a Python runner must know of the signature, JSON."""
    return json.dumps({"arguments": _signature(problem)}).encode()


def _signature(problem: Problem) -> list[dict[str, str]]:
    return [
        {"name": argument.name, "role": argument.role.value, "dtype": argument.dtype.value}
        for argument in problem.arguments
    ]


def _expected_name(argument: Argument) -> str:
    return f"expected-{argument.name}"


def _fill_literals(problem: Problem, case: Case, call: Call) -> Flag:
    """Write a sample case's own numbers, if it has any, and say whether the inputs are given."""
    for argument in inputs(problem):
        if argument.name in case.inputs:
            values = narrow(np.array(case.inputs[argument.name]), argument.dtype)
            call.buffers[argument.name].fill(values.reshape(-1).view(np.uint8))
    return Flag.GIVEN if case.inputs else Flag.NONE


def _collect(problem: Problem, case: Case, call: Call) -> Drawn:
    def expected(argument: Argument) -> npt.NDArray[np.generic]:
        stored = call.buffers[_expected_name(argument)].snapshot()
        shape = shape_of(argument, case.sizes)
        return stored.view(storage(expected_dtype(argument.dtype))).reshape(shape)

    return Drawn(
        case=case,
        inputs={argument.name: call.buffers[argument.name].snapshot() for argument in inputs(problem)},
        expected={argument.name: expected(argument) for argument in outputs(problem)},
    )
