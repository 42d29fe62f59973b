"""Tests the referee against runners that behave correctly, misbehave, lie and die."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from judge.errors import JudgementCancelled
from judge.oracle import Drawn
from judge.report import CaseReport, WrongOutput
from judge.runner.comparison import compare
from judge.runner.referee import RunnerReferee
from problems.vocabulary import Dtype, Role, Verdict
from sandbox.spec import Completion, Termination
from sandbox.wire import ExitStatus, RequestKind, RunFlag
from tests.unit.judge.packages import DOUBLING
from tests.unit.judge.scripted import Actor, ScriptedProcess, serve

X = np.arange(37, dtype=np.float32) + 1
DRAWN = Drawn(DOUBLING.cases[1], {"x": X.view(np.uint8)}, {"y": X.astype(np.float64) * 2})


@contextmanager
def refereeing(
    script: Callable[[Actor], None],
    completion: Completion | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[RunnerReferee]:
    with RunnerReferee(DOUBLING, ScriptedProcess(script, completion), cancelled) as referee:
        yield referee


def check(script: Callable[[Actor], None], completion: Completion | None = None) -> CaseReport:
    with refereeing(script, completion) as referee:
        assert referee.load(b"artifact") is None
        return referee.check(DRAWN, RunFlag.NONE)


def double(actor: Actor) -> None:
    actor.array(1, "f4")[:] = actor.array(0, "f4") * 2


def test_honest_work_is_accepted() -> None:
    report = check(serve(double))
    assert (report.verdict, report.checked, report.mismatched) == (Verdict.ACCEPTED, 37, 0)


def test_one_wrong_element_is_found() -> None:
    def work(actor: Actor) -> None:
        double(actor)
        actor.array(1, "f4")[36] = 0

    report = check(serve(work))
    assert (report.verdict, report.mismatched) == (Verdict.WRONG_ANSWER, 1)
    assert report.mismatches[0].index == (36,)


def test_doing_nothing_leaves_poison_that_is_told_apart() -> None:
    report = check(serve(lambda actor: None))
    assert report.verdict is Verdict.WRONG_ANSWER
    assert report.message.startswith("y was never written. Outputs hold random bits before a call")


def test_elements_that_no_thread_reached_are_explained() -> None:
    def work(actor: Actor) -> None:
        actor.array(1, "f4")[:32] = actor.array(0, "f4")[:32] * 2

    report = check(serve(work))
    assert report.message.startswith("13.5 % of the elements of y are wrong: they were never written. Check")
    assert report.wrong_outputs == (WrongOutput("y", 37, 5),)


def test_numbers_that_are_not_finite_are_explained() -> None:
    report = check(serve(lambda actor: actor.array(1, "f4").fill(np.nan)))
    assert report.message.startswith("100 % of the elements of y are wrong: the first of them are NaN or inf")


def test_an_output_that_was_left_as_it_was_is_told() -> None:
    inout = replace(DOUBLING.arguments[1], role=Role.INOUT)
    problem = replace(DOUBLING, arguments=(DOUBLING.arguments[0], inout, DOUBLING.arguments[2]))
    contents = {"x": X.view(np.uint8), "y": np.zeros(37, np.float32).view(np.uint8)}
    drawn = Drawn(DOUBLING.cases[1], contents, {"y": X.astype(np.float64) * 2})
    with RunnerReferee(problem, ScriptedProcess(serve(lambda _: None), None), lambda: False) as referee:
        assert referee.load(b"artifact") is None
        report = referee.check(drawn, RunFlag.NONE)
    assert report.message == "100 % of the elements of y are wrong: the program left y as it was."


def test_the_message_for_a_hidden_case_names_no_size_and_no_value() -> None:
    def work(actor: Actor) -> None:
        double(actor)
        actor.array(1, "f4")[36] = 1234.0

    message = check(serve(work)).message
    assert "1234" not in message
    assert "37" not in message


def test_a_changed_input_is_rejected() -> None:
    def work(actor: Actor) -> None:
        double(actor)
        actor.array(0, "f4")[:] = 0

    report = check(serve(work))
    assert report.verdict is Verdict.REJECTED
    assert "x was changed" in report.message


def test_a_write_past_the_end_is_an_illegal_access() -> None:
    def work(actor: Actor) -> None:
        double(actor)
        argument = actor.request.arguments[1]
        os.pwrite(actor.descriptors[argument.descriptor], b"12345678", argument.offset + argument.bytes)

    report = check(serve(work))
    assert report.verdict is Verdict.ILLEGAL_ACCESS
    assert "past the last element of y" in report.message


def test_an_early_reply_is_judged_on_what_is_there() -> None:
    def script(actor: Actor) -> None:
        actor.receive()
        actor.answer()
        actor.receive()
        actor.answer()
        time.sleep(0.2)
        double(actor)

    assert check(script).verdict in {Verdict.WRONG_ANSWER, Verdict.REJECTED}


def test_a_late_change_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    def compare_slowly(*arguments: object, **named: object) -> object:
        time.sleep(0.3)
        return compare(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("judge.runner.buffers.compare", compare_slowly)

    def script(actor: Actor) -> None:
        actor.receive()
        actor.answer()
        actor.receive()
        double(actor)
        actor.answer()
        time.sleep(0.1)
        actor.array(1, "f4")[0] = 5

    report = check(script)
    assert report.verdict is Verdict.REJECTED
    assert "after solve had returned" in report.message


@pytest.mark.parametrize("reply", [b"accepted", b"x", b"123456789", b"\0" * 8])
def test_any_other_reply_breaks_the_protocol(reply: bytes) -> None:
    def script(actor: Actor) -> None:
        actor.receive()
        actor.answer()
        actor.receive()
        actor.channel.send(reply)

    assert check(script).verdict is Verdict.REJECTED


def test_a_reply_to_a_later_request_breaks_the_protocol() -> None:
    def script(actor: Actor) -> None:
        actor.receive()
        actor.answer()
        actor.receive()
        actor.channel.send((actor.request.sequence + 1).to_bytes(8, "little"))

    assert check(script).verdict is Verdict.REJECTED


def test_leaving_without_an_answer_is_a_runtime_error() -> None:
    def script(actor: Actor) -> None:
        actor.receive()
        actor.answer()
        actor.receive()
        double(actor)

    report = check(script)
    assert report.verdict is Verdict.RUNTIME_ERROR
    assert "exited with status 0" in report.message


def test_the_runner_names_an_illegal_access_with_its_diagnostic() -> None:
    def script(actor: Actor) -> None:
        actor.receive()
        actor.answer()
        actor.receive()
        said = b'{"severity": "error", "kind": "out_of_bounds", "message": "past y", "line": 3}\n'
        os.write(actor.diagnostics, said)

    completion = Completion(Termination.EXITED, ExitStatus.ILLEGAL_ACCESS, b"", b"", 0.1, 0.1, None)
    report = check(script, completion)
    assert (report.verdict, report.message) == (Verdict.ILLEGAL_ACCESS, "past y")


def test_an_endless_run_is_a_time_limit() -> None:
    def script(actor: Actor) -> None:
        actor.receive()
        actor.answer()
        actor.receive()
        actor.receive()

    assert check(script).verdict is Verdict.TIME_LIMIT


def test_a_flood_of_diagnostics_blocks_nobody() -> None:
    def work(actor: Actor) -> None:
        os.set_blocking(actor.diagnostics, True)
        for _ in range(200):
            os.write(actor.diagnostics, b"x" * 65536)
        double(actor)

    assert check(serve(work)).verdict is Verdict.ACCEPTED


def test_a_program_that_does_not_load_never_runs() -> None:
    def script(actor: Actor) -> None:
        actor.receive()
        os.write(actor.diagnostics, b'{"severity": "error", "kind": "load", "message": "no solve"}\n')

    completion = Completion(Termination.EXITED, ExitStatus.LOAD_ERROR, b"", b"", 0.1, 0.1, None)
    with refereeing(script, completion) as referee:
        assert referee.load(b"artifact") == (Verdict.COMPILE_ERROR, "no solve")


def test_cancelling_stops_the_wait() -> None:
    stop = threading.Event()
    threading.Timer(0.1, stop.set).start()

    def script(actor: Actor) -> None:
        while actor.receive() is RequestKind.LOAD:
            actor.answer()
        actor.receive()

    with refereeing(script, cancelled=stop.is_set) as referee:
        referee.load(b"artifact")
        with pytest.raises(JudgementCancelled):
            referee.check(DRAWN, RunFlag.NONE)


def test_the_request_carries_neither_a_seed_nor_what_is_expected() -> None:
    seen: list[tuple[int, int]] = []

    def work(actor: Actor) -> None:
        seen.append((actor.request.seed, len(actor.request.arguments)))
        double(actor)

    check(serve(work))
    assert seen == [(0, 3)]


def test_integers_that_were_added_to_an_output_are_explained() -> None:
    def count(actor: Actor) -> None:
        y = actor.array(1, "i4")
        np.add(y, actor.array(0, "i4") * 2, out=y)

    x, y, n = DOUBLING.arguments
    whole = (replace(x, dtype=Dtype.INT32), replace(y, dtype=Dtype.INT32, tolerance=None), n)
    problem = replace(DOUBLING, arguments=whole)
    given = np.arange(1, 1 + DRAWN.case.sizes["n"], dtype=np.int32)
    drawn = Drawn(DRAWN.case, {"x": given.view(np.uint8)}, {"y": 2 * given})
    with RunnerReferee(problem, ScriptedProcess(serve(count)), lambda: False) as referee:
        assert referee.load(b"artifact") is None
        message = referee.check(drawn, RunFlag.NONE).message
    assert "they are the expected values plus the previous contents. Outputs hold random bits" in message


def test_a_program_may_add_to_a_zeroed_output_but_must_write_it() -> None:
    def add(actor: Actor) -> None:
        y = actor.array(1, "f4")
        with np.errstate(all="ignore"):  # poison
            np.add(y, actor.array(0, "f4") * 2, out=y)

    x, y, n = DOUBLING.arguments
    zeroed = replace(DOUBLING, arguments=(x, replace(y, zeroed=True), n))
    verdicts = {}
    for problem in (DOUBLING, zeroed):
        for work in (add, lambda _: None):
            with RunnerReferee(problem, ScriptedProcess(serve(work)), lambda: False) as referee:
                assert referee.load(b"artifact") is None
                verdicts[problem is zeroed, work is add] = referee.check(DRAWN, RunFlag.NONE).verdict
    assert [key for key, verdict in verdicts.items() if verdict is Verdict.ACCEPTED] == [(True, True)]
    assert set(verdicts.values()) == {Verdict.ACCEPTED, Verdict.WRONG_ANSWER}
