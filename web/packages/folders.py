"""Versions as folders on this host, for code that reads packages from a disk: the judge, and figures.

Theory of operation. Each host unpacks a version once, to `packages/CONTENT_HASH/SLUG` in the data directory.
The folder is written next to its final place and then renamed, so it is complete or absent. If two processes
write the same one, the second finds it there and uses it. Each use reads the files again and compares their
hash. If a full disk or an edit has damaged the folder, it is deleted and unpacked again from the database. A
use updates the folder's time. After a new version is unpacked, the least recently used folders above the
limits of count and size are deleted, except those that were used a moment ago and may have readers.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import structlog
from django.conf import settings

from problems.archive import unpack
from problems.contents import ContentsInvalid, read_folder, write_folder
from web.catalog.models import Problem
from web.packages.models import PackageVersion
from web.packages.queries import read_archive

log = structlog.get_logger(__name__)

KEPT = 100
KEPT_MIB = 128  # half of the data directory of a web server in deploy/compose.yaml
_READING_S = 600.0  # no reader takes longer
_NEW, _OLD = ".new-", ".old-"


class PackageDamaged(Exception):
    """Raised if the archive in the database does not match its hash. Restore it from a backup."""


def root() -> Path:
    """Return the directory of the folders."""
    return settings.WARPCOURT.data_dir / "packages"


def folder_of(problem: Problem, package_id: int | None) -> Path:
    """Return the folder of a version of `problem`; of the live one if `package_id` is None.

    If no version was loaded yet, it is the site's own folder.

    Raises:
        PackageDamaged: the archive does not match its hash.
    """
    wanted = package_id or problem.package_id
    if wanted is None:
        return settings.WARPCOURT.problems_dir / problem.slug
    return unpacked(PackageVersion.objects.defer("archive").get(pk=wanted), problem.slug)


def unpacked(version: PackageVersion, slug: str) -> Path:
    """Return the folder of `version`, unpacked if it is missing. Only this module may write to it.

    Raises:
        PackageDamaged: the archive does not match its hash.
    """
    shelf = root() / version.content_hash
    place = shelf / slug
    if not _is_whole(place, version.content_hash):
        _unpack(version, place)
        _forget_old(keep=shelf)
    os.utime(shelf)
    return place


def _is_whole(place: Path, content_hash: str) -> bool:
    try:
        return read_folder(place).content_hash == content_hash
    except (ContentsInvalid, OSError):
        return False


def _unpack(version: PackageVersion, place: Path) -> None:
    try:
        contents = unpack(read_archive(version), slug=place.name)
    except ContentsInvalid as error:
        raise PackageDamaged(f"{version} of {place.name} cannot be read: {error}") from error
    if contents.content_hash != version.content_hash:
        raise PackageDamaged(f"{version} of {place.name} is not what was frozen; restore a backup")
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=_NEW, dir=place.parent, ignore_cleanup_errors=True) as beside:
        new = write_folder(contents, Path(beside))
        for _ in range(2):
            try:
                new.rename(place)  # fails if the target is a folder with content
            except OSError:
                if _is_whole(place, version.content_hash):
                    return  # another process got there first
                log.warning("package_spoiled", folder=str(place))
                with suppress(FileNotFoundError):  # another process deleted it first
                    place.rename(Path(tempfile.mkdtemp(prefix=_OLD, dir=beside)) / place.name)
            else:
                return
    raise OSError(f"{place} cannot be replaced; remove it")


def _forget_old(*, keep: Path) -> None:
    """Remove the least recently used folders that have no readers."""
    room = KEPT_MIB * 1024 * 1024
    for place, (used, size_bytes, shelf) in enumerate(sorted(_shelves(), reverse=True)):
        room -= size_bytes
        if (place >= KEPT or room < 0) and shelf != keep and used < time.time() - _READING_S:
            shutil.rmtree(shelf, ignore_errors=True)


def _shelves() -> Iterator[tuple[float, int, Path]]:
    """Return the folders: the time of the last use, the size in bytes, the path."""
    for shelf in root().iterdir():
        with suppress(FileNotFoundError):  # another process removes it
            size_bytes = sum(path.lstat().st_size for path in shelf.rglob("*"))
            yield shelf.stat().st_mtime, size_bytes, shelf
