"""Processor time of a process and its descendants, for hosts where no control group counts it."""

import contextlib
import os
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_USER, _CHILDREN_SYSTEM = 11, 14  # fields of /proc/<pid>/stat after the name. Source: proc(5)


def cpu_of_tree(process: int) -> float:
    """Seconds used by `process` and all below it. Those that died unnoticed by their parent are missed."""
    total_s = 0.0
    pending = [process]
    while pending:
        folder = Path("/proc", str(pending.pop()))
        with contextlib.suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            total_s += sum(map(int, fields[_USER : _CHILDREN_SYSTEM + 1])) / _TICKS_PER_S
            for thread in (folder / "task").iterdir():
                with contextlib.suppress(OSError):
                    pending += map(int, (thread / "children").read_text().split())
    return total_s
