"""Tests the final write of a judgement while the database stops and returns."""

from dataclasses import replace

import pytest
from django.db import IntegrityError, InterfaceError, OperationalError

from problems.vocabulary import Verdict
from worker import final_write
from worker.final_write import FinalWrite


@pytest.fixture(autouse=True)
def _quick(monkeypatch, settings):
    monkeypatch.setattr(final_write, "AGAIN_S", 0.01)
    settings.WARPCOURT = replace(settings.WARPCOURT, lease_s=1)


class Database:
    """Fails as often as it is told to, then takes what is written."""

    def __init__(self, *failures: Exception, answer: bool = True) -> None:
        self.failures = [*failures]
        self.answer = answer
        self.asked = 0

    def write(self) -> bool:
        self.asked += 1
        if self.failures:
            raise self.failures.pop(0)
        return self.answer


def test_it_is_written_once():
    database = Database()
    FinalWrite(database.write, Verdict.ACCEPTED).settle(lambda: False)
    assert database.asked == 1


def test_it_is_kept_while_the_database_does_not_answer(caplog):
    database = Database(OperationalError("gone"), InterfaceError("closed"), OperationalError("starting up"))
    FinalWrite(database.write, Verdict.ACCEPTED).settle(lambda: False)
    assert database.asked == 4
    assert "verdict_recorded" in caplog.text


def test_it_is_given_up_when_the_lease_is_lost(caplog):
    database = Database(*[OperationalError("gone")] * 1000)
    FinalWrite(database.write).settle(lambda: database.asked >= 3)
    assert database.asked == 3
    assert "verdict_discarded" in caplog.text


def test_nothing_is_written_without_a_lease():
    database = Database()
    FinalWrite(database.write).settle(lambda: True)
    assert database.asked == 0


def test_a_write_that_is_refused_for_a_leases_length_is_given_up():
    database = Database(*[OperationalError("too large")] * 10_000)
    FinalWrite(database.write).settle(lambda: False)
    assert 1 < database.asked < 10_000


def test_a_commit_whose_answer_was_lost_is_not_called_discarded(caplog):
    database = Database(OperationalError("cut off"), answer=False)
    FinalWrite(database.write, Verdict.ACCEPTED).settle(lambda: False)
    assert "verdict_settled" in caplog.text
    assert "verdict_discarded" not in caplog.text


def test_a_fault_of_ours_is_not_repeated():
    database = Database(IntegrityError("a second report"))
    with pytest.raises(IntegrityError):
        FinalWrite(database.write).settle(lambda: False)
    assert database.asked == 1
