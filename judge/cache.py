"""Compiled artifacts by content: the key is a hash of all that can change what the compiler yields."""

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

MAX_BYTES = 2 * 2**30


class ArtifactCache:
    """Files in one directory that only the worker writes. Safe between processes.

    The least recently used artifacts go when the total passes `max_bytes`.
    """

    def __init__(self, directory: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self._directory = directory
        self._max_bytes = max_bytes
        directory.mkdir(parents=True, exist_ok=True)

    @staticmethod
    def key(parts: Iterable[str | bytes]) -> str:
        """A key for `parts`; no two different sequences of parts share one."""
        digest = hashlib.sha256()
        for part in parts:
            data = part.encode() if isinstance(part, str) else part
            digest.update(len(data).to_bytes(8, "little") + data)
        return digest.hexdigest()

    def get(self, key: str) -> bytes | None:
        """The artifact stored under `key`, or None."""
        path = self._directory / key
        try:
            content = path.read_bytes()
            os.utime(path)
        except FileNotFoundError:
            return None
        return content

    def put(self, key: str, artifact: bytes) -> None:
        """Store `artifact`, then make room."""
        with tempfile.NamedTemporaryFile(dir=self._directory, prefix=".new-", delete=False) as file:
            file.write(artifact)
        Path(file.name).replace(self._directory / key)
        self._evict()

    def _evict(self) -> None:
        entries: list[tuple[float, int, Path]] = []
        for path in self._directory.iterdir():
            with contextlib.suppress(FileNotFoundError):
                stat = path.stat()
                entries.append((stat.st_mtime, stat.st_size, path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self._max_bytes:
                return
            path.unlink(missing_ok=True)
            total -= size
