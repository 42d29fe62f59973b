import os
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from judge.drawn import allocate
from judge.errors import JudgementCancelled, OracleFailed
from judge.gpu.oracles import Oracles
from problems.schema import Problem
from sandbox.backend import Process
from tests.unit.judge.packages import DOUBLING
from tests.unit.judge.scripted import Actor, ScriptedProcess, serve


class Starts:
    """Starts oracles that fill nothing, and counts."""

    def __init__(self) -> None:
        self.started: list[ScriptedProcess] = []
        self.renewed: list[Process] = []

    def __call__(self, problem: Problem) -> ScriptedProcess:
        del problem
        self.started.append(ScriptedProcess(serve(lambda _: None)))
        return self.started[-1]


@pytest.fixture
def starts() -> Starts:
    return Starts()


@pytest.fixture
def oracles(starts: Starts, tmp_path: Path) -> Iterator[Oracles]:
    opened = Oracles(
        starts, starts.renewed.append, directory=tmp_path / "oracles", gpu=False, patience_s=0.05
    )
    yield opened
    opened.close()


def never() -> bool:
    return False


def fill(oracles: Oracles) -> None:
    oracle = oracles.lend(DOUBLING, never)
    with closing(allocate(DOUBLING, DOUBLING.cases[0])) as drawn:
        oracle.fill(drawn)
    oracle.close()


def test_an_oracle_that_comes_back_is_lent_again(oracles: Oracles, starts: Starts) -> None:
    fill(oracles)
    fill(oracles)
    assert len(starts.started) == 1
    assert starts.renewed == starts.started  # its limits count from the second lending


def test_a_sandbox_that_was_prepared_is_lent(oracles: Oracles, starts: Starts) -> None:
    oracles.prepare(DOUBLING)
    oracles.prepare(DOUBLING)
    fill(oracles)
    assert len(starts.started) == 1


def test_one_that_is_lent_is_waited_for(starts: Starts, tmp_path: Path) -> None:
    oracles = Oracles(starts, starts.renewed.append, directory=tmp_path / "oracles", gpu=False)
    first = oracles.lend(DOUBLING, never)
    threading.Timer(0.1, first.close).start()
    fill(oracles)
    assert len(starts.started) == 1
    oracles.close()


def test_who_gives_up_does_not_wait(starts: Starts, tmp_path: Path) -> None:
    oracles = Oracles(starts, starts.renewed.append, directory=tmp_path / "oracles", gpu=False)
    lent = oracles.lend(DOUBLING, never)
    with pytest.raises(JudgementCancelled):
        oracles.lend(DOUBLING, lambda: True)
    lent.close()
    oracles.close()


def test_after_a_while_another_one_is_started(oracles: Oracles, starts: Starts) -> None:
    first, second = oracles.lend(DOUBLING, never), oracles.lend(DOUBLING, never)
    first.close()
    second.close()
    assert len(starts.started) == 2


def test_one_that_broke_while_it_waited_is_replaced_unseen(oracles: Oracles, starts: Starts) -> None:
    fill(oracles)
    oracle = oracles.lend(DOUBLING, never)  # it is alive when it is lent
    starts.started[0].close()
    with closing(allocate(DOUBLING, DOUBLING.cases[0])) as drawn:
        oracle.fill(drawn)
    oracle.close()
    fill(oracles)
    assert len(starts.started) == 2


def test_one_that_is_new_and_breaks_is_to_blame(tmp_path: Path) -> None:
    def hang_up(actor: Actor) -> None:
        actor.receive()
        actor.answer()
        actor.receive()

    started: list[ScriptedProcess] = []

    def start(_: Problem) -> ScriptedProcess:
        started.append(ScriptedProcess(hang_up))
        return started[-1]

    with closing(Oracles(start, lambda _: None, directory=tmp_path, gpu=False)) as oracles:
        oracle = oracles.lend(DOUBLING, never)
        with closing(allocate(DOUBLING, DOUBLING.cases[0])) as drawn, pytest.raises(OracleFailed):
            oracle.fill(drawn)
        oracle.close()
        assert len(started) == 1


def test_one_that_broke_is_not_lent_again(oracles: Oracles, starts: Starts) -> None:
    oracle = oracles.lend(DOUBLING, never)
    starts.started[0].close()
    with closing(allocate(DOUBLING, DOUBLING.cases[0])) as drawn, pytest.raises(Exception):  # noqa: B017, PT011 - however it shows
        oracle.fill(drawn)
    oracle.close()
    fill(oracles)
    assert len(starts.started) == 2


def test_a_borrower_that_gives_up_leaves_what_was_compiled_to_the_next(
    oracles: Oracles, starts: Starts
) -> None:
    given_up: list[bool] = []
    oracle = oracles.lend(DOUBLING, lambda: bool(given_up))
    given_up.append(True)
    with closing(allocate(DOUBLING, DOUBLING.cases[0])) as drawn:
        oracle.fill(drawn)
    oracle.close()
    fill(oracles)
    assert len(starts.started) == 1


def test_closing_stops_what_draws(oracles: Oracles) -> None:
    oracle = oracles.lend(DOUBLING, never)
    oracles.close()
    with closing(allocate(DOUBLING, DOUBLING.cases[0])) as drawn, pytest.raises(JudgementCancelled):
        oracle.fill(drawn)
    oracle.close()


def test_only_a_few_wait(oracles: Oracles, starts: Starts) -> None:
    lent = [oracles.lend(DOUBLING, never) for _ in range(5)]
    for oracle in lent:
        oracle.close()
    assert sum(process.killed.is_set() for process in starts.started) == 2


def test_what_nobody_wants_ends(starts: Starts, tmp_path: Path) -> None:
    oracles = Oracles(starts, starts.renewed.append, directory=tmp_path / "oracles", gpu=False, idle_s=-1.0)
    oracles.lend(DOUBLING, never).close()
    assert starts.started[0].killed.wait(5)


def test_the_processes_of_all_judges_are_known_while_they_live(oracles: Oracles, tmp_path: Path) -> None:
    (tmp_path / "oracles" / str(os.getpid())).touch()
    (tmp_path / "oracles" / "4194305").touch()  # above every process id that Linux gives
    assert oracles.pids() == (os.getpid(),)


def test_after_the_end_nothing_waits(starts: Starts, oracles: Oracles) -> None:
    oracle = oracles.lend(DOUBLING, never)
    oracles.close()
    oracle.close()
    assert starts.started[0].killed.is_set()
