"""An environment for proofs without sandboxes. References from the test run in this process."""

import json
import secrets
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, cast

import numpy as np

from judge.drawn import inputs, outputs
from judge.dtypes import expected_dtype, narrow, storage, widen
from judge.errors import OracleFailed
from judge.oracle import Drawn
from judge.proof.batches.trials import Trial, trial_of
from judge.proof.checker_audit import Accepts, accepts_by
from judge.proof.determinism import CaseDataSource
from judge.report import CaseReport, Diagnostic, Report, StageTime
from judge.runner.buffers import HostMemory
from judge.runner.checking import ByChecker
from judge.runner.client import ReplyStatus, RunnerChannel
from judge.scalars import with_scalars
from judge.sizes import scalar_of, shape_of
from problems.schema import Case, Problem
from problems.vocabulary import Group, Language, Role, Severity, Stage, Verdict
from sandbox.runner.checker_work import CheckerSignature, carry_out, parse_checker
from sandbox.runner.programs import Programs
from sandbox.runner.session import array_of
from sandbox.wire import Request, RequestKind, WireArgument
from tests.unit.judge.packages import DOUBLING

REFERENCE = """
def generate(xp, rng, size):
    return {"x": rng.uniform(-10, 10, size["n"])}

def reference(xp, x, n):
    return {"y": x * 2.1}
"""
STATEMENT = """
Scale `x` into `y`; there are `n`.

## Example

`x` = (1, 2, 3) gives `y` = (2.1, 4.2, 6.3).

## Constraints

Each element must be within 1e-6 of the exact one, and within 1e-6 of its size.

## What bounds it
"""
SCALING = replace(
    DOUBLING,
    slug="scaling",
    reference=REFERENCE,
    statement=STATEMENT,
    cases=(*DOUBLING.cases, Case("one", Group.ODD, {"n": 1})),
)


@dataclass(frozen=True, slots=True)
class InProcessOracle:
    """Draws as the oracle does, in this process, from a trusted reference."""

    problem: Problem
    module: dict[str, Any] = field(default_factory=dict)  # loaded once, as in a process

    def draw(self, case: Case, seed: int | None = None) -> Drawn:
        """Fill `case` with contents for `seed`."""
        case = with_scalars(self.problem, case, secrets.randbits(128) if seed is None else seed)
        module = self.module
        if not module:
            exec(self.problem.reference, module)  # the test's own text
        try:
            made = case.inputs or module["generate"](np, np.random.default_rng(seed), dict(case.sizes))
        except Exception as error:
            raise OracleFailed(str(error)) from error
        stored = {
            a.name: narrow(np.asarray(made[a.name], dtype=np.float64), a.dtype).reshape(
                shape_of(a, case.sizes)
            )
            for a in inputs(self.problem)
        }
        arguments: dict[str, Any] = {
            a.name: scalar_of(a, case) for a in self.problem.arguments if a.role is Role.SCALAR
        } | {a.name: widen(stored[a.name], a.dtype) for a in inputs(self.problem)}
        try:
            with np.errstate(all="ignore"):
                result = module["reference"](np, **arguments)
        except Exception as error:
            raise OracleFailed(str(error)) from error
        return Drawn(
            case=case,
            inputs={name: array.reshape(-1).view(np.uint8) for name, array in stored.items()},
            expected={
                a.name: np.asarray(result[a.name]).astype(storage(expected_dtype(a.dtype)))
                for a in outputs(self.problem)
            },
        )


@dataclass(slots=True)
class InProcessChecker:
    """Does the work of a sandbox with `checker.py` in this process."""

    module: ModuleType = field(default_factory=lambda: ModuleType("checker"))
    signature: CheckerSignature | None = None
    diagnostics: tuple[Diagnostic, ...] = ()

    def prepare(self, *, timeout_s: float) -> ReplyStatus:
        """Do nothing, because there is no GPU."""
        return ReplyStatus.DONE if timeout_s else ReplyStatus.TIMED_OUT

    def load(self, *contents: bytes, timeout_s: float) -> ReplyStatus:
        """Run the test's own text."""
        source, manifest = contents
        exec(source, self.module.__dict__)
        self.signature = parse_checker(json.loads(manifest))
        return ReplyStatus.DONE if timeout_s else ReplyStatus.TIMED_OUT

    def run(
        self, arguments: tuple[WireArgument, ...], descriptors: Sequence[int], **_: object
    ) -> ReplyStatus:
        """Ask the checker about one case."""
        views = [None if argument.scalar else array_of(argument, descriptors) for argument in arguments]
        request = Request(RequestKind.RUN, 1, arguments)
        assert self.signature is not None
        try:
            with np.errstate(all="ignore"):
                carry_out(np, self.module, self.signature, Programs(), request, views)
        except Exception as error:  # noqa: BLE001 - as the runner does
            self.diagnostics = (Diagnostic(Severity.ERROR, "oracle", str(error)),)
            return ReplyStatus.DIED
        return ReplyStatus.DONE


@dataclass(slots=True)
class ScriptedBench:
    """Judges by a table from source texts to verdicts. All other sources get wrong answer."""

    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    on_gpu: bool = False
    judged: list[str] = field(default_factory=list)

    def oracle(self, problem: Problem) -> AbstractContextManager[CaseDataSource]:
        """The reference, in this process."""
        return nullcontext(InProcessOracle(problem))

    def checker(self, problem: Problem) -> AbstractContextManager[Accepts]:
        """The checker, in this process."""
        checking = ByChecker(problem, HostMemory(), cast("RunnerChannel", InProcessChecker()))
        return nullcontext(accepts_by(problem, checking))

    def judge(self, problem: Problem, source: str, language: Language) -> Report:
        """The scripted verdict of `source`."""
        self.judged.append(source)
        verdict = next((v for text, v in self.verdicts.items() if text in source), Verdict.WRONG_ANSWER)
        case = CaseReport("example", Group.SAMPLE, public=True, verdict=verdict, message="said the judge")
        return Report(verdict, "said the judge", (StageTime(Stage.CHECK, 2.0),), (case,))

    def try_all(
        self, problem: Problem, sources: Sequence[str], language: Language, *, controls: Sequence[str]
    ) -> list[Trial]:
        """The scripted verdicts of `sources`."""
        return [trial_of(self.judge(problem, source, language)) for source in sources]
