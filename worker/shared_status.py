"""Shares the reason why this worker's children cannot judge with its main process.

Theory of operation. Children are forked from the main process, and only the main process reports the worker
to the database. They share a page of memory with it, created before they are forked. The last text that a
child wrote counts, because all children share one host and most of its failures. A text that is read while it
is written may be truncated until the next read.
"""

import mmap

_BYTES = 1024


class SharedStatus:
    """One text that all processes can read which were forked after it was created."""

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, _BYTES)

    def put(self, text: str) -> None:
        """Store the reason; an empty text clears it."""
        self._page[:] = text.encode(errors="replace")[:_BYTES].ljust(_BYTES, b"\0")

    def read(self) -> str:
        """Return the last text."""
        return self._page[:].rstrip(b"\0").decode(errors="ignore")


shared_status = SharedStatus()
