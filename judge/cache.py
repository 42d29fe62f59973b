"""Caches compiled artifacts. The key is a hash of everything that can change the compiler's output."""

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from judge.built import Built
from judge.report import KernelResources

MAX_BYTES = 2 * 2**30


class ArtifactCache:
    """Stores artifacts as files in one directory, which only workers write. Several processes can share it.

    When the total size exceeds `max_bytes`, the cache deletes the least recently used artifacts.
    """

    def __init__(self, directory: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self._directory = directory
        self._max_bytes = max_bytes
        directory.mkdir(parents=True, exist_ok=True)

    @staticmethod
    def key(parts: Iterable[str | bytes]) -> str:
        """Return a key for `parts`, a hexadecimal SHA-256.

        Different sequences have different keys.
        """
        digest = hashlib.sha256()
        for part in parts:
            data = part.encode() if isinstance(part, str) else part
            digest.update(len(data).to_bytes(8, "little") + data)
        return digest.hexdigest()

    def get(self, key: str) -> bytes | None:
        """Return the artifact stored under `key`, or None."""
        path = self._directory / key
        try:
            content = path.read_bytes()
            os.utime(path)
        except FileNotFoundError:
            return None
        return content

    def put(self, key: str, artifact: bytes) -> None:
        """Store `artifact`, then delete old artifacts if the cache is too large."""
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


class BuiltCache:
    """Caches complete results of GPU compilations: contents, log, kernels and listings.

    An entry is one file: a line of JSON, then the contents concatenated.
    """

    def __init__(self, artifacts: ArtifactCache) -> None:
        self._artifacts = artifacts

    def get(self, key: str) -> Built | None:
        """Return the result stored under `key`, marked as cached, or None."""
        stored = self._artifacts.get(key)
        if stored is None:
            return None
        head, _, body = stored.partition(b"\n")
        described = json.loads(head)
        contents = []
        for size_bytes in described["sizes"]:
            contents.append(body[:size_bytes])
            body = body[size_bytes:]
        return Built(
            contents=tuple(contents),
            log=described["log"],
            kernels=tuple(KernelResources(**kernel) for kernel in described["kernels"]),
            listings=described["listings"],
            cached=True,
        )

    def put(self, key: str, built: Built) -> None:
        """Store `built`, which must not be a failure. Callers store it again once its listings exist."""
        head = {
            "sizes": [len(content) for content in built.contents],
            "log": built.log,
            "kernels": [asdict(kernel) for kernel in built.kernels],
            "listings": dict(built.listings),
        }
        self._artifacts.put(key, b"\n".join([json.dumps(head).encode(), b"".join(built.contents)]))
