"""Byte-range locks of open file descriptions (`F_OFD_SETLK`), which the kernel frees with the open file.

Ranges are a first byte and an end, which is not part of them.
"""

import errno
import fcntl
import os
import struct

END = 1 << 62  # of every file, as far as locks go
_FLOCK = "hhqqi0q"  # struct flock: type, whence, start, length, pid


def lock(descriptor: int, start: int, end: int) -> bool:
    """Lock a range if others have no lock in it, and return whether it did.

    A lock of this open file that touches the range grows.
    """
    try:
        _command(descriptor, fcntl.F_OFD_SETLK, fcntl.F_WRLCK, start, end)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES):
            return False
        raise
    return True


def unlock(descriptor: int, byte: int) -> None:
    """Free the lock of one byte."""
    _command(descriptor, fcntl.F_OFD_SETLK, fcntl.F_UNLCK, byte, byte + 1)


def locked(descriptor: int, start: int, end: int) -> tuple[int, int] | None:
    """Return the first byte and the end of any lock that others have in a range, or None."""
    if start >= end:
        return None  # a length of 0 would mean all the rest
    kind, _, found, length, _ = _command(descriptor, fcntl.F_OFD_GETLK, fcntl.F_WRLCK, start, end)
    return None if kind == fcntl.F_UNLCK else (found, found + length)


def count_locks(descriptor: int, start: int, end: int) -> int:
    """Return how many one-byte locks other holders have in a range."""
    found = locked(descriptor, start, end)
    if found is None:
        return 0
    return count_locks(descriptor, start, found[0]) + 1 + count_locks(descriptor, found[1], end)


def _command(descriptor: int, command: int, kind: int, start: int, end: int) -> tuple[int, ...]:
    asked = struct.pack(_FLOCK, kind, os.SEEK_SET, start, end - start, 0)
    return struct.unpack(_FLOCK, fcntl.fcntl(descriptor, command, asked))
