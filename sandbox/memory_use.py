"""Measures the memory of all processes of a sandbox, for hosts without control groups.

Theory of operation. /proc/<pid>/status has the private memory of a process, including swap. Pages that a fork
has not copied yet are counted twice. Only if the sum is too large, the exact shares are read, because the
kernel must walk through every page for this. Memory that processes share without a file counts in full, since
its pages remain even if no process maps them. Files in the writable folders also count in full. Other ways to
hold memory without mapping it (memfd_create, shmget) are refused on such hosts, see `sandbox.seccomp`. So
every memfd there belongs to the judge.

Buffers of pipes and sockets, page tables and other kernel memory are not counted.

Source: proc(5), Documentation/filesystems/proc.rst of Linux.
"""

import contextlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

from sandbox.cpu_time import tree_of

_KIB = 1024
_PRIVATE = re.compile(rb"^(?:RssAnon|VmSwap):\s+(\d{1,15}) kB$", re.MULTILINE)
_SHARES = re.compile(rb"^(?:Pss_Anon|SwapPss):\s+(\d{1,15}) kB$", re.MULTILINE)
# Start, end, offset and inode of a mapping that is shared and has no file but the kernel's own.
_SHARED = re.compile(
    rb"^([0-9a-f]+)-([0-9a-f]+) ...s ([0-9a-f]+) \S+ (\d+) +/dev/zero(?: \(deleted\))?$", re.MULTILINE
)


def memory_of_tree(process: int, folders: Iterable[str], *, enough_bytes: int) -> int:
    """Bytes held by `process`, all below it, and the writable `folders` of its file tree.

    Above `enough_bytes`, the result is exact. Below, it may be too large.
    """
    processes = list(tree_of(process))
    common = _shared_bytes(processes) + _held_in(process, folders)
    private = _sum_of(processes, "status", _PRIVATE)
    if common + private > enough_bytes:
        private = min(private, _sum_of(processes, "smaps_rollup", _SHARES) or private)
    return common + private


def _sum_of(processes: Iterable[int], file: str, figures: re.Pattern[bytes]) -> int:
    return sum(
        _KIB * int(figure) for process in processes for figure in figures.findall(_read(process, file))
    )


def _shared_bytes(processes: Iterable[int]) -> int:
    """Return the bytes of shared anonymous memory, counting each object once and in full."""
    reach: dict[bytes, int] = {}
    for process in processes:
        for start, end, offset, inode in _SHARED.findall(_read(process, "maps")):
            last = int(offset, 16) + int(end, 16) - int(start, 16)
            reach[inode] = max(reach.get(inode, 0), last)
    return sum(reach.values())


def _held_in(process: int, folders: Iterable[str]) -> int:
    total = 0
    for folder in folders:
        with contextlib.suppress(OSError):
            found = os.statvfs(f"/proc/{process}/root{folder}")
            total += (found.f_blocks - found.f_bfree) * found.f_frsize
    return total


def _read(process: int, file: str) -> bytes:
    try:
        return Path("/proc", str(process), file).read_bytes()
    except OSError:
        return b""
