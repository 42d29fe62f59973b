"""Tests the owners of containers: alive, dead, or invisible."""

import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from sandbox.containers.engine import Known
from sandbox.containers.orphans import OWNER_LABEL, Owner, _started, orphans


@dataclass
class Listing:
    """Stands in for an engine."""

    known: list[Known]

    def containers(self, label: str) -> Iterator[Known]:
        assert label == OWNER_LABEL
        yield from self.known


def known(owner: str, *, running: bool = True, age_s: float = 0) -> Known:
    return Known("id", {OWNER_LABEL: owner}, running, time.time() - age_s)


def is_orphan(container: Known) -> bool:
    return bool(list(orphans(Listing([container]))))  # type: ignore[arg-type]


ME = Owner.current()


def test_what_is_in_use_stays() -> None:
    assert Owner.parse(ME.label()) == ME
    assert not is_orphan(known(ME.label(), age_s=10_000))
    assert not is_orphan(known(ME.label(), running=False, age_s=10_000))


def test_the_containers_of_the_dead_go() -> None:
    child = subprocess.Popen(["/bin/sleep", "60"])
    try:
        owner = replace(ME, process=child.pid, started=_started(child.pid))
        assert not is_orphan(known(owner.label()))
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert is_orphan(known(owner.label())), "a zombie owns nothing"
    finally:
        child.kill()
        child.wait()
    assert is_orphan(known(owner.label()))


def test_an_id_that_is_used_again_is_somebody_else() -> None:
    assert is_orphan(known(replace(ME, started="1").label()))


def test_a_boot_ends_everything() -> None:
    assert is_orphan(known(replace(ME, boot="other").label()))


@pytest.mark.parametrize(
    "label",
    [replace(ME, namespace="pid:[1]").label(), "nonsense", ""],
    ids=["another namespace", "nonsense", "empty"],
)
def test_whoever_cannot_be_seen_goes_by_age(label: str) -> None:
    assert not is_orphan(known(label, running=True, age_s=10_000))
    assert not is_orphan(known(label, running=False, age_s=60))
    assert is_orphan(known(label, running=False, age_s=10_000))
