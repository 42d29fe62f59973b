"""Tests which sets a secret pool gives out, keeps and frees."""

import pytest

from judge.gpu.pool.store import Rotation, Store


class Memory:
    """Memory with a limit that remembers what is held."""

    def __init__(self, limit: int = 10**9) -> None:
        self.limit = limit
        self.held = 0

    def allocate(self, size_bytes: int) -> "Piece":
        if self.held + size_bytes > self.limit:
            raise MemoryError("full")
        return Piece(self, size_bytes)


class Piece:
    def __init__(self, memory: Memory, size_bytes: int) -> None:
        self.memory, self.size_bytes, self.closed = memory, size_bytes, False
        memory.held += size_bytes

    def export(self) -> int:
        return -1

    def close(self) -> None:
        assert not self.closed
        self.closed = True
        self.memory.held -= self.size_bytes


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def new(
    budget: int = 1000, memory: Memory | None = None, *, max_uses: int = 4, max_age_s: float = 900
) -> tuple[Store, Memory, Clock]:
    memory, clock = memory or Memory(), Clock()
    rotation = Rotation(budget, max_uses=max_uses, max_age_s=max_age_s)
    return Store(memory.allocate, rotation, clock=clock), memory, clock


def stock(store: Store, key: str, count: int, size: int = 100, *, used: bool = False) -> list[int]:
    numbers = []
    for _ in range(count):
        entry = store.reserve(key, size, "owner")
        store.commit(entry.number, "owner", used=used)
        numbers.append(entry.number)
    return numbers


def numbers(store: Store, key: str, count: int, keep: int = 0) -> list[int]:
    taken, _ = store.take(key, count, keep=keep)
    store.retire_used()
    return [entry.number for entry in taken]


def test_what_is_taken_once_is_handed_out_never_again() -> None:
    store, memory, _ = new()
    stock(store, "a", 3)
    taken, lacking = store.take("a", 2, keep=3, once=True)
    assert (len(taken), lacking) == (2, 2)
    assert memory.held == 300  # they are exported first
    store.retire_used()
    assert (memory.held, store.sets, store.counts.retired) == (100, 1, 2)
    assert not {entry.number for entry in taken} & set(numbers(store, "a", 3))
    assert store.counts.handed_out_again == 0


def test_what_is_taken_once_may_have_been_used_before() -> None:
    store, memory, _ = new()
    (number,) = stock(store, "a", 1, used=True)
    (entry,), _ = store.take("a", 1, keep=0, once=True)
    store.retire_used()
    assert (entry.number, memory.held) == (number, 0)


def test_nothing_is_handed_out_before_it_is_committed() -> None:
    store, _, _ = new()
    store.reserve("a", 100, "owner")
    assert numbers(store, "a", 1) == []
    assert store.counts.missing == 1


def test_what_nobody_had_comes_first() -> None:
    store, _, _ = new()
    first, second, third = stock(store, "a", 3)
    assert numbers(store, "a", 1) == [first]
    assert numbers(store, "a", 2) == [second, third]
    assert len(numbers(store, "a", 1)) == 1
    assert (store.counts.handed_out_fresh, store.counts.handed_out_again) == (3, 1)


def test_a_set_is_retired_after_so_many_uses() -> None:
    store, memory, _ = new(max_uses=2)
    (only,) = stock(store, "a", 1, used=True)
    assert numbers(store, "a", 1) == [only]
    assert numbers(store, "a", 1) == []
    assert memory.held == 0


def test_a_set_is_retired_at_an_age() -> None:
    store, memory, clock = new(max_age_s=10)
    stock(store, "a", 1, used=True)
    clock.now = 11
    assert numbers(store, "a", 1) == []
    assert memory.held == 0


def test_the_age_of_a_set_begins_with_its_first_use() -> None:
    store, _, clock = new(max_age_s=10)
    (only,) = stock(store, "a", 1)
    clock.now = 1000
    assert numbers(store, "a", 1) == [only]
    clock.now = 1009
    assert numbers(store, "a", 1) == [only]
    clock.now = 1011
    assert numbers(store, "a", 1) == []


def test_looking_takes_nothing() -> None:
    store, _, _ = new()
    stock(store, "a", 1)
    stock(store, "a", 1, used=True)
    store.reserve("a", 100, "owner")
    assert store.look("a") == {"sets": 2, "fresh": 2, "coming": 1}
    assert store.look("b") == {"sets": 0, "fresh": 0, "coming": 0}
    assert store.counts.missing == 0


def test_more_is_asked_for_when_less_than_half_is_fresh() -> None:
    store, _, _ = new()
    stock(store, "a", 4)
    assert store.take("a", 1, keep=4)[1] == 0
    assert store.take("a", 1, keep=4)[1] == 0
    assert store.take("a", 1, keep=4)[1] == 3


def test_what_is_coming_counts_as_fresh() -> None:
    store, _, _ = new()
    store.reserve("a", 100, "owner", keep=4)
    store.reserve("a", 100, "owner", keep=4)
    assert store.take("a", 1, keep=4)[1] == 0


def test_nobody_makes_more_ahead_than_are_kept() -> None:
    store, _, _ = new()
    assert store.reserve("a", 100, "owner", keep=1)
    assert store.reserve("a", 100, "other", keep=1) is None
    assert store.reserve("a", 100, "other")  # another process waits for this set


def test_the_case_wanted_longest_ago_makes_room() -> None:
    store, memory, clock = new(budget=300)
    stock(store, "old", 1)
    clock.now = 1
    numbers(store, "new", 1)
    stock(store, "new", 2)
    stock(store, "new", 1)
    assert memory.held == 300
    assert numbers(store, "old", 1) == []


def test_a_set_made_ahead_does_not_push_out_its_own_case() -> None:
    store, memory, _ = new(budget=250)
    stock(store, "a", 2)
    assert store.reserve("a", 100, "owner", keep=8) is None
    assert memory.held == 200


def test_a_set_that_somebody_waits_for_is_made_beyond_the_budget_and_not_kept() -> None:
    store, memory, _ = new(budget=50)
    stock(store, "small", 1, size=20)
    entry = store.reserve("a", 100, "owner")
    store.commit(entry.number, "owner", used=True)
    assert memory.held == 20


def test_full_memory_evicts_before_it_refuses() -> None:
    store, memory, _ = new(memory=Memory(limit=200))
    stock(store, "a", 2)
    assert store.reserve("b", 150, "owner")
    assert memory.held == 150
    with pytest.raises(MemoryError):
        store.reserve("c", 100, "owner")


def test_what_a_lost_owner_had_reserved_is_released() -> None:
    store, memory, _ = new()
    store.reserve("a", 100, "owner")
    kept = store.reserve("a", 100, "other")
    store.abandon("owner")
    assert memory.held == 100
    store.commit(kept.number, "owner", used=False)  # not theirs
    assert numbers(store, "a", 1) == []


def test_closing_releases_everything() -> None:
    store, memory, _ = new()
    stock(store, "a", 2)
    store.reserve("a", 100, "owner")
    store.close()
    assert memory.held == 0
