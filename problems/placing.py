"""Writes files by untrusted names, never outside the given folder.

Theory of operation. A name is split at its slashes, and each part is opened relative to the descriptor of the
folder before it, with `openat` and without following links. No path is built from a name, so neither `..` nor
an absolute name nor a link created concurrently can lead outside. Files are created, never overwritten.
"""

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class NameRefused(OSError):
    """Raised if a name does not denote a file below the folder. Nothing was written."""

    def __init__(self, name: str) -> None:
        super().__init__(errno.EINVAL, f"{name[:80]!r} is not the name of a file below the folder")


class HeldFolder:
    """An open folder, below which files are written. `placing` opens it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, name: str, chunks: Iterable[bytes]) -> None:
        """Create the file `name`, such as `solutions/plain.cu`, and its parent folders.

        Raises:
            NameRefused: the name has a part that is empty, `.` or `..`, or a NUL.
            FileExistsError: it already exists.
            OSError: a part of the path is a link or a file, or writing failed. A partial file remains.
        """
        *folders, last = parts = name.split("/")
        if any(part in {"", ".", ".."} for part in parts) or "\0" in name:
            raise NameRefused(name)
        holder = os.dup(self._descriptor)
        try:
            for part in folders:
                with suppress(FileExistsError):
                    os.mkdir(part, 0o755, dir_fd=holder)
                inner = os.open(part, _FOLDER, dir_fd=holder)
                os.close(holder)
                holder = inner
            with os.fdopen(os.open(last, _NEW_FILE, 0o644, dir_fd=holder), "wb") as stream:
                stream.writelines(chunks)
        finally:
            os.close(holder)


@contextmanager
def placing(folder: Path) -> Iterator[HeldFolder]:
    """Create `folder`, which must not exist, and its missing parents, and keep it open.

    Raises:
        FileExistsError: it already exists.
        OSError: the folder cannot be created.
    """
    folder.mkdir(parents=True)
    descriptor = os.open(folder, _FOLDER)
    try:
        yield HeldFolder(descriptor)
    finally:
        os.close(descriptor)
