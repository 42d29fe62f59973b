"""Reads the output of a sandboxed program while it runs, up to a bound."""

import os
import selectors

_CHUNK_BYTES = 65536


class Stream:
    """One pipe from a program: the first `keep_bytes` of it, and a count of all that came."""

    def __init__(self, descriptor: int, *, keep_bytes: int) -> None:
        os.set_blocking(descriptor, False)
        self.descriptor = descriptor
        self.kept = bytearray()
        self.seen_bytes = 0
        self.open = True
        self._keep_bytes = keep_bytes

    def read(self) -> bool:
        """Read at most one chunk of the available output. Returns False if the pipe has ended or is empty."""
        try:
            data = os.read(self.descriptor, _CHUNK_BYTES)
        except BlockingIOError:
            return False
        if not data:
            self.close()
            return False
        self.seen_bytes += len(data)
        self.kept += data[: self._keep_bytes - len(self.kept)]
        return True

    def close(self) -> None:
        """Close our end, once."""
        if self.open:
            self.open = False
            os.close(self.descriptor)


class Drain:
    """Both output pipes of a program. Output beyond the bounds is read, dropped and counted."""

    def __init__(self, stdout: int, stderr: int, *, keep_bytes: int, flood_bytes: int) -> None:
        self.stdout = Stream(stdout, keep_bytes=keep_bytes)
        self.stderr = Stream(stderr, keep_bytes=keep_bytes)
        self._flood_bytes = flood_bytes

    @property
    def flooded(self) -> bool:
        """Whether the program wrote more than any honest program would."""
        return self.stdout.seen_bytes + self.stderr.seen_bytes > self._flood_bytes

    @property
    def dropped_bytes(self) -> int:
        """The number of bytes that were read and dropped."""
        return sum(stream.seen_bytes - len(stream.kept) for stream in (self.stdout, self.stderr))

    def register(self, selector: selectors.BaseSelector) -> None:
        """Register each pipe with `selector`, with its Stream as data."""
        for stream in (self.stdout, self.stderr):
            selector.register(stream.descriptor, selectors.EVENT_READ, stream)

    def finish(self) -> None:
        """Read the rest after every writer is dead, and close the pipes."""
        for stream in (self.stdout, self.stderr):
            while stream.open and stream.read():
                pass
            stream.close()
