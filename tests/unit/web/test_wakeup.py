"""Tests the connection to the broker, with a broker of files and a failing one."""

from dataclasses import replace

import pytest
from celery import Celery
from kombu.exceptions import OperationalError

from web.jobs import wakeup


@pytest.fixture
def line(settings, tmp_path):
    """A line of its own: that of the process is replaced in tests."""
    settings.WARPCOURT = replace(settings.WARPCOURT, data_dir=tmp_path, broker_url="")
    return wakeup._Line()


@pytest.fixture
def cut(monkeypatch) -> list[str]:
    """Every attempt to send something, each of which fails."""
    tries: list[str] = []

    def send_task(_: Celery, name: str, **__: object) -> None:
        tries.append(name)
        raise OperationalError("connection refused")

    monkeypatch.setattr(Celery, "send_task", send_task)
    return tries


def test_undelivered_messages_are_counted_for_each_queue(line):
    assert line.undelivered("cpu") == 0
    for queue in ("cpu", "gpu", "cpu"):
        assert line.send(queue)
    assert (line.undelivered("cpu"), line.undelivered("gpu"), line.undelivered("gpu.nvidia-h200")) == (
        2,
        1,
        0,
    )


def test_a_broker_that_is_away_is_not_waited_for_again_at_once(line, cut, caplog):
    assert not line.send("cpu")
    assert not line.send("cpu")
    assert len(cut) == 1
    assert "broker_unreachable" in caplog.text


def test_a_sweep_that_gets_through_ends_the_quiet(line, cut):
    assert not line.send("cpu")
    assert line.undelivered("cpu") == 0
    assert not line.send("cpu")
    assert len(cut) == 2
