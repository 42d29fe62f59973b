"""Draws the inputs and expected outputs of a case by running the author's code in its sandbox.

The oracle sees seeds and expected outputs, but never a submission. Runners see neither seeds nor expected
outputs. The oracle answers by writing into memory of known layout, a drawn set, so its output is not parsed
either. The set is in host memory or device memory. This process only passes the descriptor on and need not be
able to read the memory.
"""

import json
import mmap
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from judge.drawn import CaseData, allocate, expected_name, inputs, outputs
from judge.dtypes import expected_dtype, narrow, storage
from judge.errors import JudgementCancelled, OracleFailed
from judge.evidence.diagnostics import clean
from judge.report import Diagnostic
from judge.runner.buffers import Bytes
from judge.runner.client import ReplyStatus, RunnerClient, memory_file
from judge.scalars import with_scalars
from judge.sizes import scalar_of, shape_of, size_names
from problems.binding_python import call_of
from problems.schema import Argument, Case, Problem
from problems.vocabulary import Dtype, Language, OracleKind, Role
from sandbox.backend import Process
from sandbox.spec import Termination
from sandbox.wire import RunFlag, WireArgument

TORCH_ORACLE = "torch-oracle"
_LOAD_S = 20.0
_DRAW_S = 60.0


@dataclass(frozen=True, slots=True)
class Drawn:
    """A case with contents.

    `inputs` holds the payload bytes of in and inout arrays. `expected` holds one array for each out and inout
    argument, in the argument's shape: float64 for floats, else the argument's dtype.
    """

    case: Case
    inputs: Mapping[str, Bytes]
    expected: Mapping[str, npt.NDArray[np.generic]]


class Oracle:
    """A loaded reference. Owns its process until `close`.

    Every method raises OracleFailed if the author's code fails or takes too long, and JudgementCancelled if
    the judgement was cancelled.
    """

    def __init__(
        self, problem: Problem, process: Process, cancelled: Callable[[], bool], *, gpu: bool = False
    ) -> None:
        """Load the reference of `problem` into a new oracle. With `gpu`, the oracle opens its GPU first."""
        self._problem = problem
        self._conversation = RunnerClient(process, cancelled)
        if gpu:
            self._require(self._conversation.prepare(timeout_s=_LOAD_S), "opening the GPU")
        source = problem.reference.encode()
        answer = self._conversation.load(source, oracle_manifest(problem), timeout_s=_LOAD_S)
        self._require(answer, "loading reference.py")

    def draw(self, case: Case, seed: int | None = None) -> Drawn:
        """Generate `case` for `seed` (128 bits), by default a random one. Its scalars are drawn too."""
        seed = secrets.randbits(128) if seed is None else seed
        case = with_scalars(self._problem, case, seed)
        drawn = allocate(self._problem, case)
        try:
            self.fill(drawn, seed)
            return read_set(self._problem, drawn)
        finally:
            drawn.close()

    def fill(self, drawn: CaseData, seed: int | None = None) -> None:
        """Write contents for `seed` into the memory of `drawn`, by default for a random seed."""
        case = drawn.case
        given = [memory_file(given_inputs(self._problem, case))] if case.inputs else []
        try:
            answer = self._conversation.run(
                _arguments(self._problem, drawn),
                [drawn.descriptor, *given],
                timeout_s=_DRAW_S,
                time_limit_ms=int(_DRAW_S * 1000),
                flags=RunFlag.GIVEN if given else RunFlag.NONE,
                seed=secrets.randbits(128) if seed is None else seed,
            )
        finally:
            for descriptor in given:
                os.close(descriptor)
        self._require(answer, f"generating case {case.name}")

    def close(self) -> None:
        """End the oracle's process."""
        self._conversation.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _require(self, answer: ReplyStatus, doing: str) -> None:
        if answer is ReplyStatus.DONE:
            return
        if answer is ReplyStatus.CANCELLED:
            raise JudgementCancelled
        said = [_with_line(diagnostic) for diagnostic in self._conversation.diagnostics]
        if answer is ReplyStatus.DIED:
            completion = self._conversation.end()
            if not said or completion.ending is not Termination.EXITED:  # else the author's error explains it
                said.append(f"it ended unexpectedly: {completion.ending}, status {completion.status}")
            said.append(clean(completion.stderr.decode("utf-8", "replace"), 2000))
        reason = answer.name.lower().replace("_", " ")
        raise OracleFailed(f"{self._problem.slug}: {doing}: {reason}: " + "\n".join(filter(None, said)))


def _with_line(diagnostic: Diagnostic) -> str:
    """Return the message of `diagnostic` with its line in the author's file."""
    return diagnostic.message + (f" (line {diagnostic.line})" if diagnostic.line else "")


def oracle_kind(oracle: OracleKind) -> str:
    """Return the kind of sandbox that an oracle needs."""
    return TORCH_ORACLE if oracle is OracleKind.TORCH else "oracle"


def oracle_manifest(problem: Problem) -> bytes:
    """Return the oracle's manifest as JSON: the signature."""
    manifest: dict[str, object] = {
        "arguments": _signature(problem),
        "sizes": list(size_names(problem)),
        "expected": [argument.name for argument in outputs(problem)],
        **programs_of(problem),
    }
    return json.dumps(manifest).encode()


def programs_of(problem: Problem) -> dict[str, object]:
    """Return the part of a manifest with the programs under test; empty if there are none."""
    return {"programs": list(problem.under_test.programs)} if problem.under_test else {}


def given_inputs(problem: Problem, case: Case) -> bytes:
    """Return the inputs that `case` states as JSON: the stored bytes of each array in hexadecimal."""
    return json.dumps(
        {
            argument.name: narrow(_exactly(case.inputs[argument.name], argument.dtype), argument.dtype)
            .tobytes()
            .hex()
            for argument in inputs(problem)
            if argument.name in case.inputs
        }
    ).encode()


def _exactly(values: Sequence[float], dtype: Dtype) -> npt.NDArray[np.generic]:
    """Return the numbers as an array that holds them exactly."""
    return np.array(values, np.float64) if dtype.is_float else np.array([int(v) for v in values], np.int64)


def runner_manifest(problem: Problem, language: Language = Language.TRITON) -> bytes:
    """Return a Python runner's manifest as JSON: the signature and the form of the call."""
    manifest: dict[str, object] = {"arguments": _signature(problem)}
    if language is Language.PYTHON:
        manifest["python"] = call_of(problem).described()
        counters = {r.counter.value for r in problem.requirements if r.counter.language is language}
        manifest["counters"] = sorted(counters)
    if problem.ranks > 1:
        manifest["ranks"] = problem.ranks
    return json.dumps(manifest).encode()


def _signature(problem: Problem) -> list[dict[str, str]]:
    return [
        {"name": argument.name, "role": argument.role.value, "dtype": argument.dtype.value}
        for argument in problem.arguments
    ]


def read_set(problem: Problem, drawn: CaseData) -> Drawn:
    """Return a private copy of a set in host memory."""
    with mmap.mmap(drawn.descriptor, 0, prot=mmap.PROT_READ) as shared:
        copies = {
            part.name: np.frombuffer(shared[part.offset : part.offset + part.size_bytes], np.uint8)
            for part in drawn.parts
        }

    def expected(argument: Argument) -> npt.NDArray[np.generic]:
        stored = copies[expected_name(argument)].view(storage(expected_dtype(argument.dtype)))
        return stored.reshape(shape_of(argument, drawn.case.sizes))

    return Drawn(
        case=drawn.case,
        inputs={argument.name: copies[argument.name] for argument in inputs(problem)},
        expected={argument.name: expected(argument) for argument in outputs(problem)},
    )


def _arguments(problem: Problem, drawn: CaseData) -> tuple[WireArgument, ...]:
    """Return the problem's arguments, the sizes, and the expected values.

    All arrays are in the set's memory.
    """
    places = {part.name: part for part in drawn.parts}
    sizes = drawn.case.sizes

    def array(name: str, dtype: Dtype, shape: tuple[int, ...]) -> WireArgument:
        place = places.get(name)  # outputs have none, because the oracle writes only their expected values
        offset, size_bytes = (place.offset, place.size_bytes) if place else (0, 0)
        return WireArgument(dtype.value, False, 0, offset, size_bytes, drawn.size_bytes, shape)

    def of(argument: Argument) -> WireArgument:
        if argument.role is Role.SCALAR:
            return _scalar(argument.dtype, scalar_of(argument, drawn.case))
        return array(argument.name, argument.dtype, shape_of(argument, sizes))

    return (
        *(of(argument) for argument in problem.arguments),
        *(_scalar(Dtype.INT64, sizes[name]) for name in size_names(problem)),
        *(
            array(expected_name(argument), expected_dtype(argument.dtype), shape_of(argument, sizes))
            for argument in outputs(problem)
        ),
    )


def _scalar(dtype: Dtype, value: float) -> WireArgument:
    bits = int.from_bytes(narrow(np.array([value]), dtype).tobytes(), "little")
    return WireArgument(dtype.value, True, value=bits)
