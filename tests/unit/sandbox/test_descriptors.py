"""Descriptors beyond 1,024, which `select` refuses, as on a host with several GPUs."""

import fcntl
import os
import resource
from collections.abc import Iterator

import pytest

from sandbox.descriptors import raise_limit, readable

FAR = 3000


@pytest.fixture
def far_pipe() -> Iterator[tuple[int, int]]:
    """A pipe whose read end has a high number."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    raise_limit()
    near, writer = os.pipe()
    reader = fcntl.fcntl(near, fcntl.F_DUPFD_CLOEXEC, FAR)
    yield reader, writer
    for descriptor in (near, reader):
        os.close(descriptor)
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_a_high_descriptor_is_waited_for(far_pipe: tuple[int, int]) -> None:
    reader, writer = far_pipe
    assert reader >= FAR
    assert not readable(reader, 0.01)
    os.write(writer, b"x")
    assert readable(reader, 0)
    os.read(reader, 1)
    os.close(writer)
    assert readable(reader, 1)  # its end


def test_a_time_that_is_over_asks_once(far_pipe: tuple[int, int]) -> None:
    reader, writer = far_pipe
    assert not readable(reader, -1)
    os.close(writer)
