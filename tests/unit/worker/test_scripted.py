"""Tests the words with which the scripted judge keeps a submission in a stage."""

from threading import Event, Thread

import pytest

from worker import scripted


@pytest.mark.parametrize("stage", ["compiling", "checking", "ranking"])
def test_a_stage_is_held_until_its_gate_is_opened(tmp_path, stage):
    gate = tmp_path / f"hold-{stage}"
    gate.touch()
    words, cancelled = [f"hold={stage}"], Event()
    held = Thread(
        target=scripted.hold, args=(words, stage), kwargs={"gates": tmp_path, "cancelled": cancelled}
    )
    held.start()
    held.join(0.1)
    assert held.is_alive()
    gate.unlink()
    held.join(10)
    assert not held.is_alive()


def test_cancellation_ends_a_hold(tmp_path):
    (tmp_path / "hold-checking").touch()
    cancelled = Event()
    cancelled.set()
    scripted.hold(["hold=checking"], "checking", gates=tmp_path, cancelled=cancelled)


def test_nothing_is_held_without_the_word(tmp_path):
    (tmp_path / "hold-checking").touch()
    scripted.hold(["hold=ranking", "accepted"], "checking", gates=tmp_path, cancelled=Event())
