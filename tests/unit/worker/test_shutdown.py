"""Tests how a worker stops: with a grace period for all its processes, or for one that got the signal."""

import os
import signal
import time
from collections.abc import Callable
from threading import Thread

from worker.shutdown import GracefulShutdown


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
    stop = GracefulShutdown()
    assert (stop.asked, stop.over, stop.left_s) == (False, False, float("inf"))


def test_a_grace_runs_out():
    stop = GracefulShutdown()
    stop.ask(grace_s=0.05)
    assert stop.asked
    assert 0 < stop.left_s <= 0.05
    time.sleep(stop.left_s)
    assert stop.over
    assert stop.left_s == 0


def test_to_ask_again_gives_no_more_time():
    stop = GracefulShutdown()
    stop.ask(grace_s=5)
    stop.ask(grace_s=50)
    assert stop.left_s <= 5
    stop.ask(grace_s=0)
    assert stop.over


def test_processes_that_were_forked_share_it():
    stop = GracefulShutdown()
    assert status_of(lambda: stop.ask(grace_s=5)) == 0
    assert stop.asked  # though another process asked
    assert 4 < stop.left_s <= 5


def test_a_signal_ends_an_idle_process():
    stop = GracefulShutdown()

    def child() -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with stop:
            pass
        get_sigterm()

    assert status_of(child) == -signal.SIGTERM


def test_a_signal_lets_work_end_first():
    stop = GracefulShutdown()

    def child() -> None:
        with stop:
            get_sigterm()
            assert stop.asked
            assert not stop.over

    assert status_of(child) == 40
    assert not stop.asked  # it was that process's own affair


def test_with_the_whole_worker_stopping_a_process_leaves_that_to_celery():
    stop = GracefulShutdown()

    def child() -> None:
        with stop:
            get_sigterm()
            stop.ask(grace_s=5)

    assert status_of(child) == 0


def test_more_signals_give_no_more_time():
    stop = GracefulShutdown()

    def child() -> None:
        with stop:
            get_sigterm()
            first = stop.left_s
            get_sigterm()
            assert stop.left_s <= first

    assert status_of(child) == 40


def test_work_in_another_thread_leaves_signals_alone():
    before = signal.getsignal(signal.SIGTERM)
    seen = []

    def work() -> None:
        with GracefulShutdown():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]
