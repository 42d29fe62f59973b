"""Packs and unpacks packages as ZIP files, the form in which they are exchanged and stored.

Theory of operation. `pack` is deterministic: names are sorted, and all entries have the same time and mode.
So the same package packed by the same zlib gives the same file. A version is nevertheless identified by
`Contents.content_hash`, which depends on the files and not on the packing.

`unpack` accepts untrusted uploads. Before reading an entry, it checks the size of the archive, the number of
entries, and each name, kind and declared size. Then it reads at most the limit of each entry, whatever size
was declared, so a ZIP bomb uses no more memory than the limit. Nothing is written. Names that lead outside,
links, devices, encrypted entries and duplicate names are refused. None of them is repaired, since a repaired
name could denote another file. Each entry must have a single name. Since Python 3.12, `zipfile` takes
`filename` from an extra field (0x7075, Info-ZIP's Unicode path) if there is one. So the name in use and the
name in the directory are both checked and must be equal, and an extra field with another name is refused on
every Python version.
"""

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator

from problems.contents import (
    DESCRIPTION,
    MAX_CONTENTS_MIB,
    MAX_FILE_KIB,
    MAX_FILES,
    Contents,
    ContentsInvalid,
    check_contents,
    is_ignored,
)

MAX_ARCHIVE_MIB = MAX_CONTENTS_MIB
SUFFIX = ".zip"
MEDIA_TYPE = "application/zip"
_MOST_ENTRIES = 4 * MAX_FILES  # includes folders and leftovers of operating systems
ENTRY = b"PK\1\2"  # begins each entry of the directory. Source: PKWARE APPNOTE 6.3.10, section 4.3.12
_LONG_EXTRA = (
    1024  # bytes of an entry's extra fields; `zipfile` reads them in time that grows with their square
)
_MOST_LONG_EXTRAS = 8  # other data may look like an entry, but not so often
_MOMENT = (1980, 1, 1, 0, 0, 0)  # the earliest that the format knows
_UNIX = 3
_ENCRYPTED = 0x1
_UNICODE_PATH = 0x7075  # Source: PKWARE APPNOTE 6.3.10, section 4.6.9
_PACKED_BY = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
BROKEN = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)


class ArchiveInvalid(ContentsInvalid):
    """Raised if a file is not an archive of a package. The message says what to do."""


def has_long_extras(archive: bytes) -> bool:
    """Whether many entries have longer extra fields than any system writes. Looks at the bytes alone."""
    found = re.finditer(re.escape(ENTRY), archive)
    lengths = (int.from_bytes(archive[entry.start() + 30 : entry.start() + 32], "little") for entry in found)
    return sum(length > _LONG_EXTRA for length in lengths) > _MOST_LONG_EXTRAS


def pack(contents: Contents) -> bytes:
    """Return the package as a ZIP file with one folder, named like the problem.

    Raises:
        ContentsInvalid: the contents are not valid for a package.
    """
    _require_description(check_contents(contents))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        for path, content in sorted(contents.files.items()):
            entry = zipfile.ZipInfo(f"{contents.slug}/{path}", _MOMENT)
            entry.create_system = _UNIX
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, content, compresslevel=9)
    return stream.getvalue()


def unpack(archive: bytes, *, slug: str = "") -> Contents:
    """Return the package in `archive`, with or without a folder around its files.

    `slug` is the problem's name; it defaults to the folder's name. Hidden files and leftovers of operating
    systems are left out.

    Raises:
        ContentsInvalid: it is not an archive of a package, or not safe to unpack.
    """
    if len(archive) > MAX_ARCHIVE_MIB * 1024 * 1024:
        raise ArchiveInvalid(
            f"the archive has more than {MAX_ARCHIVE_MIB} MiB; include only the files of the package"
        )
    if archive.count(ENTRY) > _MOST_ENTRIES:
        # The entries are counted in the bytes, because opening the archive would create an object for each
        # entry.
        raise ArchiveInvalid(
            f"the archive has more than {MAX_FILES} files; include only the files of the package"
        )
    if has_long_extras(archive):
        raise ArchiveInvalid("its entries have unusually long extra fields; pack the folder again")
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as packed:
            files = dict(_files(packed))
    except ContentsInvalid:
        raise
    except BROKEN as error:
        raise ArchiveInvalid(f"this is not a readable ZIP file ({error}); pack the folder again") from error
    inside = "" if DESCRIPTION in files else _folder_of(files)
    contents = Contents(
        slug=slug or inside,
        files={path.removeprefix(f"{inside}/") if inside else path: files[path] for path in sorted(files)},
    )
    _require_description(contents)
    if not contents.slug:
        raise ArchiveInvalid(
            "no folder in the archive names the problem; pack the folder, not its files, or enter a URL name"
        )
    return check_contents(contents)


def _files(packed: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    seen: set[str] = set()
    room = MAX_CONTENTS_MIB * 1024 * 1024
    for entry in packed.infolist():
        check_entry(entry)
        if entry.is_dir() or is_ignored(entry.filename):
            continue
        if entry.filename in seen:
            raise ArchiveInvalid(f"{entry.filename!r} is in the archive twice; pack the folder again")
        seen.add(entry.filename)
        if len(seen) > MAX_FILES:
            raise ArchiveInvalid(
                f"the archive has more than {MAX_FILES} files; include only the files of the package"
            )
        content = _read(packed, entry)
        room -= len(content)
        if room < 0:
            raise ArchiveInvalid(
                f"the files have more than {MAX_CONTENTS_MIB} MiB in total; make them smaller"
            )
        yield entry.filename, content


def check_entry(entry: zipfile.ZipInfo) -> None:
    """Refuse an entry with two names or a name that leads outside, and links, devices and encrypted entries.

    Raises:
        ArchiveInvalid: it is one of these.
    """
    # `orig_filename` is the name in the directory. `filename` is the name that would be written: cut at a
    # NUL, with this system's separators, and since Python 3.12 the name in an extra field, if there is one.
    for name in (entry.orig_filename, entry.filename):
        if _leads_out(name):
            raise ArchiveInvalid(
                f"{name[:80]!r} is not a safe path inside the archive; pack the folder again"
            )
    shown = repr(entry.orig_filename[:80])
    others = {entry.filename, *_unicode_paths(entry.extra)} - {entry.orig_filename}
    if others:
        raise ArchiveInvalid(f"{shown} has a second name, {min(others)[:80]!r}; use plain ASCII names")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in {0, stat.S_IFDIR if entry.is_dir() else stat.S_IFREG}:
        raise ArchiveInvalid(f"{shown} is a link or a special file; replace it with the file itself")
    if entry.flag_bits & _ENCRYPTED:
        raise ArchiveInvalid(f"{shown} is encrypted; pack the folder without a password")
    if entry.compress_type not in _PACKED_BY:
        raise ArchiveInvalid(f"{shown} uses an unsupported compression method; use Deflate")


def _leads_out(name: str) -> bool:
    if set(name) & set("\\:") or not name.isprintable():
        return True
    return any(part in {"", ".", ".."} for part in name.removesuffix("/").split("/"))


def _unicode_paths(extra: bytes) -> Iterator[str]:
    """Return the names in the extra fields of an entry, even if this Python version ignores them."""
    while len(extra) >= 4:
        kind, length = struct.unpack("<HH", extra[:4])
        if kind == _UNICODE_PATH:
            # A version and a CRC of the other name come first. Readers may check or ignore them.
            yield extra[9 : 4 + length].decode("utf-8", "backslashreplace")
        extra = extra[4 + length :]


def _read(packed: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    limit = MAX_FILE_KIB * 1024
    if entry.file_size <= limit:
        with packed.open(entry) as stream:
            content = stream.read(limit + 1)  # the declared size may be wrong
        if len(content) <= limit:
            return content
    raise ArchiveInvalid(f"{entry.filename} has more than {MAX_FILE_KIB} KiB; make it smaller")


def _folder_of(files: dict[str, bytes]) -> str:
    """Return the folder that contains all files; empty if there is none."""
    tops = {path.partition("/")[0] for path in files if "/" in path}
    return tops.pop() if len(tops) == 1 and all("/" in path for path in files) else ""


def _require_description(contents: Contents) -> None:
    if DESCRIPTION not in contents.files:
        raise ArchiveInvalid(f"{DESCRIPTION} is missing; pack the folder of a single problem")
