"""Tests the end of a container, with a socket instead of `enter` and a recorder instead of the engine."""

import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from sandbox.backend import IsolationUnavailable
from sandbox.containers import container as module
from sandbox.containers.container import Container
from sandbox.containers.engine import ContainerState
from sandbox.watch import End


@dataclass
class Notes:
    """Stands in for an engine; `dies` says whether a kill helps."""

    enter: socket.socket
    dies: bool = True
    out_of_memory: bool = False
    asked: list[str] = field(default_factory=list)

    def kill(self, _: str) -> None:
        self.asked.append("kill")
        if self.dies:
            self.enter.close()

    def state(self, _: str) -> ContainerState:
        self.asked.append("state")
        return ContainerState(running=False, code=137, out_of_memory=self.out_of_memory, error="")

    def limit_memory(self, _: str, memory_bytes: int) -> None:
        self.asked.append(f"memory {memory_bytes >> 20}")


@dataclass
class Stage:
    notes: Notes
    container: Container
    released: list[str]

    def say(self, status: int, cpu_us: int = 0) -> None:
        self.notes.enter.send(struct.pack("=c3xiQ", b"E", status, cpu_us))


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setattr(module, "_OBEY_S", 0.1)
    monkeypatch.setattr(module, "_DEATH_S", 0.1)
    judge, enter = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    notes = Notes(enter)
    released: list[str] = []
    container = Container(
        engine=notes,  # type: ignore[arg-type]
        container="id",
        judge=judge,
        work=None,
        init=0,
        group=None,
        memory_mib=64,
        release=released.append,
    )
    yield Stage(notes, container, released)
    container.close()
    enter.close()


@pytest.mark.parametrize(("status", "code"), [(0, 0), (3 << 8, 3), (9, 137), (11 | 0x80, 139)])
def test_the_end_is_what_enter_says(stage: Stage, status: int, code: int) -> None:
    stage.say(status, 1_500_000)
    assert stage.container.bury() == End(code, 1.5, None, False)
    assert stage.notes.asked == []
    stage.container.close()
    assert stage.released == ["id"]


def test_enter_is_asked_to_kill(stage: Stage) -> None:
    stage.say(9)
    stage.container.bury()
    assert stage.notes.enter.recv(64) == b"K"


def test_if_it_does_not_the_engine_is(stage: Stage) -> None:
    assert stage.container.bury().code == 137
    assert stage.notes.asked == ["kill", "state"]


def test_what_does_not_die_is_our_failure(stage: Stage) -> None:
    stage.notes.dies = False
    with pytest.raises(IsolationUnavailable, match="did not exit"):
        stage.container.bury()


def test_enter_may_fall_to_the_memory_limit(stage: Stage) -> None:
    stage.notes.out_of_memory = True
    stage.notes.enter.close()
    assert stage.container.bury() == End(137, 0.0, None, True)


def test_an_end_without_a_reason_is_nobodys_fault(stage: Stage) -> None:
    stage.notes.enter.close()
    with pytest.raises(IsolationUnavailable, match="ended from outside"):
        stage.container.bury()


@pytest.mark.parametrize("said", [b"E", b"?" * 16, b"E" * 17])
def test_nonsense_is_no_end(stage: Stage, said: bytes) -> None:
    stage.notes.enter.send(said)
    with pytest.raises(IsolationUnavailable, match="ended from outside"):
        stage.container.bury()


def test_the_engine_changes_the_cap_only_if_it_differs(stage: Stage) -> None:
    for memory_mib in (64, 32, 32, 64):
        stage.container.limit_memory(memory_mib)
    assert stage.notes.asked == ["memory 32", "memory 64"]
