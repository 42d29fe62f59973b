"""Collects files from a sandbox that has ended.

Theory of operation. The directory is accessed through a descriptor that was opened before any foreign code
ran. Every process that could write to the directory is dead, so its files cannot change. Paths are resolved
one component at a time, without following links. A file is collected only if it is regular, has one name, and
is not larger than allowed. Other files are treated as missing.
"""

import os
import stat
from collections.abc import Mapping
from io import FileIO


def collect(directory: int, names: Mapping[str, int]) -> dict[str, bytes]:
    """Return the contents of the regular files `names` below `directory` that do not exceed their sizes."""
    found = {}
    for name, limit_bytes in names.items():
        content = _read(directory, name, limit_bytes)
        if content is not None:
            found[name] = content
    return found


def _read(directory: int, name: str, limit_bytes: int) -> bytes | None:
    *folders, last = name.split("/")
    if ".." in (*folders, last):
        return None
    held = os.dup(directory)
    try:
        for folder in folders:
            inner = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=held)
            os.close(held)
            held = inner
        # Check the type before opening, because opening a FIFO or a device has side effects.
        if not _is_plain(os.stat(last, dir_fd=held, follow_symlinks=False), limit_bytes):
            return None
        file = os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=held)
        with FileIO(file, "rb") as stream:
            return stream.read(limit_bytes) or b"" if _is_plain(os.fstat(file), limit_bytes) else None
    except OSError:
        return None
    finally:
        os.close(held)


def _is_plain(status: os.stat_result, limit_bytes: int) -> bool:
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_size <= limit_bytes
