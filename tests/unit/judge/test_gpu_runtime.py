"""Tests a GPU runtime: warm sandboxes when MPS is replaced, and an unhealthy GPU."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from judge.errors import RunnerUnusable
from judge.gpu.hardware import Card
from judge.gpu.runtime import GpuRuntime
from problems.vocabulary import Language
from sandbox.backend import IsolationUnavailable
from sandbox.gpu.health import Quarantine
from sandbox.gpu.lease import Leases
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


class FakeClock:
    """A clock that advances when code sleeps."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def monotonic(self) -> float:
        return self.now_s

    def time(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


class Card0:
    """A GPU with a fault, and its MPS. `repaired_by` names the action that repairs it."""

    def __init__(self, clock: FakeClock, repaired_by: str, *, slow_s: float = 0.0) -> None:
        self.born = OLD
        self.did: list[str] = []
        self._clock, self._repaired_by, self._slow_s = clock, repaired_by, slow_s

    def examine(self, _: object) -> str:
        self._clock.sleep(self._slow_s)
        return "" if self._repaired_by in self.did else "it has faulted"

    def ensure(self) -> None:
        self.did.append("ensure")

    def recover(self) -> None:
        self._clock.sleep(self._slow_s)
        self.did.append("recover")


@pytest.fixture
def mps() -> SimpleNamespace:
    return SimpleNamespace(born=OLD)


@pytest.fixture
def pool() -> FakePool:
    return FakePool()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    clock = FakeClock()
    monkeypatch.setattr("judge.gpu.runtime.time", clock)
    return clock


@pytest.fixture
def gpu_runtime(mps: SimpleNamespace, pool: FakePool, tmp_path: Path) -> Iterator[GpuRuntime]:
    limits = Limits(wall_s=1, cpu_s=1, memory_mib=64)
    hardware = SimpleNamespace(
        commands=lambda _: {"cuda": None, "oracle": None}, limits=lambda *_, **__: limits
    )
    rest: Any = SimpleNamespace(close=lambda: None)
    fakes: dict[str, Any] = {"hardware": hardware, "pool": pool}
    opened = GpuRuntime(
        Card("gpu-0", mps=mps),  # type: ignore[arg-type]  # as much of one as is asked for
        **fakes,
        backend=rest,
        leases=Leases(tmp_path, slots=2),
        quarantine=Quarantine(tmp_path),
        secret_pool=rest,
        refreshes=False,
        runtime=tmp_path,
    )
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("held_mib", "over_mib"), [(0, 0), (4096, 0), (4096 + 2048, 0), (4096 + 2049, 1), (100_000, 93_856)]
)
def test_a_program_is_charged_for_what_it_holds_beyond_its_part(
    gpu_runtime: GpuRuntime, held_mib: int, over_mib: int
) -> None:
    asked: list[tuple[int, ...]] = []

    def held(_: object, pids: tuple[int, ...]) -> int:
        asked.append(pids)
        return held_mib

    hardware: Any = gpu_runtime.hardware
    hardware.held_mib = held
    process: Any = SimpleNamespace(pids=(11, 12))
    assert gpu_runtime.overdrawn_mib(process) == 0  # of a card whose memory is not known
    gpu_runtime.card = replace(gpu_runtime.card, most_mib=4096)
    assert gpu_runtime.overdrawn_mib(process) == over_mib
    assert asked == [(11, 12)]


def take(gpu_runtime: GpuRuntime) -> None:
    gpu_runtime.start_runner(DOUBLING, Language.CUDA)


def test_what_waits_is_used_while_the_daemon_stays(gpu_runtime: GpuRuntime, pool: FakePool) -> None:
    take(gpu_runtime)
    take(gpu_runtime)
    assert pool.asked == [("take", "cuda@gpu-0")] * 2


def test_what_waits_with_the_socket_of_an_earlier_daemon_is_ended_once(
    gpu_runtime: GpuRuntime, mps: SimpleNamespace, pool: FakePool
) -> None:
    mps.born = NEW
    take(gpu_runtime)
    take(gpu_runtime)
    taken = ("take", "cuda@gpu-0")
    assert pool.asked == [("discard", "cuda@gpu-0", "oracle@gpu-0"), taken, taken]


def test_a_daemon_that_is_down_ends_nothing(
    gpu_runtime: GpuRuntime, mps: SimpleNamespace, pool: FakePool
) -> None:
    mps.born = None
    take(gpu_runtime)
    mps.born = OLD
    take(gpu_runtime)
    assert pool.asked == [("take", "cuda@gpu-0")] * 2


@pytest.mark.parametrize(("before", "after"), [(OLD, None), (OLD, NEW), (None, None), (None, NEW)])
def test_a_sandbox_without_a_daemon_is_started_again(
    gpu_runtime: GpuRuntime,
    mps: SimpleNamespace,
    pool: FakePool,
    before: tuple[int, int] | None,
    after: tuple[int, int] | None,
) -> None:
    def take_without_socket(*_: object) -> None:
        mps.born = after
        raise IsolationUnavailable("bind source path does not exist")

    mps.born = before
    pool.take = take_without_socket  # type: ignore[assignment, method-assign]
    with pytest.raises(RunnerUnusable, match="MPS was down"):  # so the run starts again
        take(gpu_runtime)


def test_a_host_that_cannot_isolate_is_reported_as_such(gpu_runtime: GpuRuntime, pool: FakePool) -> None:
    def refuse(*_: object) -> None:
        raise IsolationUnavailable("the container engine does not answer")

    pool.take = refuse  # type: ignore[assignment, method-assign]
    with pytest.raises(IsolationUnavailable):
        take(gpu_runtime)


def ill(gpu_runtime: GpuRuntime, card: Card0) -> None:
    gpu_runtime.card = Card("gpu-0", mps=card)  # type: ignore[arg-type]  # as much of one as is asked for
    gpu_runtime.hardware.examine = card.examine  # type: ignore[method-assign, assignment]


def test_a_fault_that_passes_needs_nothing_new(gpu_runtime: GpuRuntime, clock: FakeClock) -> None:
    card = Card0(clock, "ensure")
    ill(gpu_runtime, card)
    assert gpu_runtime.check_up() == ""
    assert card.did == ["ensure"]


@pytest.mark.parametrize("slow_s", [0.0, 9.0], ids=["quick to answer", "hardly answers"])
def test_a_server_that_hangs_is_replaced_before_the_card_is_given_up(
    gpu_runtime: GpuRuntime, clock: FakeClock, slow_s: float
) -> None:
    card = Card0(clock, "recover", slow_s=slow_s)
    ill(gpu_runtime, card)
    assert gpu_runtime.check_up() == ""
    assert card.did[-1] == "recover"
    assert not gpu_runtime.quarantine.marks()


def test_a_card_that_nothing_helps_is_quarantined(gpu_runtime: GpuRuntime, clock: FakeClock) -> None:
    ill(gpu_runtime, Card0(clock, "nothing"))
    assert gpu_runtime.check_up() == "it has faulted"
    assert gpu_runtime.quarantine.quarantined() == {"gpu-0": "it has faulted"}


def test_a_quarantined_card_comes_back_when_it_is_well_again(
    gpu_runtime: GpuRuntime, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where no node service runs, such as under `manage.py judge`; not before its time."""
    ill(gpu_runtime, Card0(clock, "ensure"))
    mark = gpu_runtime.quarantine.quarantine("gpu-0", "it was hot", by="judge")
    assert not gpu_runtime.revive(lambda: False)
    monkeypatch.setattr(clock, "time", lambda: mark.retry_at + 1)
    assert gpu_runtime.revive(lambda: False)
    assert not gpu_runtime.quarantine.marks()
    assert not gpu_runtime.leases.holders("gpu-0")
