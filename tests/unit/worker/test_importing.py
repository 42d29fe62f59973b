"""Tests how an import reports its remaining time."""

from worker.importing import time_left


def test_the_time_left_is_told_once_some_problems_are_done() -> None:
    assert time_left(50.0, done=2, total=98) == ""
    assert time_left(60.0, done=6, total=98) == ", about 16 min left"
    assert time_left(600.0, done=97, total=98) == ", about 1 min left"
