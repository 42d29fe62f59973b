"""What a station does with warm sandboxes when the MPS daemon of its card is replaced."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from judge.kit import Card
from judge.station import Station
from problems.vocabulary import Language
from sandbox.spec import Limits
from tests.unit.judge.packages import DOUBLING

OLD, NEW = (1, 100), (2, 200)


class FakePool:
    """Remembers what it was asked for, in order."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def take(self, name: str, _: object) -> None:
        self.asked.append(("take", name))

    def discard(self, *names: str) -> None:
        self.asked.append(("discard", *names))


@pytest.fixture
def mps() -> SimpleNamespace:
    return SimpleNamespace(born=OLD)


@pytest.fixture
def pool() -> FakePool:
    return FakePool()


@pytest.fixture
def station(mps: SimpleNamespace, pool: FakePool, tmp_path: Path) -> Iterator[Station]:
    limits = Limits(wall_s=1, cpu_s=1, memory_mib=64)
    kit = SimpleNamespace(commands=lambda _: {"cuda": None, "oracle": None}, limits=lambda *_, **__: limits)
    rest: Any = SimpleNamespace(close=lambda: None)
    fakes: dict[str, Any] = {"kit": kit, "pool": pool}
    opened = Station(
        Card("gpu-0", mps=mps),  # type: ignore[arg-type]  # as much of one as is asked for
        **fakes,
        backend=rest,
        leases=rest,
        quarantine=rest,
        vault=rest,
        refreshes=False,
        runtime=tmp_path,
    )
    yield opened
    opened.close()


def take(station: Station) -> None:
    station.start_runner(DOUBLING, Language.CUDA)


def test_what_waits_is_used_while_the_daemon_stays(station: Station, pool: FakePool) -> None:
    take(station)
    take(station)
    assert pool.asked == [("take", "cuda@gpu-0")] * 2


def test_what_waits_with_the_socket_of_an_earlier_daemon_is_ended_once(
    station: Station, mps: SimpleNamespace, pool: FakePool
) -> None:
    mps.born = NEW
    take(station)
    take(station)
    taken = ("take", "cuda@gpu-0")
    assert pool.asked == [("discard", "cuda@gpu-0", "oracle@gpu-0"), taken, taken]


def test_a_daemon_that_is_down_ends_nothing(station: Station, mps: SimpleNamespace, pool: FakePool) -> None:
    mps.born = None
    take(station)
    mps.born = OLD
    take(station)
    assert pool.asked == [("take", "cuda@gpu-0")] * 2
