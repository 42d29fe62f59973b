"""Tests our side of the wire: the events that end a wait, and timed sessions."""

import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from judge.clock.page import create_page
from judge.runner.client import ReplyStatus, RunnerChannel
from sandbox.wire import RequestKind, WireArgument
from tests.unit.judge.scripted import Actor, ScriptedProcess

Script = Callable[[Actor], None]


@contextmanager
def exchanging(script: Script, cancelled: Callable[[], bool] = lambda: False) -> Iterator[RunnerChannel]:
    process = ScriptedProcess(script)
    with RunnerChannel(process.channel, cancelled) as exchange:
        yield exchange
    process.close()


@pytest.fixture
def shared_page() -> Iterator[int]:
    descriptor = create_page()
    yield descriptor
    os.close(descriptor)


def answers(*kinds: RequestKind) -> Script:
    """Answers requests of these kinds, and then waits for the end."""

    def script(actor: Actor) -> None:
        for kind in kinds:
            assert actor.receive() is kind
            actor.answer()
        actor.receive()

    return script


def keeps_on(actor: Actor) -> None:
    """Takes one request and works on it until the other side hangs up."""
    actor.receive()
    actor.receive()


def test_prepare_comes_before_load() -> None:
    with exchanging(answers(RequestKind.PREPARE, RequestKind.LOAD)) as exchange:
        assert exchange.prepare(timeout_s=5) is ReplyStatus.DONE
        assert exchange.load(b"artifact", timeout_s=5) is ReplyStatus.DONE


def test_what_was_asked_for_can_be_awaited_later() -> None:
    with exchanging(answers(RequestKind.PREPARE)) as exchange:
        exchange.send_prepare()
        assert exchange.answer(timeout_s=5) is ReplyStatus.DONE


def say(actor: Actor, kind: str) -> None:
    finding = {"severity": "note", "kind": kind, "message": "said"}
    os.write(actor.diagnostics, f"{json.dumps(finding)}\n".encode())


def test_what_is_said_after_nothing_more_is_to_be_heard_is_dropped() -> None:
    def script(actor: Actor) -> None:
        actor.receive()
        say(actor, "before")
        actor.answer()
        actor.receive()
        say(actor, "after")
        os.write(actor.diagnostics, b"x" * 200_000)  # more than a pipe holds: it is drained all the same
        actor.answer()
        actor.receive()

    with exchanging(script) as exchange:
        assert exchange.load(b"", timeout_s=5) is ReplyStatus.DONE
        exchange.hear_no_more()
        assert exchange.run((), [], timeout_s=5) is ReplyStatus.DONE
        assert [finding.kind for finding in exchange.diagnostics] == ["before"]


def test_what_is_said_without_end_keeps_nobody_from_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the process wrote faster than we read."""

    def script(actor: Actor) -> None:
        actor.receive()
        say(actor, "first")
        actor.receive()

    started = time.monotonic()

    def endless(_: int, count: int) -> bytes:
        assert time.monotonic() < started + 10, "the wait does not end"
        return b"x" * count

    with exchanging(script) as exchange, monkeypatch.context() as patched:
        patched.setattr(os, "read", endless)
        assert exchange.load(b"", timeout_s=0.3) is ReplyStatus.TIMED_OUT
        assert len(exchange.diagnostics) <= 1


def test_a_process_that_hung_up_is_dead_at_once() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, RunnerChannel(ours, lambda: False) as exchange:
        theirs.close()
        started = time.monotonic()
        assert exchange.prepare(timeout_s=5) is ReplyStatus.DIED
        assert time.monotonic() - started < 1


def test_a_session_hands_over_the_page_and_every_set(shared_page: int) -> None:
    seen: list[tuple[int, int, bool]] = []

    def script(actor: Actor) -> None:
        actor.receive()
        same = os.fstat(actor.descriptors[0]).st_ino == os.fstat(shared_page).st_ino
        seen.append((actor.request.sets, len(actor.descriptors), same))
        actor.answer()

    files = [os.memfd_create("array") for _ in range(6)]
    argument = WireArgument("float32", scalar=False)
    with exchanging(script) as exchange:
        exchange.open_timing(shared_page, (argument, argument), files, sets=3)
        assert exchange.answer(timeout_s=5) is ReplyStatus.DONE
    assert seen == [(3, 7, True)]
    for file in files:
        os.close(file)


@pytest.mark.parametrize("reply", [b"x", (1).to_bytes(8, "little")])
def test_whatever_is_said_in_the_middle_of_a_session_ends_it(shared_page: int, reply: bytes) -> None:
    def script(actor: Actor) -> None:
        actor.receive()
        actor.channel.send(reply)
        actor.receive()

    with exchanging(script) as exchange:
        exchange.open_timing(shared_page, (), (), sets=1)
        assert _ended(exchange) is ReplyStatus.BROKE_PROTOCOL


def test_a_runner_that_leaves_a_session_is_dead(shared_page: int) -> None:
    def script(actor: Actor) -> None:
        actor.receive()

    with exchanging(script) as exchange:
        exchange.open_timing(shared_page, (), (), sets=1)
        assert _ended(exchange) is ReplyStatus.DIED


def test_a_session_can_be_cancelled(shared_page: int) -> None:
    stop = threading.Event()
    with exchanging(keeps_on, stop.is_set) as exchange:
        exchange.open_timing(shared_page, (), (), sets=1)
        assert exchange.hung_up() is None
        stop.set()
        assert exchange.hung_up() is ReplyStatus.CANCELLED


def test_what_does_not_fit_into_a_message_is_no_answer(shared_page: int) -> None:
    with exchanging(answers()) as exchange:
        exchange.open_timing(shared_page, (), [shared_page] * 300, sets=300)
        assert exchange.hung_up() is ReplyStatus.DIED


def _ended(exchange: RunnerChannel) -> ReplyStatus | None:
    deadline = time.monotonic() + 5
    while (ended := exchange.hung_up()) is None and time.monotonic() < deadline:
        time.sleep(0.001)
    return ended
