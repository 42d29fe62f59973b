"""The secret pool as a process: started on demand, shared, rotated, and replaced when it dies."""

import os
import signal
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from judge.drawn import CaseData
from judge.gpu.pool.client import SecretPool, SecretPoolSettings
from tests.integration.node.conftest import secret_pools
from tests.unit.judge.packages import DOUBLING

CASE = DOUBLING.cases[1]
pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("node-secret-pool")]


@pytest.fixture
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    directory = tmp_path_factory.mktemp("v")
    yield directory
    for pid in secret_pools(directory):
        with suppress(ProcessLookupError):  # it may be on its way out
            os.kill(pid, signal.SIGKILL)


SMALL = SecretPoolSettings(budget_mib=1)


@contextmanager
def secret_pool(directory: Path, settings: SecretPoolSettings = SMALL) -> Iterator[SecretPool]:
    opened = SecretPool(directory, "host", gpu=None, settings=settings)
    try:
        yield opened
    finally:
        opened.close()


def put(secret_pool: SecretPool, content: bytes, *, used: bool = False) -> None:
    reservation = secret_pool.reserve(DOUBLING, CASE)
    os.pwrite(reservation.drawn.descriptor, content, 0)
    secret_pool.commit(reservation, used=used)
    reservation.drawn.close()


def read(drawn: CaseData, count: int) -> bytes:
    content = os.pread(drawn.descriptor, count, 0)
    drawn.close()
    return content


def test_a_set_travels_from_one_process_to_another(runtime: Path) -> None:
    with secret_pool(runtime) as one, secret_pool(runtime) as other:
        put(one, b"secret")
        (drawn,), _ = other.take(DOUBLING, CASE, 1, keep=0, once=False)
        assert read(drawn, 6) == b"secret"
        assert len(secret_pools(runtime)) == 1


def test_a_secret_pool_that_is_ended_has_gone_with_its_memory_when_the_next_one_begins(runtime: Path) -> None:
    """A benchmark that began right after another died of the other's secret pool, which lingered for 10 s."""
    with secret_pool(runtime) as one, secret_pool(runtime) as other:
        put(one, b"secret")
        ended = one.pid
        assert other.pid == ended
        one.end()
        assert secret_pools(runtime) == []
        one.end()
        assert other.pid != ended
        assert other.take(DOUBLING, CASE, 1, keep=0, once=False)[0] == ()


def test_a_secret_pool_that_does_not_leave_is_killed(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judge.gpu.pool.client._END_S", 0.2)
    with secret_pool(runtime) as opened:
        stopped = opened.pid
        monkeypatch.setattr(opened, "_exchange", lambda *_: ({"pid": stopped}, ()))
        os.kill(stopped, signal.SIGSTOP)
        opened.end()
    assert secret_pools(runtime) == []


def test_only_its_user_reaches_it(runtime: Path) -> None:
    with secret_pool(runtime) as opened:
        opened.counts()
        (path,) = runtime.glob("secret_pool-host.[0-9]")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_secret_pool_that_died_is_replaced_and_nobody_sees_an_error(runtime: Path) -> None:
    with secret_pool(runtime) as opened:
        put(opened, b"secret")
        (pid,) = secret_pools(runtime)
        os.kill(pid, signal.SIGKILL)
        assert opened.take(DOUBLING, CASE, 1, keep=2, once=False) == ((), 2)
        assert secret_pools(runtime) not in ([], [pid])


def test_a_set_outlives_the_secret_pool_that_made_it(runtime: Path) -> None:
    with secret_pool(runtime) as opened:
        put(opened, b"secret")
        (drawn,), _ = opened.take(DOUBLING, CASE, 1, keep=0, once=False)
        os.kill(secret_pools(runtime)[0], signal.SIGKILL)
        assert read(drawn, 6) == b"secret"


def test_a_reservation_goes_with_its_owner(runtime: Path) -> None:
    with secret_pool(runtime) as other:
        with secret_pool(runtime) as opened:
            opened.reserve(DOUBLING, CASE).drawn.close()
            assert other.reserve(DOUBLING, CASE, keep=1) is None
        deadline = time.monotonic() + 5
        while not (reservation := other.reserve(DOUBLING, CASE, keep=1)):
            assert time.monotonic() < deadline
        reservation.drawn.close()


def test_sets_are_used_as_often_as_allowed_and_then_gone(runtime: Path) -> None:
    with secret_pool(runtime, replace(SMALL, max_uses=2)) as opened:
        put(opened, b"secret")
        assert [len(opened.take(DOUBLING, CASE, 1, keep=0, once=False)[0]) for _ in range(3)] == [1, 1, 0]


def test_what_is_taken_once_is_gone_for_everybody_else(runtime: Path) -> None:
    with secret_pool(runtime) as one, secret_pool(runtime) as other:
        put(one, b"secret")
        (drawn,), _ = one.take(DOUBLING, CASE, 1, keep=0, once=True)
        assert other.take(DOUBLING, CASE, 1, keep=1, once=False) == ((), 1)
        assert read(drawn, 6) == b"secret"  # its descriptor lives on


def test_many_who_find_none_start_one(runtime: Path) -> None:
    failures: list[Exception] = []

    def ask() -> None:
        try:
            with secret_pool(runtime) as opened:
                opened.counts()
        except Exception as error:  # noqa: BLE001 - told by the test
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(secret_pools(runtime)) == 1


def test_an_idle_secret_pool_leaves(runtime: Path) -> None:
    with secret_pool(runtime, replace(SMALL, idle_s=0.1)) as opened:
        opened.counts()
        time.sleep(1.5)
        assert len(secret_pools(runtime)) == 1  # it has a client
    deadline = time.monotonic() + 10
    while secret_pools(runtime):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert not list(runtime.glob("secret_pool-host.[0-9]"))
