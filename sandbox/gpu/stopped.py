"""Processes that were stopped by a signal: MPS waits for its clients to answer, which these never do."""

import contextlib
import os
import signal
from pathlib import Path

_STATE, _STARTED = 0, 19  # fields of /proc/<pid>/stat after the name. Source: proc(5)
_STOPPED = "T"


def identity(pid: int) -> tuple[int, str]:
    """The process that has this id now: another one with the same id later is not equal to it."""
    fields = _fields(pid)
    return pid, fields[_STARTED] if fields else ""


def wake(pid: int) -> bool:
    """Have the process go on if it was stopped. Whether it was."""
    fields = _fields(pid)
    if not fields or fields[_STATE] != _STOPPED:
        return False
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGCONT)
    return True


def _fields(pid: int) -> list[str]:
    """Return the fields of the process's stat file; empty if the process does not exist."""
    try:
        return Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
