"""Tests the status that the sweeper reports."""

import time

import pytest
from django.db import OperationalError

from tests.unit.web.observability.counting import counted
from web.submissions import services
from worker import sweeper
from worker.sweeper import Sweeper, sweep_once


@pytest.mark.django_db(transaction=True)
def test_a_sweep_is_counted_and_says_when_it_was() -> None:
    with (
        counted('sweeps_total{outcome="done"}') as done,
        counted("sweep_seconds_count") as timed,
        counted("last_sweep_timestamp_seconds") as moment,
    ):
        assert sweep_once()
    assert (done.change, timed.change) == (1, 1)
    assert moment.change > 0


@pytest.mark.django_db(transaction=True)
def test_a_sweep_that_failed_is_counted_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_answer(**_: object) -> None:
        raise OperationalError("the database is away")

    monkeypatch.setattr(services.queue, "sweep", no_answer)
    with counted('sweeps_total{outcome="failed"}') as failed:
        assert not sweep_once()
    assert failed.change == 1


def test_a_sweeper_whose_sweeps_fail_is_in_trouble_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeper, "sweep_once", lambda: False)
    monkeypatch.setattr(sweeper, "_LATE_S", 0.05)
    made = Sweeper(0.01)
    assert made.trouble == ""
    made.start()
    deadline = time.monotonic() + 10
    while not made.trouble and time.monotonic() < deadline:
        time.sleep(0.01)
    made.stop()
    assert "no sweep was done" in made.trouble
