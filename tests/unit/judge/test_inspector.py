"""Tests the inspector when device memory is lost: no verdict, no waiting. test_referee tests verdicts."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from judge.oracle import Drawn
from judge.report import CaseReport
from judge.runner.buffers import HostBuffer, HostMemory
from judge.runner.client import ReplyStatus, RunnerChannel
from judge.runner.comparison import OutputComparison
from judge.runner.inspector import Inspector, Stopped
from judge.runner.memory import DeviceLost
from judge.runner.referee import contents_of
from problems.loader import load_problem, problems_root
from problems.schema import Case
from problems.vocabulary import Verdict
from sandbox.wire import RunFlag
from tests.unit.judge.drawn_sets import doubling_set
from tests.unit.judge.packages import DOUBLING
from tests.unit.judge.scripted import Actor, ScriptedProcess, serve


@dataclass
class Losing(HostMemory):
    """Host memory that is lost at the call of `at`, as a GPU is when a neighbour faults."""

    at: str = ""
    is_lost: bool = False
    patience: list[float] = field(default_factory=list)

    def buffer(self, name: str, size_bytes: int) -> HostBuffer:
        self._pass("buffer")
        memory = self

        class Buffer(HostBuffer):
            def damage(self) -> str | None:
                memory._pass("damage")
                return super().damage()

        return Buffer(name, size_bytes)

    def synchronize(self) -> None:
        self._pass("synchronize")

    def compare(self, *arguments: Any, **named: Any) -> OutputComparison:
        self._pass("compare")
        return super().compare(*arguments, **named)

    def lost(self, *, patience_s: float) -> bool:
        self.patience.append(patience_s)
        return self.is_lost

    def _pass(self, place: str) -> None:
        self.is_lost |= place == self.at
        if self.is_lost:
            raise DeviceLost(place)


def double(actor: Actor) -> None:
    actor.array(1, "f4")[:] = actor.array(0, "f4") * 2


def check(
    memory: Losing,
    script: Callable[[Actor], None],
    case: Case = DOUBLING.cases[1],
    flags: RunFlag = RunFlag.NONE,
) -> tuple[Inspector, CaseReport | Stopped]:
    process = ScriptedProcess(script)
    with RunnerChannel(process.channel, lambda: False) as exchange, doubling_set(case) as drawn:
        inspector = Inspector(DOUBLING, memory, exchange)
        assert inspector.load(b"artifact") is None
        found = inspector.check(drawn.case, memory.open_set(drawn), flags)
    process.close()
    return inspector, found


@pytest.mark.parametrize("at", ["buffer", "synchronize", "damage", "compare"])
def test_a_lost_gpu_stops_the_run_without_a_verdict(at: str) -> None:
    inspector, found = check(Losing(at=at), serve(double))
    assert isinstance(found, Stopped)
    assert (found.answer, found.device_lost) == (ReplyStatus.DONE, True)
    assert not inspector.alive


def test_a_gpu_that_lives_is_no_part_of_it() -> None:
    inspector, found = check(Losing(), serve(double))
    assert isinstance(found, CaseReport)
    assert found.verdict is Verdict.ACCEPTED
    assert inspector.alive


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_runner_that_died_may_have_taken_the_gpu_along(is_lost: bool) -> None:
    memory = Losing()

    def script(actor: Actor) -> None:
        actor.receive()
        actor.answer()
        actor.receive()
        memory.is_lost = is_lost

    _, found = check(memory, script)
    assert isinstance(found, Stopped)
    assert (found.answer, found.device_lost) == (ReplyStatus.DIED, is_lost)
    assert memory.patience[0] > 0  # the news may take a moment


def test_after_a_time_out_nobody_waits_for_the_gpu() -> None:
    memory = Losing()

    def script(actor: Actor) -> None:
        actor.receive()
        actor.answer()
        actor.receive()
        actor.receive()

    started = time.monotonic()
    _, found = check(memory, script)
    assert isinstance(found, Stopped)
    assert found.answer is ReplyStatus.TIMED_OUT
    assert memory.patience == [0]
    assert time.monotonic() - started < DOUBLING.limits.case_s + 3


@pytest.mark.parametrize("wanted", [True, False])
def test_inputs_and_outputs_are_shown_on_request_and_the_runner_is_not_told(wanted: bool) -> None:
    seen: list[int] = []

    def work(actor: Actor) -> None:
        seen.append(actor.request.flags)
        double(actor)

    flags = RunFlag.RACES | (RunFlag.SHOW if wanted else RunFlag.NONE)
    _, found = check(Losing(), serve(work), replace(DOUBLING.cases[0], inputs={}), flags)
    assert isinstance(found, CaseReport)
    assert found.verdict is Verdict.ACCEPTED
    assert (bool(found.inputs), bool(found.outputs)) == (wanted, wanted)
    assert seen == [RunFlag.RACES]


def test_tests_that_read_nothing_must_be_the_same_in_each_call() -> None:
    problem = load_problem(problems_root() / "templates" / "tests")
    written = iter([5, 5, 6])

    def write(actor: Actor) -> None:
        actor.array(0, "i4")[:] = next(written)

    answer = {"lengths": np.full(8, 5, np.int32), "values": np.zeros((8, 16), np.int32)}
    process = ScriptedProcess(serve(write))
    with RunnerChannel(process.channel, lambda: False) as exchange:
        inspector = Inspector(problem, HostMemory(), exchange)
        assert inspector.load(b"tests") is None
        found = [
            inspector.check(case, contents_of(problem, Drawn(case, {}, answer)), RunFlag.NONE)
            for case in problem.cases[:3]
        ]
    process.close()
    assert [report.verdict for report in found if isinstance(report, CaseReport)] == [
        Verdict.ACCEPTED,
        Verdict.ACCEPTED,
        Verdict.REJECTED,
    ]
    assert isinstance(found[2], CaseReport)
    assert "The tests differ from those of the first call." in found[2].message
