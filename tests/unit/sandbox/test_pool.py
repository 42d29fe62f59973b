"""The warm pool, over the fake backend."""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from sandbox.fake import FakeBackend, FakeProcess, Script, exited
from sandbox.pool import NotReady, Pool, PoolSpec, _Kind
from sandbox.spec import Command, Limits

COMMAND = Command(("runner",), Limits(wall_s=5, cpu_s=5, memory_mib=64), channel=True, label="runner")
LIMITS = Limits(wall_s=1, cpu_s=2, memory_mib=32)
READY = Script(ready=True, hangs=True)


@pytest.fixture(autouse=True)
def exact_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pool keeps no more than the size of a kind, however long a start takes here."""
    monkeypatch.setattr("sandbox.pool._MOST_EXTRA", 0)


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def pool_of(backend: FakeBackend, size: int = 1, **rest: float) -> Pool:
    return Pool(backend, {"runner": PoolSpec(COMMAND, size)}, **rest)


def test_hands_out_what_was_started_ahead_and_refills() -> None:
    backend = FakeBackend([READY] * 3)
    pool = pool_of(backend, 2)
    until(lambda: pool.waiting("runner") == 2)
    with_limits = pool.take("runner", LIMITS)
    assert with_limits is backend.started[0]
    assert backend.started[0].begun == [LIMITS]
    assert backend.started[0].command.limits.wall_s > 1000  # it may wait, limits count from hand-out
    until(lambda: pool.waiting("runner") == 2)
    assert (pool.hits, pool.misses) == ({"runner": 1}, {})
    with_limits.close()
    pool.close()
    assert all(process.closed for process in backend.started)


def test_starts_one_on_the_spot_when_none_is_left() -> None:
    backend = FakeBackend([READY])
    pool = pool_of(backend, 0)
    process = pool.take("runner", LIMITS)
    assert pool.misses == {"runner": 1}
    assert backend.started[0].begun == [LIMITS]
    process.close()
    pool.close()


class Slow(FakeBackend):
    """Lets nothing start until `go` is set."""

    def __init__(self, scripts: Sequence[Script]) -> None:
        super().__init__(scripts)
        self.go = threading.Event()
        self.asked = 0

    def start(self, command: Command) -> FakeProcess:
        self.asked += 1
        assert self.go.wait(10)
        return super().start(command)


def test_the_first_who_finds_none_waits_for_the_one_that_is_coming_up() -> None:
    backend = Slow([READY] * 4)
    pool = pool_of(backend)
    until(lambda: backend.asked == 1)
    with ThreadPoolExecutor(2) as takers:
        first = takers.submit(pool.take, "runner", LIMITS)
        until(lambda: pool.misses == {"runner": 1})
        time.sleep(0.05)
        assert backend.asked == 1
        second = takers.submit(pool.take, "runner", LIMITS)
        until(lambda: backend.asked == 2)
        backend.go.set()
        assert first.result() is not second.result()
    assert (pool.hits, pool.misses) == ({}, {"runner": 2})
    assert [process.begun for process in backend.started].count([LIMITS]) == 2
    first.result().close()
    second.result().close()
    pool.close()
    assert all(process.closed for process in backend.started)


def test_who_waits_for_one_that_fails_starts_another() -> None:
    backend = Slow([Script(completion=exited(1)), READY, READY])
    pool = pool_of(backend)
    until(lambda: backend.asked == 1)
    with ThreadPoolExecutor(1) as takers:
        taken = takers.submit(pool.take, "runner", LIMITS)
        until(lambda: pool.misses == {"runner": 1})
        backend.go.set()
        assert taken.result() in backend.started[1:]
    taken.result().close()
    pool.close()


def test_a_pool_that_is_held_starts_only_what_it_has_none_of() -> None:
    backend = FakeBackend([READY] * 5)
    pool = pool_of(backend, 2)
    until(lambda: pool.waiting("runner") == 2)
    with pool.held():
        pool.take("runner", LIMITS).close()
        time.sleep(0.05)
        assert pool.waiting("runner") == 1
        pool.take("runner", LIMITS).close()
        until(lambda: pool.waiting("runner") == 1)
    until(lambda: pool.waiting("runner") == 2)
    pool.close()


def test_a_pool_is_not_held_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.pool._HELD_S", 0.1)
    monkeypatch.setattr("sandbox.pool._TICK_S", 0.05)
    pool = pool_of(FakeBackend([READY] * 3), 2)
    until(lambda: pool.waiting("runner") == 2)
    with pool.held():
        pool.take("runner", LIMITS).close()
        until(lambda: pool.waiting("runner") == 2)
    pool.close()


def test_what_has_become_useless_is_replaced_and_the_rest_kept() -> None:
    backend = FakeBackend([READY] * 3)
    pool = Pool(backend, {"runner": PoolSpec(COMMAND, 1), "other": PoolSpec(COMMAND, 1)})
    until(lambda: pool.waiting("runner") == pool.waiting("other") == 1)
    pool.discard("runner")
    assert sorted(process.closed for process in backend.started[:2]) == [False, True]
    until(lambda: pool.waiting("runner") == 1)
    fresh = pool.take("runner", LIMITS)
    assert fresh is backend.started[2]
    fresh.close()
    pool.close()


def test_what_died_while_waiting_is_replaced() -> None:
    backend = FakeBackend([READY] * 3)
    pool = pool_of(backend)
    until(lambda: pool.waiting("runner") == 1)
    backend.started[0].kill()
    until(backend.started[0]._ended.is_set)
    process = pool.take("runner", LIMITS)
    assert process is not backend.started[0]
    process.close()
    pool.close()


def test_what_is_too_old_is_replaced() -> None:
    backend = FakeBackend([READY] * 50)
    pool = pool_of(backend, max_age_s=0.2)
    until(lambda: len(backend.started) > 1)
    until(lambda: backend.started[0].closed)
    pool.close()


def test_what_is_not_ready_says_why() -> None:
    backend = FakeBackend([Script(completion=exited(1, stderr=b"ImportError: torch"))])
    pool = pool_of(backend, 0)
    with pytest.raises(NotReady, match="ImportError: torch"):
        pool.take("runner", LIMITS)
    assert backend.started[0].closed
    pool.close()


def test_a_failing_refill_does_not_end_the_pool() -> None:
    backend = FakeBackend([Script(completion=exited(1)), READY])
    pool = pool_of(backend)
    until(lambda: pool.waiting("runner") == 1)
    pool.close()


def test_close_is_quick_while_refills_fail() -> None:
    pool = pool_of(FakeBackend([], unavailable="no bubblewrap"))
    began = time.monotonic()
    pool.close()
    pool.close()
    assert time.monotonic() - began < 2


def test_close_does_not_wait_for_what_is_still_coming_up() -> None:
    backend = FakeBackend([Script(ready=False, hangs=True)])
    pool = pool_of(backend)
    until(lambda: len(backend.started) == 1)
    started = time.monotonic()
    pool.close()
    assert time.monotonic() - started < 2
    assert backend.started[0].closed


def test_sandboxes_of_a_kind_start_side_by_side_on_a_host_with_many_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sandbox.pool.os.sched_getaffinity", lambda _: range(8))
    backend = Slow([READY] * 2)
    pool = pool_of(backend, 2)
    until(lambda: backend.asked == 2)
    backend.go.set()
    until(lambda: pool.waiting("runner") == 2)
    pool.close()


@pytest.mark.parametrize(
    ("cores", "taken", "start_s", "wanted"),
    [(64, 0, 2.0, 2), (64, 1, 2.0, 3), (64, 3, 2.0, 5), (64, 9, 2.0, 6), (2, 9, 2.0, 3), (64, 3, 0.0, 2)],
)
def test_more_wait_if_some_were_taken_while_one_started(
    monkeypatch: pytest.MonkeyPatch, cores: int, taken: int, start_s: float, wanted: int
) -> None:
    monkeypatch.setattr("sandbox.pool._MOST_EXTRA", 2)
    monkeypatch.setattr("sandbox.pool.os.sched_getaffinity", lambda _: range(cores))
    now_s = time.monotonic() - 0.01
    kind = _Kind(PoolSpec(COMMAND, 2), taken_s=deque([now_s - 60, *[now_s] * taken]), start_s=start_s)
    assert kind.wanted == wanted


def test_what_is_prepared_is_taken_first() -> None:
    pool = pool_of(FakeBackend([READY] * 3), 2)
    until(lambda: pool.waiting("runner") == 2)
    assert pool.await_unprepared("runner", 1)
    with pool.preparing("runner") as process:
        assert process is not None
        assert pool.waiting("runner") == 1
    assert pool.take("runner", LIMITS) is process
    process.close()
    pool.close()


def test_all_prepared_leaves_nothing_to_prepare() -> None:
    pool = pool_of(FakeBackend([READY]))
    until(lambda: pool.waiting("runner") == 1)
    with pool.preparing("runner"):
        pass
    assert not pool.await_unprepared("runner", 0.01)
    with pool.preparing("runner") as process:
        assert process is None
    pool.close()


def test_what_cannot_be_prepared_is_replaced() -> None:
    backend = FakeBackend([READY] * 2)
    pool = pool_of(backend)
    until(lambda: pool.waiting("runner") == 1)
    with pytest.raises(NotReady), pool.preparing("runner"):
        raise NotReady
    assert backend.started[0].closed
    until(lambda: pool.waiting("runner") == 1)
    pool.close()


def test_who_finds_none_waits_for_the_one_that_is_being_prepared() -> None:
    pool = pool_of(FakeBackend([READY] * 2))
    until(lambda: pool.waiting("runner") == 1)
    with ThreadPoolExecutor(1) as takers:
        with pool.preparing("runner") as process:
            taken = takers.submit(pool.take, "runner", LIMITS)
            until(lambda: pool.misses == {"runner": 1})
        assert taken.result() is process
    taken.result().close()
    pool.close()


def test_what_is_being_prepared_is_discarded_too() -> None:
    backend = FakeBackend([READY] * 3)
    pool = pool_of(backend)
    until(lambda: pool.waiting("runner") == 1)
    with pool.preparing("runner"):
        pool.discard_prepared("runner")
    assert backend.started[0].closed
    until(lambda: pool.waiting("runner") == 1)
    pool.discard_prepared("runner")
    assert not backend.started[1].closed
    pool.close()


@pytest.mark.parametrize("prepared_only", [True, False])
def test_a_starting_sandbox_is_discarded_unless_only_prepared_ones_are(
    monkeypatch: pytest.MonkeyPatch, prepared_only: bool
) -> None:
    backend, starting, go_on = FakeBackend([READY] * 2), threading.Event(), threading.Event()
    start = Pool._start

    def start_later(pool: Pool, name: str, **rest: Callable[[FakeProcess], None]) -> object:
        starting.set()
        assert go_on.wait(10)
        return start(pool, name, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Pool, "_start", start_later)
    pool = pool_of(backend)
    assert starting.wait(10)
    (pool.discard_prepared if prepared_only else pool.discard)("runner")
    go_on.set()
    until(lambda: pool.waiting("runner") == 1)
    until(lambda: backend.started[0].closed is not prepared_only)
    pool.close()
