"""Tests that sets are prepared one by one, and that other processes can use the GPU in between."""

from dataclasses import replace
from itertools import pairwise

import pytest

from judge.errors import OracleFailed
from judge.gpu.pool.source import kept_of
from judge.gpu.refresher import Refresher
from tests.unit.judge.drawing import FakeOracles, FakeShare, FakeVault
from tests.unit.judge.packages import DOUBLING

ODD = DOUBLING.cases[1]
TIMED = replace(DOUBLING.cases[2], sizes={"n": 1000})
PROBLEM = replace(DOUBLING, cases=(DOUBLING.cases[0], ODD, TIMED))
WAIT_S = 5.0


class Node:
    """A refresher, and what it did in which order."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.secret_pool = FakeVault()
        self.oracles = FakeOracles(self.steps.append)
        self.refresher = Refresher(self.secret_pool, self.oracles, FakeShare(self.steps.append))  # type: ignore[arg-type]

    def refresh(self, *cases: object) -> None:
        self.refresher.ask(PROBLEM, list(cases))  # type: ignore[arg-type]
        assert self.refresher.settle(WAIT_S)
        self.refresher.close()


def test_it_makes_what_is_kept_and_no_more() -> None:
    node = Node()
    node.refresh(ODD, TIMED)
    assert node.secret_pool.stock == {"odd": 4, "timed": kept_of(PROBLEM, TIMED)}
    assert node.secret_pool.reserved == {}


def test_nothing_is_done_for_what_is_there() -> None:
    node = Node()
    node.secret_pool.stock["odd"] = 3
    node.secret_pool.others["odd"] = 1
    node.refresh(ODD)
    assert node.steps == []


def test_every_set_has_a_share_of_its_own_and_the_oracle_goes_back_with_it() -> None:
    node = Node()
    node.refresh(ODD)
    once = ["prepare", "share", "lend", "fill", "close", "share ends"]
    assert node.steps == once * 4
    held = False
    for step, following in pairwise(node.steps):
        held = step == "share" or (held and step != "share ends")
        assert held == (step not in {"prepare", "share ends"})
        if step == "prepare":  # a sandbox starts without a share
            assert following == "share"


def test_a_failure_ends_this_line_and_not_the_next(caplog: pytest.LogCaptureFixture) -> None:
    node = Node()

    def fail(step: str) -> None:
        if step == "fill":
            raise OracleFailed("it broke")

    node.oracles.watch = fail
    node.refresher.ask(PROBLEM, [ODD])
    assert node.refresher.settle(WAIT_S)
    assert "it broke" in caplog.text
    node.oracles.watch = node.steps.append
    node.refresh(TIMED)
    assert node.secret_pool.stock["timed"] == kept_of(PROBLEM, TIMED)
