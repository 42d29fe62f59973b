"""Finds containers whose owner process has died.

Theory of operation. A container never runs longer than its owner: when the owner dies, its socket closes, and
`enter.c` ends all processes. Only the engine's record of the container remains, or a container that was
created and never started. A label of each container names its owner: the boot id of the host, the process id
namespace, the process id in it, and the start time, because ids are reused. A process in the same namespace
can detect that the owner is dead. Other processes decide by the age of the container.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from sandbox.containers.engine import Engine, Known

OWNER_LABEL = "warpcourt.owner"
_STALE_S = 600.0
_START_TIME = 19  # field of /proc/<pid>/stat after the name. Source: proc(5)


@dataclass(frozen=True, slots=True)
class Owner:
    """Identifies a process across boots and namespaces."""

    boot: str
    namespace: str
    process: int
    started: str

    @classmethod
    def current(cls) -> Self:
        """This process."""
        return cls(_boot(), _namespace(), os.getpid(), _started(os.getpid()))

    @classmethod
    def parse(cls, label: str) -> Self | None:
        """Return the owner in a label, None if the label is invalid."""
        words = label.split(" ")
        if len(words) != 4 or not words[2].isdigit():
            return None
        return cls(words[0], words[1], int(words[2]), words[3])

    def label(self) -> str:
        """Return the owner as the value of a label."""
        return f"{self.boot} {self.namespace} {self.process} {self.started}"

    def alive(self) -> bool | None:
        """Return whether the owner still runs; None if this process cannot see it."""
        if self.boot != _boot():
            return False
        if self.namespace != _namespace():
            return None
        return self.started != "" and _started(self.process) == self.started


def orphans(engine: Engine) -> Iterator[Known]:
    """Yield the containers that no process will remove."""
    for container in engine.containers(OWNER_LABEL):
        owner = Owner.parse(container.labels.get(OWNER_LABEL, ""))
        alive = None if owner is None else owner.alive()
        old = not container.running and time.time() - container.created_s > _STALE_S
        if alive is False or (alive is None and old):
            yield container


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _namespace() -> str:
    return str(Path("/proc/self/ns/pid").readlink())


def _started(process: int) -> str:
    """Return its start time in ticks since boot; empty if the process is gone or a zombie."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[_START_TIME]
