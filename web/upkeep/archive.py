"""The file format of backups: a ZIP file with members and a manifest that lists their sizes and hashes.

Theory of operation. Members are written and hashed in one pass, so a backup needs no space beyond the file
itself. The manifest is the last member, and ZIP's own directory follows it: a truncated file has neither.
The file is called NAME.part until it is complete and on the disk, so a file called NAME is always complete.

A backup is stored for months and copied between hosts. Readers therefore trust no member until each one has
the size and the hash of the manifest, there are no others, and all names are relative paths without dots.
`unzip` can open a backup without this program.
"""

import hashlib
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from web.upkeep.manifest import MANIFEST, ArchiveWrong, Manifest, Member, ToolFailed, WouldOverwrite

CHUNK_BYTES = 1 << 20
_MANIFEST_BYTES = 64 << 20
# ZIP's reader raises different exceptions for different kinds of damage.
_DAMAGE = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, ValueError)


class Writer:
    """Adds members to a new backup."""

    def __init__(self, package: zipfile.ZipFile) -> None:
        self._package = package
        self.members: list[Member] = []

    def add(self, name: str, chunks: Iterable[bytes], *, packed: bool = True) -> None:
        """Write a member. `packed` compresses it; pass False for data that is already compressed."""
        entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        entry.external_attr = 0o600 << 16
        digest, size_bytes = hashlib.sha256(), 0
        with self._package.open(entry, "w", force_zip64=True) as stream:
            for chunk in chunks:
                stream.write(chunk)
                digest.update(chunk)
                size_bytes += len(chunk)
        self.members.append(Member(name, size_bytes, digest.hexdigest()))

    def close(self, manifest: Manifest) -> None:
        """Write the manifest, the last member."""
        self._package.writestr(MANIFEST, manifest.to_json())


@contextmanager
def writing(path: Path) -> Iterator[Writer]:
    """Create the backup `path`, readable only by its owner. If the block fails, no file is left.

    Raises:
        WouldOverwrite: another backup is being written there.
        ToolFailed: the folder cannot be written to, or is full.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise WouldOverwrite(
            f"{part} exists: another backup is running or was interrupted. If none is running, delete it."
        ) from error
    except OSError as error:
        raise ToolFailed(f"Cannot write to {path.parent}: {error.strerror}.") from error
    try:
        with os.fdopen(descriptor, "w+b") as stream:
            with zipfile.ZipFile(stream, "w") as package:
                yield Writer(package)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise ToolFailed(f"Cannot create {path}: {error}.") from error
    finally:
        part.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Reader:
    """An open backup. `manifest` is not verified; see `verify`."""

    def __init__(self, path: Path, package: zipfile.ZipFile) -> None:
        self.path = path
        self._package = package
        self.manifest = self._read_manifest()

    def verify(self) -> None:
        """Read all members and compare them with the manifest.

        Raises:
            ArchiveWrong: they differ. The message lists all differences.
        """
        there = {entry.filename for entry in self._package.infolist()} - {MANIFEST}
        known = self.manifest.names()
        wrong = [f"{name} is missing" for name in sorted(known - there)]
        wrong += [f"{name} is unexpected" for name in sorted(there - known)]
        wrong += [
            f"{member.name} is damaged"
            for member in self.manifest.members
            if member.name in there and not self._intact(member)
        ]
        if wrong:
            raise ArchiveWrong(f"{self.path} is damaged: {'; '.join(wrong)}. Take another backup.")

    def chunks(self, name: str) -> Iterator[bytes]:
        """The content of a member."""
        with self._package.open(name) as stream:
            while chunk := stream.read(CHUNK_BYTES):
                yield chunk

    def content(self, name: str) -> bytes:
        """The content of a small member as one string of bytes."""
        return b"".join(self.chunks(name))

    def _intact(self, member: Member) -> bool:
        digest, size_bytes = hashlib.sha256(), 0
        try:
            for chunk in self.chunks(member.name):
                digest.update(chunk)
                size_bytes += len(chunk)
                if size_bytes > member.size_bytes:
                    return False
        except _DAMAGE:
            return False
        return size_bytes == member.size_bytes and digest.hexdigest() == member.sha256

    def _read_manifest(self) -> Manifest:
        try:
            entry = self._package.getinfo(MANIFEST)
            if entry.file_size > _MANIFEST_BYTES:
                raise ArchiveWrong(f"{self.path} is not a backup: its {MANIFEST} is too long.")
            text = self._package.read(entry)
        except KeyError as error:
            raise ArchiveWrong(
                f"{self.path} is a ZIP file but not a Warpcourt backup: it has no {MANIFEST}."
            ) from error
        except _DAMAGE as error:
            raise ArchiveWrong(f"{self.path} is damaged: its {MANIFEST} is not readable.") from error
        return Manifest.from_json(text)


@contextmanager
def reading(path: Path) -> Iterator[Reader]:
    """Open a backup.

    Raises:
        ArchiveWrong: `path` is not a backup.
    """
    try:
        stream: IO[bytes] = path.open("rb")
    except OSError as error:
        raise ArchiveWrong(f"Cannot read {path}: {error.strerror}.") from error
    with stream:
        try:
            package = zipfile.ZipFile(stream)
        except zipfile.BadZipFile as error:
            raise ArchiveWrong(
                f"{path} is not a Warpcourt backup, or is truncated: it is not a complete ZIP file."
            ) from error
        with package:
            yield Reader(path, package)
