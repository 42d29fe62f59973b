"""The fake backend plays its scripts and nothing else."""

import pytest

from sandbox.backend import Backend, IsolationUnavailable
from sandbox.fake import FakeBackend, Reply, Script, exited
from sandbox.spec import Command, Limits, Termination
from sandbox.wire import Request, RequestKind, send_request, unpack_reply

COMMAND = Command(("x",), Limits(wall_s=1, cpu_s=1, memory_mib=1), channel=True)


def test_it_plays_a_conversation() -> None:
    heard: list[int] = []
    replies = [
        Reply(1, act=lambda message, _: heard.append(Request.unpack(message).sequence)),
        Reply(raw=b"?"),
    ]
    backend: Backend = FakeBackend([Script(ready=True, replies=replies, completion=exited(85))])
    process = backend.start(COMMAND)
    assert unpack_reply(process.channel.recv(64)) == 0
    send_request(process.channel, Request(RequestKind.LOAD, 1))
    assert unpack_reply(process.channel.recv(64)) == 1
    with pytest.raises(TimeoutError):
        process.wait(0.05)
    send_request(process.channel, Request(RequestKind.RUN, 2))
    assert process.channel.recv(64) == b"?"
    assert process.wait(5).status == 85
    assert heard == [1]
    process.close()
    process.close()


def test_killed_and_exhausted() -> None:
    backend = FakeBackend([Script(hangs=True)])
    process = backend.start(COMMAND)
    process.kill()
    assert process.wait(5).ending is Termination.KILLED
    process.close()
    with pytest.raises(IsolationUnavailable, match="no script left"):
        backend.start(COMMAND)
    with pytest.raises(ValueError, match="no channel"):
        _ = FakeBackend([Script()]).start(Command(("x",), COMMAND.limits)).channel
