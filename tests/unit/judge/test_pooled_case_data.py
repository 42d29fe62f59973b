"""Tests the source of a submission's contents, their order, and which process may draw them."""

import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from judge.drawn import CaseData
from judge.errors import JudgementCancelled, OracleFailed
from judge.gpu.permit import AheadTurn, Permit
from judge.gpu.pool.source import (
    LEAST_TIMED_SETS,
    TIMED_SETS,
    PooledCaseData,
    kept_of,
    sets_of,
    timed_bytes_on,
)
from judge.gpu.session import GpuSession
from problems.schema import Case
from problems.vocabulary import Group
from tests.unit.judge.drawing import FakeOracles, FakeVault
from tests.unit.judge.packages import DOUBLING

EXAMPLE, ODD = DOUBLING.cases[:2]
TIMED = replace(DOUBLING.cases[2], sizes={"n": 1000})
PROBLEM = replace(DOUBLING, cases=(EXAMPLE, ODD, TIMED))
WAIT_S = 5.0


@contextmanager
def draws(
    secret_pool: FakeVault,
    oracles: FakeOracles,
    *cases: Case,
    permit: Permit | None = None,
    ahead: Path | None = None,
    memory_mib: int = 0,
    cancelled: threading.Event | None = None,
    seed: int | None = None,
) -> Iterator[PooledCaseData]:
    if permit is None:
        permit = Permit()
        permit.grant()
    stopped = (cancelled or threading.Event()).is_set
    with tempfile.TemporaryDirectory() as folder:
        opened = PooledCaseData(
            PROBLEM,
            cases,
            secret_pool,  # type: ignore[arg-type]
            oracles,
            stopped,
            permit=permit,
            ahead=AheadTurn(ahead or Path(folder, "ahead")),
            memory_mib=memory_mib,
            seed=seed,
        )
        try:
            yield opened
        finally:
            opened.close()


def test_what_is_in_stock_needs_no_oracle_and_no_share() -> None:
    secret_pool, oracles = FakeVault(), FakeOracles()
    secret_pool.stock.update({"example": 1, "odd": 1, "timed": TIMED_SETS})
    with draws(secret_pool, oracles, EXAMPLE, ODD, TIMED, permit=Permit()) as opened:
        assert len(opened.sets(ODD)) == 1
        assert len(opened.sets(TIMED)) == TIMED_SETS
    assert oracles.filled == []
    assert set(opened.lacking) == {"example", "odd", "timed"}


def test_a_case_of_ones_own_is_never_taken_from_stock_or_left_there() -> None:
    secret_pool, oracles = FakeVault(), FakeOracles()
    own = replace(EXAMPLE, sizes={"n": 2}, inputs={"x": (1.0, 2.0)})  # with the name of another
    secret_pool.stock["example"] = 1
    with draws(secret_pool, oracles, own) as opened:
        (drawn,) = opened.sets(own)
        assert drawn.case is own
    assert (oracles.filled, secret_pool.stock["example"], secret_pool.committed) == (["example"], 1, {})
    assert opened.lacking == {}


def test_cases_that_are_checked_are_drawn_first() -> None:
    oracles = FakeOracles()
    with draws(FakeVault(), oracles, TIMED, EXAMPLE, ODD) as opened:
        opened.sets(TIMED)
    assert oracles.filled == ["example", "odd"] + ["timed"] * TIMED_SETS


def test_only_what_lacks_is_drawn() -> None:
    secret_pool, oracles = FakeVault(), FakeOracles()
    secret_pool.stock["timed"] = TIMED_SETS - 2
    with draws(secret_pool, oracles, TIMED) as opened:
        assert len(opened.sets(TIMED)) == TIMED_SETS
    assert oracles.filled == ["timed"] * 2


def test_what_a_program_is_timed_with_is_nobody_elses() -> None:
    secret_pool, oracles = FakeVault(), FakeOracles()
    secret_pool.stock.update({"odd": 1, "timed": TIMED_SETS - 1})
    with draws(secret_pool, oracles, EXAMPLE, ODD, TIMED) as opened:
        opened.sets(TIMED)
    assert secret_pool.once == {"timed"}
    assert oracles.filled == ["example", "timed"]
    assert secret_pool.committed == {"example": 1}  # the drawn timed set was dropped instead


def test_timed_sets_that_another_draws_are_not_waited_for() -> None:
    secret_pool, oracles = FakeVault(), FakeOracles()
    secret_pool.others["timed"] = TIMED_SETS
    with draws(secret_pool, oracles, TIMED) as opened:
        opened.sets(TIMED)
    assert oracles.filled == ["timed"] * TIMED_SETS


@pytest.mark.parametrize(
    ("n", "sets", "kept"),
    [
        (1000, TIMED_SETS, TIMED_SETS),
        (1 << 24, TIMED_SETS, 5),  # 192 MiB in a set
        (1 << 26, 32, 1),
        (1 << 29, LEAST_TIMED_SETS, 0),
    ],
)
def test_large_cases_have_fewer_timed_sets(n: int, sets: int, kept: int) -> None:
    case = replace(TIMED, sizes={"n": n})
    assert sets_of(PROBLEM, case) == sets
    assert kept_of(PROBLEM, case) == kept


def test_the_timed_sets_of_a_judgement_take_at_most_half_of_the_gpu() -> None:
    case = replace(TIMED, sizes={"n": 1 << 26})  # 768 MiB in a set
    three = (case, case, case)
    assert sets_of(PROBLEM, case, timed_bytes=timed_bytes_on(140 << 10, three)) == 31
    assert sets_of(PROBLEM, case, timed_bytes=timed_bytes_on(80 << 10, three)) == 17
    assert sets_of(PROBLEM, case, timed_bytes=timed_bytes_on(80 << 10, (case, ODD))) == 32
    assert sets_of(PROBLEM, case, timed_bytes=timed_bytes_on(16 << 10, three)) == LEAST_TIMED_SETS


def test_one_judgement_at_a_time_draws_timed_sets_ahead(tmp_path: Path) -> None:
    def granted() -> Permit:
        permit = Permit()
        permit.grant()
        return permit

    turn, second, permit = tmp_path / "ahead", FakeOracles(), granted()
    with draws(FakeVault(), FakeOracles(), TIMED, ahead=turn, permit=granted()) as first:
        assert len(first.sets(TIMED)) == TIMED_SETS
        with draws(FakeVault(), second, ODD, TIMED, ahead=turn, permit=permit) as waits:
            assert len(waits.sets(ODD)) == 1
            time.sleep(0.05)
            assert second.filled == ["odd"]
            permit.grant(alone=True)
            assert len(waits.sets(TIMED)) == TIMED_SETS
    third = FakeOracles()
    with draws(FakeVault(), third, TIMED, ahead=turn, permit=granted()) as follows:
        assert len(follows.sets(TIMED)) == TIMED_SETS


def test_timed_sets_that_would_fill_the_gpu_wait_until_it_is_held_alone() -> None:
    permit, oracles = Permit(), FakeOracles()
    permit.grant()
    large = replace(TIMED, sizes={"n": 1 << 18})  # 3 MiB in a set, of 97
    with draws(FakeVault(), oracles, large, ODD, permit=permit, memory_mib=600) as opened:
        opened.sets(ODD)
        while len(oracles.filled) < 1 + 100 // 3:
            time.sleep(0.01)
        time.sleep(0.05)
        assert len(oracles.filled) == 1 + 100 // 3
        permit.grant(alone=True)
        assert len(opened.sets(large)) == TIMED_SETS


def test_a_slow_reference_gets_fewer_timed_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judge.gpu.pool.source._TIMED_DRAW_S", 0.0)
    with draws(FakeVault(), FakeOracles(), TIMED) as opened:
        assert len(opened.sets(TIMED)) == LEAST_TIMED_SETS


def test_checks_need_one_set_of_any_size() -> None:
    assert sets_of(PROBLEM, replace(ODD, sizes={"n": 1 << 29})) == 1


def test_the_sandbox_starts_before_the_share_and_the_draw_waits_for_it() -> None:
    permit, prepared, steps = Permit(), threading.Event(), []

    def watch(step: str) -> None:
        steps.append(step)
        prepared.set()

    with draws(FakeVault(), FakeOracles(watch), ODD, permit=permit) as opened:
        assert prepared.wait(WAIT_S)
        time.sleep(0.05)
        assert steps == ["prepare"]
        permit.grant()
        opened.sets(ODD)
    assert steps == ["prepare", "lend", "fill", "fill", "close"]


def test_what_another_draws_is_waited_for_and_not_drawn_twice() -> None:
    secret_pool, oracles = FakeVault(), FakeOracles()
    secret_pool.others["odd"] = 2

    def arrive() -> None:
        secret_pool.stock["odd"] += 2
        secret_pool.others["odd"] -= 2

    threading.Timer(0.1, arrive).start()
    with draws(secret_pool, oracles, ODD) as opened:
        assert len(opened.sets(ODD)) == 2
    assert oracles.filled == []


def test_what_another_does_not_finish_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judge.gpu.pool.source._OTHERS_S", 0.05)
    secret_pool, oracles = FakeVault(), FakeOracles()
    secret_pool.others["odd"] = 2
    with draws(secret_pool, oracles, ODD) as opened:
        opened.sets(ODD)
    assert oracles.filled == ["odd", "odd"]


def test_a_case_that_is_checked_twice_has_two_sets_unless_cases_are_timed() -> None:
    for cases, count in (((EXAMPLE, ODD), 2), ((EXAMPLE, ODD, TIMED), 1)):
        oracles = FakeOracles()
        with draws(FakeVault(), oracles, *cases, seed=1 << 127) as opened:
            assert (len(opened.sets(EXAMPLE)), len(opened.sets(ODD))) == (1, count)
            opened.sets(cases[-1])
        of_odd = [seed for name, seed in zip(oracles.filled, oracles.seeds, strict=True) if name == "odd"]
        assert len(set(of_odd)) == count


def test_sizes_of_ones_own_are_not_looked_for() -> None:
    secret_pool, oracles = FakeVault(), FakeOracles()
    own = Case("custom", Group.SAMPLE, {"n": 5})
    secret_pool.stock["custom"] = 3
    with draws(secret_pool, oracles, own) as opened:
        opened.sets(own)
    assert oracles.filled == ["custom"]
    assert secret_pool.stock["custom"] == 3


def test_what_comes_of_a_users_seed_is_neither_taken_from_others_nor_left_to_them() -> None:
    secret_pool, oracles = FakeVault(), FakeOracles()
    secret_pool.stock["example"] = 3
    with draws(secret_pool, oracles, EXAMPLE, seed=7) as opened:
        opened.sets(EXAMPLE)
    assert (oracles.filled, oracles.seeds) == (["example"], [7])
    assert secret_pool.stock["example"] == 3
    assert not opened.lacking


def test_without_a_seed_nobody_can_guess_it() -> None:
    oracles = FakeOracles()
    with draws(FakeVault(), oracles, EXAMPLE) as opened:
        opened.sets(EXAMPLE)
    assert oracles.seeds == [None]


def test_cancelling_ends_the_wait_at_once_though_the_draw_goes_on() -> None:
    cancelled, go_on, filling = threading.Event(), threading.Event(), threading.Event()

    def watch(step: str) -> None:
        if step == "fill":
            filling.set()
            go_on.wait(WAIT_S)

    threading.Timer(0.1, cancelled.set).start()
    with draws(FakeVault(), FakeOracles(watch), ODD, cancelled=cancelled) as opened:
        assert filling.wait(WAIT_S)
        with pytest.raises(JudgementCancelled):
            opened.sets(ODD)
        go_on.set()


def test_whoever_asks_learns_what_went_wrong() -> None:
    def watch(step: str) -> None:
        if step == "fill":
            raise OracleFailed("it broke")

    with (
        draws(FakeVault(), FakeOracles(watch), ODD, TIMED) as opened,
        pytest.raises(OracleFailed, match="it broke"),
    ):
        opened.sets(TIMED)


def test_the_turn_is_given_back_even_if_contents_cannot_be_released(tmp_path: Path, monkeypatch) -> None:
    turn = AheadTurn(tmp_path / "turn")

    def fail(_: CaseData) -> None:
        raise OSError("the memory is gone")

    monkeypatch.setattr(CaseData, "close", fail)
    stack = ExitStack()
    stack.enter_context(draws(FakeVault(), FakeOracles(), TIMED, ahead=tmp_path / "turn")).sets(TIMED)
    assert not turn.take()
    with pytest.raises(OSError, match="the memory is gone"):
        stack.close()
    assert turn.take()


def test_contents_are_released_even_if_the_place_on_the_card_cannot_be() -> None:
    class FailingReservation:
        def release(self) -> None:
            raise OSError("no space")

    later: list[Callable[[], None]] = []
    session = GpuSession.__new__(GpuSession)
    session._reservations = (FailingReservation(),)  # type: ignore[assignment]
    session._gpu_runtime = SimpleNamespace(later=later.append)  # type: ignore[assignment]
    with pytest.raises(OSError, match="no space"):
        session.close()
    assert later == [session._leave]
