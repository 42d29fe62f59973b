"""A fake secret pool and fake oracles that only count, for tests of drawing."""

import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from judge.drawn import CaseData, allocate
from judge.gpu.pool.client import PoolReservation
from problems.schema import Case, Problem


@dataclass
class FakeVault:
    """Implements the part of `judge.gpu.pool.client.SecretPool` that draws and the refresher use."""

    stock: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)  # sets that another process is filling
    reserved: dict[int, Case] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=itertools.count)
    committed: Counter[str] = field(default_factory=Counter)
    once: set[str] = field(default_factory=set)  # cases with sets that were taken for good

    def take(self, problem: Problem, case: Case, count: int, *, keep: int, once: bool) -> tuple[Any, int]:
        if once:
            self.once.add(case.name)
        found = min(count, self.stock[case.name])
        self.stock[case.name] -= found
        return tuple(allocate(problem, case) for _ in range(found)), max(0, keep - self.stock[case.name])

    def take_all(self, problem: Problem, case: Case, count: int) -> tuple[CaseData, ...]:
        return (
            self.take(problem, case, count, keep=0, once=False)[0] if self.stock[case.name] >= count else ()
        )

    def fresh(self, _: Problem, case: Case) -> int:
        return self.stock[case.name] + self.others[case.name]

    def coming(self, _: Problem, case: Case) -> int:
        return self.others[case.name]

    def reserve(self, problem: Problem, case: Case, *, keep: int = 0) -> PoolReservation | None:
        if keep and self.fresh(problem, case) >= keep:
            return None
        number = next(self.numbers)
        self.reserved[number] = case
        return PoolReservation(number, allocate(problem, case))

    def commit(self, reservation: PoolReservation, *, used: bool) -> None:
        if case := self.reserved.pop(reservation.number, None):
            self.committed[case.name] += 1
            self.stock[case.name] += not used

    def drop(self, reservation: PoolReservation) -> None:
        del self.reserved[reservation.number]


@dataclass
class FakeOracles:
    """Implements `judge.gpu.oracles.Lender`. Tells `watch` of every step."""

    watch: Callable[[str], None] = lambda _: None
    filled: list[str] = field(default_factory=list)
    seeds: list[int | None] = field(default_factory=list)

    def prepare(self, _: Problem) -> None:
        self.watch("prepare")

    def lend(self, _: Problem, stopped: Callable[[], bool]) -> "FakeOracles":
        del stopped
        self.watch("lend")
        return self

    def fill(self, drawn: CaseData, seed: int | None = None) -> None:
        os.fstat(drawn.descriptor)  # fails unless the descriptor is open
        self.watch("fill")
        self.filled.append(drawn.case.name)
        self.seeds.append(seed)

    def close(self) -> None:
        self.watch("close")


@dataclass
class FakeShare:
    """A share of a GPU. `watch` is told when it begins and ends."""

    watch: Callable[[str], None]

    @contextmanager
    def __call__(self, stopped: Callable[[], bool]) -> Iterator[None]:
        del stopped
        self.watch("share")
        yield
        self.watch("share ends")
