"""Finds processes that were stopped by a signal.

MPS waits for its clients, and stopped clients never answer.
"""

import contextlib
import os
import signal
from pathlib import Path

_STATE, _STARTED = 0, 19  # fields of /proc/<pid>/stat after the name. Source: proc(5)
_STOPPED = "T"


def identity(pid: int) -> tuple[int, str]:
    """Return an identity of the process with this id.

    A later process with the same id has another identity.
    """
    fields = _fields(pid)
    return pid, fields[_STARTED] if fields else ""


def wake(pid: int) -> bool:
    """Continue the process if it was stopped. Returns whether it was stopped."""
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
