"""Referee processes in host memory, with runners that are scripts in a thread of the test."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast

import pytest

from judge.clock.contracts import Interfered as NotTimed
from judge.errors import Disturbed, JudgementCancelled, NeverQuiet
from judge.gpu.device.link import Link
from judge.gpu.device.process import RefereeFailed, RefereeProcess
from judge.report import CaseReport
from judge.runner.client import ReplyStatus
from judge.runner.inspector import Stopped
from problems.vocabulary import Verdict
from sandbox.wire import RequestKind, RunFlag
from tests.unit.judge.drawn_sets import doubling_set
from tests.unit.judge.packages import DOUBLING
from tests.unit.judge.scripted import Actor, ScriptedProcess, serve

Script = Callable[[Actor], None]
ROOT = Path(__file__).resolve().parents[4]


@contextmanager
def refereeing(
    script: Script, cancelled: Callable[[], bool] = lambda: False
) -> Iterator[tuple[RefereeProcess, ScriptedProcess]]:
    with RefereeProcess.start("host", cancelled=cancelled) as referee:
        runner = ScriptedProcess(script)
        referee.attach(DOUBLING, runner.channel)
        yield referee, runner
        runner.close()


def check(script: Script) -> CaseReport | Stopped:
    with refereeing(script) as (referee, _), doubling_set() as drawn:
        assert referee.load(b"artifact") is None
        return referee.check(drawn, RunFlag.NONE)


def double(actor: Actor) -> None:
    actor.array(1, "f4")[:] = actor.array(0, "f4") * 2


def alive(pid: int) -> bool:
    with suppress(FileNotFoundError):
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return False


def gone(pid: int, *, within_s: float = 5.0) -> bool:
    deadline = time.monotonic() + within_s
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not alive(pid)


def test_honest_work_is_accepted() -> None:
    report = check(serve(double))
    assert isinstance(report, CaseReport)
    assert (report.verdict, report.checked, report.mismatched) == (Verdict.ACCEPTED, 37, 0)


def test_a_wrong_element_comes_back_with_its_place() -> None:
    def work(actor: Actor) -> None:
        double(actor)
        actor.array(1, "f4")[36] = 0

    report = check(serve(work))
    assert isinstance(report, CaseReport)
    assert report.verdict is Verdict.WRONG_ANSWER
    assert report.mismatches[0].index == (36,)


def test_a_write_past_the_end_is_seen() -> None:
    def work(actor: Actor) -> None:
        double(actor)
        argument = actor.request.arguments[1]
        os.pwrite(actor.descriptors[argument.descriptor], b"12345678", argument.offset + argument.bytes)

    report = check(serve(work))
    assert isinstance(report, CaseReport)
    assert report.verdict is Verdict.ILLEGAL_ACCESS


def test_the_runner_opens_its_gpu_before_anything_is_loaded() -> None:
    asked: list[RequestKind] = []

    def script(actor: Actor) -> None:
        while kind := actor.receive():
            asked.append(kind)
            if kind is RequestKind.QUIT:
                return
            actor.answer()

    with refereeing(script) as (referee, runner):
        assert referee.ready() is None
        assert referee.load(b"artifact") is None
        referee.quit()
        runner.wait(5)
    assert asked == [RequestKind.PREPARE, RequestKind.LOAD, RequestKind.QUIT]


def test_a_runner_that_dies_stops_the_run() -> None:
    def script(actor: Actor) -> None:
        for _ in range(2):
            actor.receive()
            actor.answer()
        actor.receive()
        os.write(actor.diagnostics, b'{"severity": "error", "kind": "exception", "message": "oh"}\n')

    with refereeing(script) as (referee, _), doubling_set() as drawn:
        assert referee.load(b"artifact") is None
        stopped = referee.check(drawn, RunFlag.NONE)
        assert isinstance(stopped, Stopped)
        assert (stopped.answer, stopped.device_lost) == (ReplyStatus.DIED, False)
        assert [diagnostic.message for diagnostic in referee.diagnostics] == ["oh"]


def test_a_runner_that_does_not_get_ready_stops_what_is_asked_first() -> None:
    with refereeing(lambda actor: None) as (referee, _):
        stopped = referee.load(b"artifact")
        assert isinstance(stopped, Stopped)
        assert stopped.answer is ReplyStatus.DIED


def test_an_endless_case_times_out() -> None:
    def script(actor: Actor) -> None:
        for _ in range(2):
            actor.receive()
            actor.answer()
        actor.receive()
        actor.receive()

    stopped = check(script)
    assert isinstance(stopped, Stopped)
    assert stopped.answer is ReplyStatus.TIMED_OUT


def test_cancelling_ends_the_wait_and_closing_ends_the_process() -> None:
    stop = threading.Event()
    threading.Timer(0.1, stop.set).start()

    def script(actor: Actor) -> None:
        for _ in range(2):
            actor.receive()
            actor.answer()
        actor.receive()
        actor.receive()

    with refereeing(script, stop.is_set) as (referee, _), doubling_set() as drawn:
        referee.load(b"artifact")
        pid = referee.pid
        started = time.monotonic()
        with pytest.raises(JudgementCancelled):
            referee.check(drawn, RunFlag.NONE)
        referee.close()
        assert time.monotonic() - started < 1.0
        assert not alive(pid)


def test_a_referee_that_dies_is_our_failure() -> None:
    with refereeing(serve(double)) as (referee, _), doubling_set() as drawn:
        assert referee.load(b"artifact") is None
        os.kill(referee.pid, signal.SIGKILL)
        with pytest.raises(RefereeFailed, match=r"exited unexpectedly|was lost"):
            referee.check(drawn, RunFlag.NONE)


@pytest.mark.parametrize("outside", [True, False])
def test_a_gpu_that_is_never_quiet_with_nobody_else_on_it_is_told_apart(
    monkeypatch: pytest.MonkeyPatch, outside: bool
) -> None:
    monkeypatch.setattr(RefereeProcess, "_do", lambda *_: NotTimed("busy", outside=outside))
    referee = RefereeProcess(cast("Link", None), lambda: False, None)
    with pytest.raises(Disturbed, match="busy") as raised:
        referee.rank([])
    assert isinstance(raised.value, NeverQuiet) is not outside


def test_a_referee_that_hangs_is_taken_off_the_gpu_and_then_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judge.gpu.device.process._LEAVE_S", 0.1)
    taken_off: list[int] = []
    referee = RefereeProcess.start("host", terminate=taken_off.append)
    pid = referee.pid
    os.kill(pid, signal.SIGSTOP)  # as dead to the world as a process in a driver call
    referee.close()
    assert taken_off == [pid]
    assert not alive(pid)


def test_closing_at_once_is_safe_and_so_is_closing_twice() -> None:
    referee = RefereeProcess.start("host")
    referee.close()
    referee.close()


def test_referees_share_nothing() -> None:
    with refereeing(serve(double)) as (one, _), refereeing(serve(double)) as (other, _):
        assert one.pid != other.pid
        assert one.load(b"artifact") is None
        assert other.load(b"artifact") is None


def test_a_referee_that_rested_serves_another_runner_and_knows_nothing_of_the_last_one() -> None:
    def grumble(actor: Actor) -> None:
        os.write(actor.diagnostics, b'{"severity": "note", "kind": "launch", "message": "once"}\n')
        double(actor)

    with RefereeProcess.start("host") as referee:
        pids = set()
        for script, said in ((grumble, 1), (double, 0)):
            runner = ScriptedProcess(serve(script))
            referee.attach(DOUBLING, runner.channel)
            assert referee.load(b"artifact") is None
            with doubling_set() as drawn:
                report = referee.check(drawn, RunFlag.NONE)
            assert isinstance(report, CaseReport)
            assert (report.verdict, len(referee.diagnostics)) == (Verdict.ACCEPTED, said)
            pids.add(referee.pid)
            runner.close()
            assert referee.rest()
            referee.resume(lambda: False)
        assert len(pids) == 1


def test_a_referee_that_has_died_does_not_rest() -> None:
    with refereeing(serve(double)) as (referee, _):
        assert referee.load(b"artifact") is None
        os.kill(referee.pid, signal.SIGKILL)
        assert not referee.rest()


def test_threads_may_start_referees() -> None:
    verdicts: list[Verdict] = []

    def judge() -> None:
        report = check(serve(double))
        verdicts.append(report.verdict if isinstance(report, CaseReport) else Verdict.INTERNAL_ERROR)

    threads = [threading.Thread(target=judge) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert verdicts == [Verdict.ACCEPTED] * 4


WORKER = """
import os, sys, time
from judge.gpu.device.process import RefereeProcess
from judge.gpu.device.parents import start_warm_parent

def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())

def main():
    start_warm_parent()
    referee = RefereeProcess.start("host")
    say("parent", referee.pid)
    if os.fork() == 0:  # as Celery does, whose children are the ones that judge
        own = RefereeProcess.start("host")
        say("child", own.pid)
        time.sleep(60)
    time.sleep(60)

main()  # on purpose without the usual guard: nothing may import the main module again
"""


def test_nothing_outlives_a_worker_that_is_killed(tmp_path: Path) -> None:
    program = tmp_path / "worker.py"
    program.write_text(WORKER)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    worker = subprocess.Popen(
        [sys.executable, str(program)], env=environment, stdout=subprocess.PIPE, start_new_session=True
    )
    assert worker.stdout
    said = dict(worker.stdout.readline().decode().split() for _ in range(2))
    assert set(said) == {"parent", "child"}
    pids = [int(pid) for pid in said.values()]
    assert all(alive(pid) for pid in pids)
    parents = {int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]) for pid in pids}
    assert len(parents) == 2  # a worker's child has a warm parent of its own
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    worker.stdout.close()
    assert all(gone(pid) for pid in [*pids, *parents])
