"""Tests the conversation of the Python runners, with a minimal runner."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox.wire import Request, RequestKind, send_request, unpack_reply

ROOT = Path(__file__).resolve().parents[4]
HEAD = "from sandbox.runner.session import Runner, serve\nclass Ours(Runner):\n"


class Conversation:
    """A runner in a process of its own, and our end of its channel."""

    def __init__(self, body: str) -> None:
        self.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.channel.settimeout(20)
        self.process = subprocess.Popen(
            [sys.executable, "-c", f"{HEAD}{body}\nserve(Ours())"],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=[3],
            preexec_fn=lambda: os.dup2(theirs.fileno(), 3),  # noqa: PLW1509 - no threads here
        )
        theirs.close()

    def answer(self) -> int | None:
        try:
            return unpack_reply(self.channel.recv(64))
        except ConnectionResetError:
            return None

    def ask(self, kind: RequestKind, sequence: int) -> int | None:
        send_request(self.channel, Request(kind, sequence))
        return self.answer()

    def end(self) -> tuple[int, str]:
        _, said = self.process.communicate(timeout=20)
        return self.process.returncode, said


@pytest.fixture
def start() -> Iterator[Callable[[str], Conversation]]:
    started: list[Conversation] = []

    def begin(body: str) -> Conversation:
        started.append(Conversation(body))
        return started[-1]

    yield begin
    for conversation in started:
        conversation.channel.close()
        conversation.process.kill()
        conversation.process.communicate()


def test_preparing_is_answered(start: Callable[[str], Conversation]) -> None:
    runner = start("  def prepare(self): print('prepared')")
    assert runner.answer() == 0
    assert runner.ask(RequestKind.PREPARE, 1) == 1
    assert runner.ask(RequestKind.QUIT, 2) is None
    assert runner.end()[0] == 0


def test_a_gpu_that_does_not_come_up_is_nobodys_fault(start: Callable[[str], Conversation]) -> None:
    runner = start("  def prepare(self): raise RuntimeError('no GPU today')")
    assert runner.answer() == 0
    assert runner.ask(RequestKind.PREPARE, 1) is None
    assert runner.end() == (70, "runner: RuntimeError: no GPU today\n")


def test_requests_out_of_order_end_it(start: Callable[[str], Conversation]) -> None:
    runner = start("  pass")
    assert runner.answer() == 0
    assert runner.ask(RequestKind.RUN, 1) is None
    status, said = runner.end()
    assert status != 0
    assert "RUN cannot come before LOAD" in said
