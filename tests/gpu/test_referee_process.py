"""Tests referee processes on the GPU.

The runners are scripts in a thread of the test, and use the GPU too.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from judge.drawn import CaseData, layout
from judge.gpu.device.parents import start_warm_parent
from judge.gpu.device.process import RefereeProcess
from judge.report import CaseReport
from judge.runner.client import ReplyStatus
from judge.runner.inspector import Stopped
from problems.vocabulary import Verdict
from sandbox.gpu import nvml
from sandbox.runner import vmm
from sandbox.spec import SandboxGpu
from sandbox.wire import RequestKind, RunFlag
from tests.gpu.bare import opened_device
from tests.gpu.memories import say
from tests.unit.judge.packages import DOUBLING
from tests.unit.judge.scripted import Actor, ScriptedProcess

pytestmark = pytest.mark.gpu

CASE = DOUBLING.cases[1]
Arrays = dict[str, np.ndarray[Any, Any]]
Work = Callable[[Arrays], None]


@pytest.fixture(scope="module")
def device() -> Iterator[vmm.Device]:
    pytest.importorskip("cupy")
    with opened_device() as opened:
        yield opened


@pytest.fixture(scope="module")
def gpu(device: vmm.Device) -> SandboxGpu:
    start_warm_parent()
    first = nvml.gpus()[0]
    return SandboxGpu(first.uuid, first.minor)


@contextmanager
def drawn_on(device: vmm.Device) -> Iterator[CaseData]:
    """A set of the odd case in device memory, as the secret pool keeps them."""
    parts, size_bytes = layout(DOUBLING, CASE)
    x = np.arange(37, dtype=np.float32) + 1
    contents = {"x": x.tobytes(), "expected-y": (2.0 * x.astype(np.float64)).tobytes()}
    with vmm.Allocation.create(device, size_bytes) as memory:
        for part in parts:
            memory.write(contents[part.name], part.offset)
        device.synchronize()
        drawn = CaseData(CASE, parts, size_bytes, memory.export())
        yield drawn
        drawn.close()


def playing(device: vmm.Device, work: Work, beyond: int = 0) -> Callable[[Actor], None]:
    """A runner that does `work` on its arrays on the host and writes them back, `beyond` bytes too far."""

    def run(actor: Actor) -> None:
        opened = {}
        for name, argument in zip(("x", "y"), actor.request.arguments, strict=False):
            descriptor = actor.descriptors[argument.descriptor]
            opened[name] = vmm.Allocation.from_descriptor(device, descriptor, argument.value)
        at = actor.request.arguments[0].offset
        arrays = {
            name: np.frombuffer(memory.read(148, at), np.float32).copy() for name, memory in opened.items()
        }
        work(arrays)
        for name, memory in opened.items():
            memory.write(arrays[name].tobytes() + bytes(beyond if name == "y" else 0), at)
        device.synchronize()
        for memory in opened.values():
            memory.close()

    def script(actor: Actor) -> None:
        device.make_current()
        while kind := actor.receive():
            if kind is RequestKind.QUIT:
                return
            if kind is RequestKind.RUN:
                run(actor)
            actor.answer()

    return script


def double(arrays: Arrays) -> None:
    arrays["y"][:] = arrays["x"] * 2


def check(device: vmm.Device, gpu: SandboxGpu, work: Work, beyond: int = 0) -> CaseReport | Stopped:
    with RefereeProcess.start(gpu) as referee, drawn_on(device) as drawn:
        runner = ScriptedProcess(playing(device, work, beyond))
        referee.attach(DOUBLING, runner.channel)
        assert referee.ready() is None
        assert referee.load(b"artifact") is None
        report = referee.check(drawn, RunFlag.NONE)
        runner.close()
        return report


def verdict_of(report: CaseReport | Stopped) -> Verdict:
    assert isinstance(report, CaseReport), report
    return report.verdict


def test_honest_work_is_accepted(device: vmm.Device, gpu: SandboxGpu) -> None:
    assert verdict_of(check(device, gpu, double)) is Verdict.ACCEPTED


def test_a_wrong_element_comes_back_with_its_place(device: vmm.Device, gpu: SandboxGpu) -> None:
    def work(arrays: Arrays) -> None:
        double(arrays)
        arrays["y"][36] = -1

    report = check(device, gpu, work)
    assert verdict_of(report) is Verdict.WRONG_ANSWER
    assert isinstance(report, CaseReport)
    (mismatch,) = report.mismatches
    assert (mismatch.index, mismatch.expected, mismatch.got) == ((36,), "74", "-1")


def test_doing_nothing_leaves_poison(device: vmm.Device, gpu: SandboxGpu) -> None:
    report = check(device, gpu, lambda arrays: None)
    assert isinstance(report, CaseReport)
    assert report.message.startswith("y was never written. Outputs hold random bits before a call")


def test_a_changed_input_is_rejected(device: vmm.Device, gpu: SandboxGpu) -> None:
    def work(arrays: Arrays) -> None:
        double(arrays)
        arrays["x"][0] = 7

    assert verdict_of(check(device, gpu, work)) is Verdict.REJECTED


def test_a_write_past_the_end_is_an_illegal_access(device: vmm.Device, gpu: SandboxGpu) -> None:
    assert verdict_of(check(device, gpu, double, beyond=8)) is Verdict.ILLEGAL_ACCESS


def test_a_runner_that_dies_leaves_the_referee_its_gpu(device: vmm.Device, gpu: SandboxGpu) -> None:
    def script(actor: Actor) -> None:
        for _ in range(2):
            actor.receive()
            actor.answer()
        actor.receive()

    with RefereeProcess.start(gpu) as referee, drawn_on(device) as drawn:
        runner = ScriptedProcess(script)
        referee.attach(DOUBLING, runner.channel)
        assert referee.load(b"artifact") is None
        stopped = referee.check(drawn, RunFlag.NONE)
        assert isinstance(stopped, Stopped)
        assert (stopped.answer, stopped.device_lost) == (ReplyStatus.DIED, False)
        runner.close()


def test_how_long_a_referee_takes(device: vmm.Device, gpu: SandboxGpu) -> None:
    for attempt in range(3):
        marks = [time.perf_counter()]
        with RefereeProcess.start(gpu) as referee, drawn_on(device) as drawn:
            runner = ScriptedProcess(playing(device, double))
            referee.attach(DOUBLING, runner.channel)
            marks.append(time.perf_counter())
            assert referee.ready() is None
            marks.append(time.perf_counter())
            assert referee.load(b"artifact") is None
            for _ in range(3):
                marks.append(time.perf_counter())
                assert verdict_of(referee.check(drawn, RunFlag.NONE)) is Verdict.ACCEPTED
            marks.append(time.perf_counter())
            runner.close()
            referee.close()
            marks.append(time.perf_counter())
        start, ready, _load, first, second, third, closed = (
            1000 * (after - before) for before, after in pairwise(marks)
        )
        say(
            f"referee {attempt}: start {start:.0f} ms, ready {ready:.0f} ms, first check {first:.1f} ms, "
            f"next {second:.1f} and {third:.1f} ms, close {closed:.0f} ms"
        )
