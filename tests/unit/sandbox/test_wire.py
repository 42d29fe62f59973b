"""Tests that values survive the wire, and that nothing else is accepted as a value."""

import os
import re
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sandbox.wire
from problems.rules import MAX_WIRE_ARGUMENTS
from sandbox.wire import (
    DTYPE_CODES,
    MAX_ARGUMENTS,
    MAX_DESCRIPTORS,
    MAX_DEVICES,
    MAX_RANK,
    MEMORY_CODES,
    REQUEST_BYTES,
    Request,
    RequestKind,
    RunFlag,
    WireArgument,
    receive_request,
    send_reply,
    send_request,
    unpack_reply,
)

U64 = st.integers(0, 2**64 - 1)
ARGUMENTS = st.builds(
    WireArgument,
    dtype=st.sampled_from(sorted(DTYPE_CODES)),
    scalar=st.booleans(),
    descriptor=st.integers(0, 2**16 - 1),
    offset=U64,
    bytes=U64,
    value=U64,
    shape=st.lists(U64, max_size=MAX_RANK).map(tuple),
    memory=st.sampled_from(sorted(MEMORY_CODES)),
    device=st.integers(0, 2**8 - 1),
)
REQUESTS = st.builds(
    Request,
    kind=st.sampled_from(RequestKind),
    sequence=U64,
    arguments=st.lists(ARGUMENTS, max_size=MAX_ARGUMENTS).map(tuple),
    time_limit_ms=st.integers(0, 2**32 - 1),
    flags=st.integers(0, 15).map(RunFlag),
    seed=st.integers(0, 2**128 - 1),
    devices=st.integers(1, MAX_DEVICES),
)


@given(REQUESTS)
def test_a_request_survives(request: Request) -> None:
    assert Request.unpack(request.pack()) == request


@given(st.binary(max_size=2 * REQUEST_BYTES))
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="request"):
        Request.unpack(data)


def test_both_sides_have_the_same_room() -> None:
    header = Path(sandbox.wire.__file__).with_name("runner").joinpath("wire.h").read_text(encoding="utf-8")
    told = dict(re.findall(r"constexpr unsigned kMax(\w+) = (\d+);", header))
    assert told == {
        "Arguments": str(MAX_ARGUMENTS),
        "Rank": str(MAX_RANK),
        "Descriptors": str(MAX_DESCRIPTORS),
        "Devices": str(MAX_DEVICES),
    }
    assert MAX_WIRE_ARGUMENTS == MAX_ARGUMENTS


def test_too_much_does_not_fit() -> None:
    argument = WireArgument("float32", False)
    with pytest.raises(ValueError, match="at most 32"):
        Request(RequestKind.RUN, 1, (argument,) * (MAX_ARGUMENTS + 1)).pack()
    with pytest.raises(ValueError, match="rank 5"):
        Request(RequestKind.RUN, 1, (WireArgument("float32", False, shape=(1,) * 5),)).pack()


@given(st.binary(max_size=16))
def test_a_reply_is_eight_bytes_or_nothing(data: bytes) -> None:
    assert (unpack_reply(data) is None) == (len(data) != 8)


def test_descriptors_travel_along() -> None:
    host, inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with host, inside:
        file = os.memfd_create("test")
        os.write(file, b"content")
        send_request(host, Request(RequestKind.LOAD, 7), [file])
        received = receive_request(inside)
        assert received is not None
        request, (copy,) = received
        assert (request.kind, request.sequence) == (RequestKind.LOAD, 7)
        assert os.pread(copy, 7, 0) == b"content"
        os.close(copy)
        os.close(file)
        send_reply(inside, 7)
        assert unpack_reply(host.recv(64)) == 7
        host.close()
        assert receive_request(inside) is None


def test_runners_in_cpp_know_the_codes_of_memory() -> None:
    header = (Path(sandbox.wire.__file__).parent / "runner" / "wire.h").read_text()
    (listed,) = re.findall(r"enum class Memory : std::uint8_t {(.*?)};", header)
    assert {name.lower(): int(code) for name, code in re.findall(r"k(\w+) = (\d+)", listed)} == MEMORY_CODES
