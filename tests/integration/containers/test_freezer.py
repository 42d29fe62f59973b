"""The freezer of a container: it stops all processes, and measures the processor time that they use."""

import os
import signal
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sandbox.containers.backend import Containers
from sandbox.freezer import Freezer, FreezerFailed
from sandbox.spec import Command, Limits, Termination
from sandbox.watch import WatchedProcess
from testing.services import need

pytestmark = pytest.mark.integration

LIMITS = Limits(wall_s=60, cpu_s=60, memory_mib=128, processes=64, tmpfs_mib=8)
FROZEN_S = 0.1
LITTLE_US = 50.0  # judge.clock.contracts.Policy.frozen_us
SPIN = "while :; do :; done"
CONTINUE = "(while :; do kill -CONT -1; done)"


@contextmanager
def running(backend: Containers, *argv: str) -> Iterator[tuple[WatchedProcess, Freezer]]:
    process = backend.start(Command(argv or ("/bin/sh", "-c", SPIN), LIMITS, freezable=True))
    try:
        assert process.freezer is not None
        wait_for_work(process)
        yield process, Freezer(process.freezer)
    finally:
        process.close()


def cpu_s(process: WatchedProcess) -> float:
    assert process._running is not None
    return process._running.cpu_s


def wait_for_work(process: WatchedProcess) -> None:
    """Return when it uses the processor."""
    before, deadline = cpu_s(process), time.monotonic() + 20
    while cpu_s(process) <= before:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def frozen_us(freezer: Freezer) -> float:
    """What the processes used while they were frozen for `FROZEN_S`."""
    freezer.freeze()
    time.sleep(FROZEN_S)
    freezer.thaw()
    return freezer.used_us()


def test_frozen_processes_use_no_processor_time_and_go_on(containers: Containers) -> None:
    with running(containers, "/bin/sh", "-c", f"{SPIN} & {SPIN}") as (process, freezer):
        used = [frozen_us(freezer) for _ in range(5)]
        assert statistics.median(used) <= LITTLE_US, used
        wait_for_work(process)


def test_a_process_that_is_continued_is_seen(containers: Containers) -> None:
    need(os.geteuid() == 0, "root", "only root may continue a process of a container from outside")
    with running(containers) as (process, freezer):
        freezer.freeze()
        for pid in process.pids[1:]:
            os.kill(pid, signal.SIGCONT)
        time.sleep(FROZEN_S)
        freezer.thaw()
        assert freezer.used_us() > LITTLE_US


def test_processes_cannot_continue_each_other(containers: Containers) -> None:
    with running(containers, "/bin/sh", "-c", f"{CONTINUE} & {CONTINUE}") as (_, freezer):
        used = [frozen_us(freezer) for _ in range(5)]
        assert statistics.median(used) <= LITTLE_US, used


def test_everything_goes_on_when_the_freezer_is_closed(containers: Containers) -> None:
    with running(containers) as (process, freezer):
        freezer.freeze()
        freezer.close()
        wait_for_work(process)


def test_a_frozen_container_can_be_killed(containers: Containers) -> None:
    with running(containers) as (process, freezer):
        freezer.freeze()
        process.kill()
        assert process.wait(20).ending is Termination.KILLED
        assert process.freezer is None


def test_a_container_that_has_ended_does_not_answer(containers: Containers) -> None:
    with running(containers) as (process, freezer):
        process.kill()
        process.wait(20)
        with pytest.raises(FreezerFailed):
            freezer.freeze()


def test_a_container_has_a_freezer_only_if_asked(containers: Containers) -> None:
    process = containers.start(Command(("/bin/sleep", "4713"), LIMITS))
    try:
        assert process.freezer is None
    finally:
        process.close()
