"""Shares the reason why this worker's children cannot judge with its main process.

Theory of operation. Children are forked from the main process and report nothing: it alone tells the
database about the worker. They share a page of memory with it, made before they are forked. The last child
that has something to say is heard; all of them share one host, and so most of its troubles. A text that is
written while it is read may be cut, until the next look.
"""

import mmap

_BYTES = 1024


class SharedStatus:
    """One text that all processes see which were forked after it was made."""

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, _BYTES)

    def put(self, text: str) -> None:
        """Say what is wrong, or by an empty text that nothing is any more."""
        self._page[:] = text.encode(errors="replace")[:_BYTES].ljust(_BYTES, b"\0")

    def read(self) -> str:
        """Return the last text."""
        return self._page[:].rstrip(b"\0").decode(errors="ignore")


shared_status = SharedStatus()
