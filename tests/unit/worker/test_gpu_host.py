"""Tests the supervisor of a GPU host: it restarts dead processes, and stops the worker before services."""

import sys
import threading
from io import StringIO
from pathlib import Path

import pytest

from testing.services import wait_until
from worker import supervise
from worker.gpu_host import run
from worker.supervise import SupervisedProcess

WAITS = """
import pathlib, signal, sys
note = pathlib.Path(sys.argv[1])
def stop(*_):
    with note.open("a") as stream: stream.write(sys.argv[2] + " stopped\\n")
    raise SystemExit
signal.signal(signal.SIGTERM, stop)
with note.open("a") as stream: stream.write(sys.argv[2] + " started\\n")
signal.pause()
"""


@pytest.fixture
def note(tmp_path: Path) -> Path:
    """The file to which the parts write when they start and stop."""
    path = tmp_path / "note"
    path.touch()
    return path


def part(name: str, note: Path) -> SupervisedProcess:
    return SupervisedProcess(name, [sys.executable, "-c", WAITS, str(note), name], StringIO())


def test_the_worker_stops_before_the_node_service(note: Path) -> None:
    stop = threading.Event()
    thread = threading.Thread(target=run, args=([part("node", note), part("worker", note)], stop))
    thread.start()
    wait_until(lambda: note.read_text().count("started") == 2, "both starting")
    stop.set()
    thread.join(30)
    assert note.read_text().splitlines()[2:] == ["worker stopped", "node stopped"]


def test_what_dies_is_started_again(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise, "LONGEST_PAUSE_S", 0.1)
    stop = threading.Event()
    worker = part("worker", note)
    thread = threading.Thread(target=run, args=([worker], stop))
    thread.start()
    wait_until(lambda: note.read_text().count("started") == 1, "a start")
    worker.process.kill()
    wait_until(lambda: note.read_text().count("started") == 2, "another start")
    stop.set()
    thread.join(30)
    assert not thread.is_alive()
