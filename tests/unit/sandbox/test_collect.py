"""Tests which files are collected from folders after their writers have ended."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.collect import collect
from tests.open_files import open_below


@pytest.fixture
def work(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, os.O_PATH | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def test_plain_files_up_to_their_limit(tmp_path: Path, work: int) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "empty").write_bytes(b"")
    assert collect(work, {"a": 5, "empty": 5, "missing": 5}) == {"a": b"12345", "empty": b""}
    assert collect(work, {"a": 4}) == {}


def test_nothing_that_leads_elsewhere(tmp_path: Path, work: int) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "secret").write_text("x")
    (tmp_path / "link").symlink_to("out/secret")
    (tmp_path / "folder").symlink_to("out")
    os.mkfifo(tmp_path / "fifo")
    os.link(tmp_path / "out" / "secret", tmp_path / "hard")
    names = ("link", "folder/secret", "fifo", "hard", "out", "../x", "/etc/passwd")
    before = open_below(tmp_path)
    assert collect(work, dict.fromkeys(names, 10_000)) == {}
    assert open_below(tmp_path) == before
