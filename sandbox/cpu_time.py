"""Measures a process tree: its CPU time, if no control group counts it, and whether all processes sleep."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
# Fields of /proc/<pid>/stat after the name, and states. Source: proc(5)
_STATE, _USER, _CHILDREN_SYSTEM = 0, 11, 14
_AWAKE = {"R", "D"}  # runs or is ready to run; waits for a disk


def tree_of(process: int) -> Iterator[int]:
    """Return `process` and all running descendants, parents first."""
    pending = [process]
    while pending:
        pid = pending.pop()
        folder = Path("/proc", str(pid))
        with contextlib.suppress(OSError):
            for thread in (folder / "task").iterdir():
                with contextlib.suppress(OSError):
                    pending += map(int, (thread / "children").read_text().split())
            yield pid


def cpu_of_tree(process: int) -> float:
    """Return the CPU seconds of `process` and its descendants, without those that died unreaped."""
    total_s = 0.0
    for pid in tree_of(process):
        with contextlib.suppress(OSError):
            fields = _fields(Path("/proc", str(pid), "stat"))
            total_s += sum(map(int, fields[_USER : _CHILDREN_SYSTEM + 1])) / _TICKS_PER_S
    return total_s


def all_sleep(process: int) -> bool:
    """Return whether no thread of `process` and its descendants runs, is ready to run or waits for a disk.

    Returns False if no process is visible. Processes that end in the meantime do not count.
    """
    states: list[str] = []
    for pid in tree_of(process):
        with contextlib.suppress(OSError):
            for thread in Path("/proc", str(pid), "task").iterdir():
                with contextlib.suppress(OSError):
                    states.append(_fields(thread / "stat")[_STATE])
    return bool(states) and _AWAKE.isdisjoint(states)


def _fields(stat: Path) -> list[str]:
    return stat.read_text().rpartition(")")[2].split()
