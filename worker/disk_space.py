"""Checks whether this host has enough disk space to judge.

Theory of operation. On a full disk correct programs fail: an artifact is truncated, or a container does not
start. So a worker checks before each claim, and claims nothing while there is too little space. It checks
again if a judgement ended with any verdict but `accepted`. Sandboxes write to their own memory, so no
submission can fill a disk of the host.
"""

import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from web.config import Config

_FULL = {errno.ENOSPC, errno.EDQUOT}
# Free space below which recent results cannot be trusted, as a share of what a claim needs.
_EXHAUSTED = 4


def shortage(config: Config) -> str:
    """Return which folder has too little free space to start a job, and the fix; empty if none."""
    return _shortage(config, config.min_free_mib)


def exhausted(config: Config) -> str:
    """Return which folder has so little free space that it may have caused the last failure, and the fix."""
    return _shortage(config, config.min_free_mib // _EXHAUSTED)


def is_disk_full(error: BaseException) -> bool:
    """Return whether `error`, or one of its causes, means that a disk is full."""
    return any(isinstance(one, OSError) and one.errno in _FULL for one in _chain(error))


def _shortage(config: Config, least_mib: int) -> str:
    for variable, folder in _folders(config):
        free_mib = _free_mib(folder)
        if free_mib < least_mib:
            return (
                f"{folder} has {free_mib} MiB free; judging needs {least_mib}. Free space there, "
                f"or point {variable} to another disk"
            )
    return ""


def _folders(config: Config) -> Iterator[tuple[str, Path]]:
    yield "WARPCOURT_DATA_DIR", config.data_dir
    yield "WARPCOURT_RUNTIME_DIR", config.runtime_dir
    yield "TMPDIR", Path(tempfile.gettempdir())


def _free_mib(folder: Path) -> int:
    """Return the space for an unprivileged user on the file system of `folder` or its parent."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    found = os.statvfs(there)
    return found.f_bavail * found.f_frsize >> 20


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
