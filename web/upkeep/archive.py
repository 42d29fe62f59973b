"""The file that a backup is: a ZIP of members, and a manifest that says what they must be.

Theory of operation. Members are written in one pass and hashed on the way, so a backup takes no more room
than the file itself. The manifest comes last, and ZIP's own directory behind it: a file that was cut off
has neither. Until it is complete and on the disk it is called NAME.part, so what bears the name is whole.

A backup lies about for months and is carried around. Whoever reads one believes nothing before each member
has the length and the hash that the manifest gives, there are no others, and all names are plain ones.
Anybody can open it with `unzip`, if this program is not at hand.
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
# What ZIP's reader says of a damaged file differs with the damage.
_DAMAGE = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, ValueError)


class Writer:
    """Adds members to a backup that is being made."""

    def __init__(self, package: zipfile.ZipFile) -> None:
        self._package = package
        self.members: list[Member] = []

    def add(self, name: str, chunks: Iterable[bytes], *, packed: bool = True) -> None:
        """Write a member. With `packed` it is compressed, which what is compressed already need not be."""
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
    """Make the backup `path`, readable for its owner alone. Nothing is left of it if the block fails.

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
            f"{part} exists: a backup is being written, or one was interrupted. If none is, delete it."
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
        raise ToolFailed(f"Cannot make {path}: {error}.") from error
    finally:
        part.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Reader:
    """A backup that is there to be read. `manifest` is what it says it is; see `verify`."""

    def __init__(self, path: Path, package: zipfile.ZipFile) -> None:
        self.path = path
        self._package = package
        self.manifest = self._read_manifest()

    def verify(self) -> None:
        """Read all of it.

        Raises:
            ArchiveWrong: it is not what its manifest says. All that is wrong is named.
        """
        there = {entry.filename for entry in self._package.infolist()} - {MANIFEST}
        known = self.manifest.names()
        wrong = [f"{name} is missing" for name in sorted(known - there)]
        wrong += [f"{name} does not belong in it" for name in sorted(there - known)]
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
        """The content of a small member, at once."""
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
                raise ArchiveWrong(f"{self.path} is no backup: its {MANIFEST} is too long.")
            text = self._package.read(entry)
        except KeyError as error:
            raise ArchiveWrong(
                f"{self.path} is a ZIP file, but no backup of Warpcourt: it has no {MANIFEST}."
            ) from error
        except _DAMAGE as error:
            raise ArchiveWrong(f"{self.path} is damaged: {MANIFEST} cannot be read.") from error
        return Manifest.from_json(text)


@contextmanager
def reading(path: Path) -> Iterator[Reader]:
    """Open a backup.

    Raises:
        ArchiveWrong: there is none at `path`.
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
                f"{path} is no backup of Warpcourt, or was cut off: it has no directory at its end."
            ) from error
        with package:
            yield Reader(path, package)
