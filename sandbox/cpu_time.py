"""The processes below a process, and their processor time, for hosts where no control group counts it."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_USER, _CHILDREN_SYSTEM = 11, 14  # fields of /proc/<pid>/stat after the name. Source: proc(5)


def tree_of(process: int) -> Iterator[int]:
    """`process` and all below it that still run, parents first."""
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
    """Seconds used by `process` and all below it. Those that died unnoticed by their parent are missed."""
    total_s = 0.0
    for pid in tree_of(process):
        with contextlib.suppress(OSError):
            fields = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()
            total_s += sum(map(int, fields[_USER : _CHILDREN_SYSTEM + 1])) / _TICKS_PER_S
    return total_s
