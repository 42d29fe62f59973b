"""How a worker stops: a grace for all its processes, or for the one that got the signal."""

import os
import signal
import time
from collections.abc import Callable

import pytest

from worker.stopping import Stopping


def status_of(child: Callable[[], object]) -> int:
    """The exit status of a process forked from this one that runs `child`; minus the signal that ended it."""
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            child()
            status = 0
        except SystemExit as leaving:
            status = 40 if leaving.code == 0 else 71
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def get_sigterm() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def test_nobody_asked():
    stop = Stopping()
    assert (stop.asked, stop.over, stop.left_s) == (False, False, float("inf"))


def test_a_grace_runs_out():
    stop = Stopping()
    stop.ask(grace_s=0.05)
    assert stop.asked
    assert 0 < stop.left_s <= 0.05
    time.sleep(stop.left_s)
    assert stop.over
    assert stop.left_s == 0


def test_to_ask_again_gives_no_more_time():
    stop = Stopping()
    stop.ask(grace_s=5)
    stop.ask(grace_s=50)
    assert stop.left_s <= 5
    stop.ask(grace_s=0)
    assert stop.over


def test_processes_that_were_forked_share_it():
    stop = Stopping()
    assert status_of(lambda: stop.ask(grace_s=5)) == 0
    assert stop.asked  # though another process asked
    assert 4 < stop.left_s <= 5


def test_a_signal_ends_an_idle_process():
    stop = Stopping()

    def child() -> None:
        stop.on_signal(grace_s=5)
        get_sigterm()
        time.sleep(5)

    assert status_of(child) == 40
    assert not stop.asked  # it was that process's own affair


def test_a_signal_lets_work_end_first():
    stop = Stopping()
    done_reads, done_writes = os.pipe()

    def child() -> None:
        stop.on_signal(grace_s=5)
        with stop:
            get_sigterm()
            assert stop.asked
            assert not stop.over
            os.write(done_writes, b"done")
        time.sleep(5)

    assert status_of(child) == 40
    assert os.read(done_reads, 4) == b"done"
    os.close(done_reads)
    os.close(done_writes)


def test_with_the_whole_worker_stopping_a_process_leaves_that_to_celery():
    stop = Stopping()

    def child() -> None:
        stop.on_signal(grace_s=5)
        with stop:
            get_sigterm()
            stop.ask(grace_s=5)

    assert status_of(child) == 0


@pytest.mark.parametrize("times", [2, 3])
def test_more_signals_change_nothing(times):
    stop = Stopping()

    def child() -> None:
        stop.on_signal(grace_s=5)
        with stop:
            for _ in range(times):
                get_sigterm()
            first = stop.left_s
            get_sigterm()
            assert stop.left_s <= first

    assert status_of(child) == 40
