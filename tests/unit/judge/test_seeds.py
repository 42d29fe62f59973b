"""Tests that contents for boards by score depend on version, site key and case."""

from dataclasses import replace

from judge.seeds import board_seed, seed_of
from tests.unit.judge.packages import DOUBLING

ONE, OTHER, *_ = DOUBLING.cases


def test_the_same_problem_and_key_give_the_same_contents() -> None:
    seed = board_seed(DOUBLING, b"key")
    assert seed == board_seed(replace(DOUBLING, title="Other words"), b"key")
    assert seed != board_seed(DOUBLING, b"other key")
    assert seed != board_seed(replace(DOUBLING, version="f" * 64), b"key")
    assert board_seed(DOUBLING, b"k" * 200) != seed


def test_each_case_has_a_seed_of_its_own() -> None:
    seed = board_seed(DOUBLING, b"key")
    seeds = {seed_of(seed, ONE), seed_of(seed, OTHER), seed}
    assert len(seeds) == 3
    assert all(known is not None and 0 <= known < 2**128 for known in seeds)


def test_each_set_of_a_case_has_a_seed_of_its_own() -> None:
    for seed in (board_seed(DOUBLING, b"key"), 7):
        assert len({seed_of(seed, ONE, number) for number in range(3)}) == 3
        assert seed_of(seed, ONE, 1) == seed_of(seed, ONE, 1)
        assert seed_of(seed, ONE, 1) != seed_of(seed, OTHER, 1)
    assert seed_of(None, ONE, 1) is None


def test_seeds_of_users_are_used_as_they_are() -> None:
    assert seed_of(2**63 - 1, ONE) == 2**63 - 1
    assert seed_of(None, ONE) is None
