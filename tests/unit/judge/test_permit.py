"""Tests that drawing stops before the share of the GPU is returned."""

import errno
import os
import threading
from pathlib import Path

import pytest

from judge.errors import JudgementCancelled
from judge.gpu.permit import AheadTurn, Permit

WAIT_S = 5.0


def never() -> bool:
    return False


def test_nobody_draws_before_it_is_granted() -> None:
    permit = Permit()
    with pytest.raises(JudgementCancelled), permit.held(lambda: True):
        pass
    permit.grant()
    with permit.held(never):
        pass


def test_who_takes_it_back_waits_for_the_draw_under_way() -> None:
    permit, drawing, may_end = Permit(), threading.Event(), threading.Event()
    order: list[str] = []

    def draw() -> None:
        with permit.held(never):
            drawing.set()
            may_end.wait(WAIT_S)
            order.append("drawn")

    def revoke() -> None:
        permit.revoke()
        order.append("revoked")

    permit.grant()
    threads = [threading.Thread(target=draw), threading.Thread(target=revoke)]
    threads[0].start()
    assert drawing.wait(WAIT_S)
    threads[1].start()
    threads[1].join(0.05)
    assert threads[1].is_alive()
    may_end.set()
    for thread in threads:
        thread.join(WAIT_S)
    assert order == ["drawn", "revoked"]


def test_after_it_was_taken_back_it_can_be_granted_again() -> None:
    permit = Permit()
    permit.grant()
    permit.revoke()
    with pytest.raises(JudgementCancelled), permit.held(lambda: True):
        pass
    permit.grant()
    with permit.held(never):
        pass


def test_a_draw_that_needs_the_whole_card_waits_for_it() -> None:
    permit = Permit()
    permit.grant()
    with pytest.raises(JudgementCancelled), permit.held(lambda: True, alone=True):
        pass
    permit.grant(alone=True)
    with permit.held(never, alone=True):
        pass
    permit.revoke()
    permit.grant()
    with pytest.raises(JudgementCancelled), permit.held(lambda: True, alone=True):
        pass


def test_one_judgement_has_the_turn_until_it_gives_it_back(tmp_path: Path) -> None:
    first, second = AheadTurn(tmp_path / "turn"), AheadTurn(tmp_path / "turn")
    second.give_back()
    assert first.take()
    assert first.take()
    assert not second.take()
    first.give_back()
    assert second.take()


def test_a_forked_process_does_not_keep_the_turn(tmp_path: Path) -> None:
    first, second = AheadTurn(tmp_path / "turn"), AheadTurn(tmp_path / "turn")
    assert first.take()
    reads, writes = os.pipe()
    if (child := os.fork()) == 0:  # pragma: no cover - another process
        os.close(writes)
        os.read(reads, 1)  # until the test is over
        os._exit(0)
    try:
        assert not second.take()
        first.give_back()
        assert second.take()
    finally:
        os.close(writes)
        os.waitpid(child, 0)
        os.close(reads)


def test_a_turn_that_cannot_be_locked_leaves_no_descriptor(tmp_path: Path, monkeypatch) -> None:
    closed: list[int] = []
    close = os.close

    def fail(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr("judge.gpu.permit.fcntl.flock", fail)
    monkeypatch.setattr("judge.gpu.permit.os.close", closed.append)
    with pytest.raises(OSError, match="no locks"):
        AheadTurn(tmp_path / "turn").take()
    (descriptor,) = closed
    close(descriptor)
