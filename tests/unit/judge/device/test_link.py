"""Tests messages with file descriptors between two of our processes."""

import os
import socket
import threading
from collections.abc import Iterator

import pytest

from judge.gpu.device.link import Link


@pytest.fixture
def ends() -> Iterator[tuple[Link, Link]]:
    ours, theirs = (Link(end) for end in socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM))
    yield ours, theirs
    ours.close()
    theirs.close()


def test_messages_come_whole_and_in_order(ends: tuple[Link, Link]) -> None:
    ours, theirs = ends
    large = os.urandom(3 << 20)

    def send() -> None:
        for message in ("first", large, None):
            ours.send(message)

    sending = threading.Thread(target=send)
    sending.start()
    assert [theirs.receive(timeout_s=5)[0] for _ in range(3)] == ["first", large, None]
    sending.join()


def test_descriptors_come_with_their_message(ends: tuple[Link, Link]) -> None:
    ours, theirs = ends
    files = [os.memfd_create(f"file-{number}") for number in range(200)]
    for number, file in enumerate(files):
        os.write(file, str(number).encode())
    ours.send("none")
    ours.send("all", files)
    ours.send("one", files[:1])
    assert theirs.receive() == ("none", [])
    message, received = theirs.receive()
    assert message == "all"
    assert [os.pread(file, 10, 0) for file in received] == [str(number).encode() for number in range(200)]
    assert not any(os.get_inheritable(file) for file in received)
    _, (last,) = theirs.receive()
    for file in [*files, *received, last]:
        os.close(file)


def test_a_closed_end_is_noticed(ends: tuple[Link, Link]) -> None:
    ours, theirs = ends
    assert not ours.closed
    theirs.send("farewell")
    theirs.close()
    assert ours.closed
    assert ours.receive()[0] == "farewell"
    with pytest.raises(EOFError):
        ours.receive()
    with pytest.raises(OSError, match="pipe"):
        ours.send("too late")


def test_waiting_ends(ends: tuple[Link, Link]) -> None:
    with pytest.raises(TimeoutError):
        ends[0].receive(timeout_s=0.01)
