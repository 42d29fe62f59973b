"""Tests idle MPS clients: runners that are opened ahead, referees that are kept, and when they end."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from judge.gpu.idle_clients import IdleClients
from sandbox.fake import FakeBackend, Reply, Script
from sandbox.pool import Pool, PoolSpec
from sandbox.spec import Command, Limits
from tests.unit.sandbox.test_pool import exact_sizes, until

__all__ = ["exact_sizes"]

COMMAND = Command(("runner",), Limits(wall_s=5, cpu_s=5, memory_mib=64), channel=True, label="runner")
LIMITS = Limits(wall_s=1, cpu_s=2, memory_mib=32)
OPENS = Script(ready=True, replies=[Reply(1)], hangs=True)


class Kept:
    """A referee process, as far as it is kept."""

    def __init__(self, *, rests: bool = True) -> None:
        self.rests = rests
        self.closed = self.ended = False
        self.resumed = 0

    def rest(self) -> bool:
        return self.rests

    def resume(self, _: Callable[[], bool]) -> "Kept":
        self.resumed += 1
        return self

    def close(self) -> None:
        self.ended = True


class Mps:
    """Whether MPS takes clients, and who shares the GPU."""

    def __init__(self) -> None:
        self.healthy = True
        self.shared = 0
        self.free = threading.Event()
        self.free.set()

    @contextmanager
    def share(self, stopped: Callable[[], bool]) -> Iterator[None]:
        while not self.free.wait(0.01) and not stopped():
            pass
        self.shared += 1
        yield


@pytest.fixture
def mps() -> Mps:
    return Mps()


@contextmanager
def keeping(
    mps: Mps, scripts: list[Script] | None = None, *, most: int = 2, size: int = 1
) -> Iterator[tuple[IdleClients, Pool, FakeBackend]]:
    backend = FakeBackend(scripts or [])
    pool = Pool(backend, {"runner": PoolSpec(COMMAND, size if scripts else 0)})
    kinds = {"runner": mps.share} if scripts else {}
    idle = IdleClients(pool, kinds, healthy=lambda: mps.healthy, most=most)
    try:
        yield idle, pool, backend
    finally:
        idle.close()
        pool.close()


def test_a_referee_that_rests_is_handed_out_again(mps: Mps) -> None:
    with keeping(mps) as (idle, _, _):
        referee = Kept()
        idle.keep(referee)  # type: ignore[arg-type]
        taken: object = idle.referee(lambda: False)
        assert taken is referee
        assert (referee.resumed, referee.ended) == (1, False)
        assert idle.referee(lambda: False) is None


def test_a_referee_that_cannot_rest_and_one_too_many_are_ended(mps: Mps) -> None:
    with keeping(mps, most=1) as (idle, _, _):
        broken, first, second = Kept(rests=False), Kept(), Kept()
        for referee in (broken, first, second):
            idle.keep(referee)  # type: ignore[arg-type]
        assert [referee.ended for referee in (broken, first, second)] == [True, False, True]
    assert first.ended


def test_a_referee_that_died_is_not_handed_out(mps: Mps) -> None:
    with keeping(mps) as (idle, _, _):
        referee = Kept()
        idle.keep(referee)  # type: ignore[arg-type]
        referee.closed = True
        assert idle.referee(lambda: False) is None
        assert referee.ended


def test_a_waiting_runner_opens_the_gpu_under_a_share(mps: Mps) -> None:
    with keeping(mps, [OPENS] * 3) as (_, pool, backend):
        until(lambda: mps.shared == 1 and pool.waiting("runner") == 1)
        assert not pool.await_unprepared("runner", 0.01)
        taken = pool.take("runner", LIMITS)
        assert taken is backend.started[0]
        taken.close()


def test_one_runner_of_a_kind_waits_with_a_context_and_another_follows_it(mps: Mps) -> None:
    with keeping(mps, [OPENS] * 4, size=2) as (idle, pool, _):
        until(lambda: mps.shared == 1 and pool.waiting("runner") == 2)
        assert pool.await_unprepared("runner", 0.05)
        taken = pool.take("runner", LIMITS)
        idle.taken("runner")
        until(lambda: mps.shared == 2 and pool.waiting("runner") == 2)
        other = pool.take("runner", LIMITS)
        assert other is not taken
        taken.close()
        other.close()


def test_no_runner_opens_the_gpu_while_it_is_timed(mps: Mps) -> None:
    mps.free.clear()
    with keeping(mps, [OPENS] * 3) as (_, pool, _):
        until(lambda: pool.waiting("runner") == 1)
        assert pool.await_unprepared("runner", 0.05)
        assert mps.shared == 0


def test_a_fault_ends_idle_clients(mps: Mps) -> None:
    with keeping(mps, [OPENS] * 3) as (idle, pool, backend):
        until(lambda: mps.shared == 1 and pool.waiting("runner") == 1)
        referee = Kept()
        idle.keep(referee)  # type: ignore[arg-type]
        mps.free.clear()
        mps.healthy = False
        until(lambda: referee.ended and backend.started[0].closed)
        assert idle.referee(lambda: False) is None


def test_a_fault_ends_a_runner_that_was_opened_while_another_one_was_taken(mps: Mps) -> None:
    opening, go = threading.Event(), threading.Event()

    def wait(*_: object) -> None:
        opening.set()
        assert go.wait(10)

    slow = Script(ready=True, replies=[Reply(1, act=wait)], hangs=True)
    with keeping(mps, [slow, OPENS, OPENS]) as (idle, pool, backend):
        assert opening.wait(10)
        mps.free.clear()
        idle.taken("runner")
        go.set()
        until(lambda: pool.waiting("runner") == 1)
        mps.healthy = False
        until(lambda: backend.started[0].closed)


def test_a_runner_that_does_not_open_the_gpu_is_replaced(mps: Mps, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judge.gpu.idle_clients._AFTER_FAILURE_S", 0.01)
    refuses = Script(ready=True, replies=[Reply(raw=b"no")], hangs=True)
    with keeping(mps, [refuses, OPENS, OPENS]) as (_, pool, backend):
        until(lambda: mps.shared > 1 and pool.waiting("runner") == 1 and backend.started[0].closed)
        assert len(backend.started) > 1
