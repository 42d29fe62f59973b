"""Tests that hanging children are replaced, and that their jobs end exactly once."""

import os
import re
import signal
import time

import pytest
from django.db import OperationalError

from testing.services import wait_until
from worker.pulse import Held, Pulse, PulseKind, activity_of
from worker.watchdog import Watchdog

SILENT_S = 0.4
BEAT_S = 0.02


@pytest.fixture
def forked():
    """Starts children that run a function; kills what is left of them."""
    pids = []

    def fork(child, *arguments):
        pid = os.fork()
        if pid == 0:
            try:
                child(*arguments)
            finally:
                os._exit(0)
        pids.append(pid)
        return pid

    yield fork
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


@pytest.fixture
def pulse():
    return Pulse(slots=4)


@pytest.fixture
def told():
    """The abandoned jobs."""
    return []


@pytest.fixture
def watchdog(pulse, told):
    return Watchdog(
        pulse, SILENT_S, abandon={PulseKind.PROOFS: lambda pk, attempt: told.append((pk, attempt)) or True}
    )


def works(pulse, slot=0):
    """Uses the processor, and lets other threads run."""
    pulse.start(slot, every_s=BEAT_S)
    with pulse.holding(PulseKind.PROOFS, 7, 1):
        while True:
            sum(range(1000))


def hangs(pulse, slot=0):
    """Uses the processor in one call."""
    pulse.start(slot, every_s=BEAT_S)
    with pulse.holding(PulseKind.PROOFS, 7, 1), pulse.holding(PulseKind.PROOFS, 8, 2):
        re.match("(a+)+b", "a" * 64)


def idles(pulse):
    """Waits in one call that keeps the interpreter, without using the processor: as if it were paused."""
    pulse.start(0, every_s=BEAT_S)
    os.kill(os.getpid(), signal.SIGSTOP)


def used_s(pid):
    activity = activity_of(pid)
    return activity.used_s if activity else float("inf")


def look_while(watchdog, pid, seconds):
    """Look until the child has used `seconds` more of processor time, or is dead."""
    end = used_s(pid) + seconds
    while used_s(pid) < end:
        watchdog.look()
        time.sleep(BEAT_S)
    watchdog.look()


def test_a_child_that_hangs_is_killed_and_what_it_judged_ends_once(pulse, watchdog, forked, told):
    pid = forked(hangs, pulse)
    look_while(watchdog, pid, 4 * SILENT_S)
    assert activity_of(pid) is None
    assert told == [(8, 2)]


def test_a_child_that_works_is_left_alone(pulse, watchdog, forked, told):
    pid = forked(works, pulse)
    look_while(watchdog, pid, 3 * SILENT_S)
    assert activity_of(pid)
    assert not told


def test_a_child_that_is_paused_is_left_alone(pulse, watchdog, forked, told):
    pid = forked(idles, pulse)
    wait_until(lambda: list(pulse.signs()), "its first sign", 10)
    for _ in range(20):
        watchdog.look()
        time.sleep(SILENT_S / 10)
    assert activity_of(pid)
    assert not told


def test_of_several_children_the_one_that_hangs_is_killed(pulse, watchdog, forked):
    worker, hung = forked(works, pulse, 0), forked(hangs, pulse, 1)
    look_while(watchdog, hung, 4 * SILENT_S)
    assert activity_of(hung) is None
    assert activity_of(worker)


def test_another_process_that_got_the_number_of_a_dead_child_is_left_alone(pulse, watchdog, forked):
    """The slot of a dead child still has its number, with the moment at which it started."""
    pid = forked(time.sleep, 600)
    pulse._slot = 0
    pulse._say(Held(PulseKind.PROOFS, 7, 1))
    page = pulse._page
    page[:24] = b"".join(number.to_bytes(8, "little") for number in (pid, 1, 5))
    assert [sign.pid for _, sign in pulse.signs()] == [pid]
    watchdog._silent_s = 0
    for _ in range(3):
        watchdog.look()
    assert activity_of(pid)


def test_what_a_database_did_not_take_is_written_later(pulse, forked, told):
    def abandon(pk, attempt):
        told.append((pk, attempt))
        if len(told) < 3:
            raise OperationalError("gone")
        return True

    watchdog = Watchdog(pulse, SILENT_S, abandon={PulseKind.PROOFS: abandon})
    look_while(watchdog, forked(hangs, pulse), 4 * SILENT_S)
    for _ in range(5):
        watchdog.look()
    assert told == [(8, 2)] * 3


def test_what_is_held_is_forgotten_at_its_end(pulse):
    pulse.start(0, every_s=60)
    with pulse.holding(PulseKind.PROOFS, 7, 1):
        with pulse.holding(PulseKind.SUBMISSIONS, 8, 2):
            assert held(pulse) == Held(PulseKind.SUBMISSIONS, 8, 2)
        assert held(pulse) == Held(PulseKind.PROOFS, 7, 1)
    assert held(pulse) == Held()


def test_a_submission_within_an_import_does_not_end_for_the_import(pulse):
    """The threads of the import still read the set while the child judges the submission."""
    pulse.start(0, every_s=60)
    with pulse.holding(PulseKind.IMPORTS, 7, 1):
        with pulse.holding(PulseKind.SUBMISSIONS, 8, 2):
            assert held(pulse) == Held(PulseKind.IMPORTS, 7, 1)
        assert held(pulse) == Held(PulseKind.IMPORTS, 7, 1)
    assert held(pulse) == Held()


def held(pulse):
    wait_until(lambda: list(pulse.signs()), "its first sign", 10)
    ((_, sign),) = pulse.signs()
    return sign.held
