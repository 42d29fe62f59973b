"""Checks and unpacks a set of problems in a ZIP file for an importer.

Theory of operation. As in `problems.archive`, names, kinds and declared sizes are checked before anything is
read, at most the limit of each entry is read, and nothing is repaired. A set has more files than a package,
and folders in folders; only plain files with plain relative names are written, into a new folder, below its
descriptor (`problems.placing`), so a name cannot lead elsewhere.
"""

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from problems.archive import BROKEN, ENTRY, ArchiveInvalid, check_entry, has_long_extras
from problems.contents import is_ignored
from problems.placing import NameRefused, placing

MAX_SET_MIB = 32  # of the file
MAX_UNPACKED_MIB = 128
MAX_SET_FILES = 5000
MAX_SET_FILE_KIB = 2048
MAX_DEPTH = 10
_MOST_ENTRIES = 3 * MAX_SET_FILES


class SetInvalid(ValueError):
    """Raised if a file is not an archive of a set. The message says what to do."""


def check_set(archive: bytes) -> None:
    """Check names, kinds and declared sizes, without reading any file.

    Raises:
        SetInvalid: it is not a ZIP file, or not safe to unpack.
    """
    with _opened(archive) as packed:
        _entries(packed)


@contextmanager
def unpacked_set(archive: bytes) -> Iterator[Path]:
    """Unpack the set into a temporary folder, which is removed after the block.

    Raises:
        SetInvalid: it is not a ZIP file, or not safe to unpack.
    """
    with TemporaryDirectory(prefix="warpcourt-set-") as base:
        folder = Path(base, "set")
        with _opened(archive) as packed, placing(folder) as place:
            room = MAX_UNPACKED_MIB * 2**20
            for entry in _entries(packed):
                content = _read(packed, entry)
                room -= len(content)
                if room < 0:
                    raise SetInvalid(
                        f"the files have more than {MAX_UNPACKED_MIB} MiB in total; import it in parts"
                    )
                try:
                    place.write(entry.filename, (content,))
                except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
                    raise SetInvalid(f"{entry.filename!r} is a file and a folder; pack it again") from error
                except NameRefused as error:
                    raise SetInvalid(
                        f"{entry.filename[:80]!r} is not a safe path inside the archive"
                    ) from error
        yield folder


@contextmanager
def _opened(archive: bytes) -> Iterator[zipfile.ZipFile]:
    # The entries are counted in the bytes, because opening the archive would create an object for each entry.
    if archive.count(ENTRY) > _MOST_ENTRIES:
        raise SetInvalid(f"the archive has more than {MAX_SET_FILES} files; import it in parts")
    if has_long_extras(archive):
        raise SetInvalid("its entries have unusually long extra fields; pack the folder again")
    try:
        packed = zipfile.ZipFile(io.BytesIO(archive))
    except BROKEN as error:
        raise SetInvalid(f"this is not a readable ZIP file ({error}); pack the folder again") from error
    with packed:
        yield packed


def _entries(packed: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Yield the files to unpack, each once."""
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in packed.infolist():
        try:
            check_entry(entry)
        except ArchiveInvalid as error:
            raise SetInvalid(str(error)) from error
        if entry.is_dir() or is_ignored(entry.filename):
            continue
        name = entry.filename
        if name in found:
            raise SetInvalid(f"{name[:80]!r} is in the archive twice; pack the folder again")
        if name.count("/") >= MAX_DEPTH or len(name) > 240:
            raise SetInvalid(f"{name[:80]!r} is nested too deeply; pack only the folder of the set")
        if entry.file_size > MAX_SET_FILE_KIB * 1024:
            raise SetInvalid(f"{name[:80]!r} has more than {MAX_SET_FILE_KIB} KiB; remove it")
        found[name] = entry
    if len(found) > MAX_SET_FILES:
        raise SetInvalid(f"the archive has more than {MAX_SET_FILES} files; import it in parts")
    if sum(entry.file_size for entry in found.values()) > MAX_UNPACKED_MIB * 2**20:
        raise SetInvalid(f"the files have more than {MAX_UNPACKED_MIB} MiB in total; import it in parts")
    return list(found.values())


def _read(packed: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    limit = MAX_SET_FILE_KIB * 1024
    try:
        with packed.open(entry) as stream:
            content = stream.read(limit + 1)  # the declared size may be wrong
    except BROKEN as error:
        raise SetInvalid(f"{entry.filename[:80]!r} cannot be unpacked ({error}); pack it again") from error
    if len(content) > limit:
        raise SetInvalid(f"{entry.filename[:80]!r} has more than {MAX_SET_FILE_KIB} KiB; remove it")
    return content
