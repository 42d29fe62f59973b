"""Tests the limits on the stored output of a program."""

import os
import selectors

from hypothesis import given
from hypothesis import strategies as st

from sandbox.drain import Drain


def drained(stdout: bytes, stderr: bytes = b"", *, keep: int = 100, flood: int = 1000) -> Drain:
    ends = [os.pipe(), os.pipe()]
    drain = Drain(ends[0][0], ends[1][0], keep_bytes=keep, flood_bytes=flood)
    for (_, writer), data in zip(ends, (stdout, stderr), strict=True):
        os.write(writer, data)
        os.close(writer)
    drain.finish()
    return drain


@given(st.binary(max_size=400), st.binary(max_size=400), st.integers(0, 300))
def test_keeps_the_first_bytes_and_counts_the_rest(stdout: bytes, stderr: bytes, keep: int) -> None:
    drain = drained(stdout, stderr, keep=keep)
    assert bytes(drain.stdout.kept) == stdout[:keep]
    assert bytes(drain.stderr.kept) == stderr[:keep]
    assert drain.dropped_bytes == max(0, len(stdout) - keep) + max(0, len(stderr) - keep)


def test_floods_count_both_pipes() -> None:
    assert not drained(b"x" * 500, b"x" * 500).flooded
    assert drained(b"x" * 500, b"x" * 501).flooded


def test_reads_while_the_program_runs() -> None:
    (stdout, writer), (stderr, other) = os.pipe(), os.pipe()
    drain = Drain(stdout, stderr, keep_bytes=10, flood_bytes=100)
    with selectors.DefaultSelector() as selector:
        drain.register(selector)
        os.write(writer, b"now")
        ((key, _),) = selector.select(1)
        assert key.data is drain.stdout
        assert key.data.read()
        assert not key.data.read()
        assert key.data.open
    os.close(writer)
    os.close(other)
    drain.finish()
    drain.finish()
    assert bytes(drain.stdout.kept) == b"now"
    assert not drain.stdout.open
