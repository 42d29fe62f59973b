"""The files of a package as values: reads them from a folder, writes them, and hashes them.

This module does not check whether a package is valid; `loader` does, and a draft that does not load has
contents too. It only checks that the files are safe to store and write: regular files with plain names,
bounded in number and size.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from problems.placing import placing

DESCRIPTION = "problem.toml"
MAX_FILES = 200
MAX_FILE_KIB = 256  # of a figure; the loader has a lower limit for texts
MAX_CONTENTS_MIB = 16
MAX_SLUG_CHARACTERS = 60
_SLUG = re.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*")
_NAME = re.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_HASH_SCHEME = b"warpcourt contents 1\n"  # increase the number if the meaning of a hash changes


class ContentsInvalid(ValueError):
    """Raised if files are not valid for a package. The message says what to do."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The files of a package by their path below its folder, such as `solutions/plain.cu`."""

    slug: str
    files: Mapping[str, bytes]

    @property
    def content_hash(self) -> str:
        """A SHA-256 over paths and bytes: equal for two packages if and only if all files are equal.

        It does not depend on the slug or on the packing of an archive.
        """
        digest = hashlib.sha256(_HASH_SCHEME)
        for path, content in sorted(self.files.items()):
            name = path.encode()
            digest.update(len(name).to_bytes(8, "big") + name + len(content).to_bytes(8, "big") + content)
        return digest.hexdigest()


def is_slug(text: str) -> bool:
    """Return whether `text` is a valid problem name: lower-case words joined by hyphens."""
    return len(text) <= MAX_SLUG_CHARACTERS and _SLUG.fullmatch(text) is not None


def is_ignored(path: str) -> bool:
    """Return whether a file is ignored: a leftover of an editor, an operating system or Python."""
    return any(part.startswith((".", "__pycache__", "__MACOSX")) for part in path.split("/"))


def check_path(path: str) -> None:
    """Refuse an invalid path of a file in a package. Valid are `name` and `folder/name` in plain characters.

    Raises:
        ContentsInvalid: the path leads outside, is too deep, or would denote another file on another system.
    """
    parts = path.split("/")
    if len(parts) > 2:
        raise ContentsInvalid(f"{_shown(path)} is nested too deeply; a package has one level of folders")
    if not all(_NAME.fullmatch(part) for part in parts):
        raise ContentsInvalid(
            f"{_shown(path)} is not a valid file name in a package; use only letters, digits and . _ -"
        )


def check_contents(contents: Contents) -> Contents:
    """Return `contents` if they are safe to store and write.

    Raises:
        ContentsInvalid: a name, a path, a size or the number of files is not valid for a package.
    """
    if not is_slug(contents.slug):
        raise ContentsInvalid(
            f"{_shown(contents.slug)} is not a valid slug; use lower-case words joined by hyphens"
        )
    if len(contents.files) > MAX_FILES:
        raise ContentsInvalid(f"there are {len(contents.files)} files; at most {MAX_FILES} are allowed")
    folders = {path.partition("/")[0].lower() for path in contents.files if "/" in path}
    known: dict[str, str] = {}
    for path, content in contents.files.items():
        check_path(path)
        if len(content) > MAX_FILE_KIB * 1024:
            raise ContentsInvalid(f"{path} has {len(content)} bytes; at most {MAX_FILE_KIB} KiB are allowed")
        if path.lower() in folders:
            raise ContentsInvalid(f"{path} is both a file and a folder; rename one of them")
        if (other := known.setdefault(path.lower(), path)) != path:
            raise ContentsInvalid(f"{other} and {path} are the same file on some systems; rename one of them")
    if sum(map(len, contents.files.values())) > MAX_CONTENTS_MIB * 1024 * 1024:
        raise ContentsInvalid(f"the files have more than {MAX_CONTENTS_MIB} MiB in total; make them smaller")
    return contents


def read_folder(folder: Path) -> Contents:
    """Return the contents of the package in `folder`, named like the slug. No link is followed.

    Raises:
        ContentsInvalid: an entry is not a regular file or is too large.
        OSError: the folder cannot be read.
    """
    if folder.is_symlink() or not folder.is_dir():
        raise ContentsInvalid(f"{folder.name} must be a folder, not a symbolic link")
    files: dict[str, bytes] = {}
    for path in _paths(folder):
        if len(files) == MAX_FILES:
            raise ContentsInvalid(f"{folder.name} has more than {MAX_FILES} files; remove some")
        name = path.relative_to(folder).as_posix()
        files[name] = read_plain(path, name)
    return check_contents(Contents(folder.name, files))


def write_folder(contents: Contents, parent: Path) -> Path:
    """Write the package into a new folder below `parent`, and return its path.

    Raises:
        ContentsInvalid: the contents are not safe to write.
        FileExistsError: the folder already exists.
    """
    folder = parent / check_contents(contents).slug
    with placing(folder) as place:
        for name, content in contents.files.items():
            place.write(name, (content,))
    return folder


@contextmanager
def as_folder(contents: Contents) -> Iterator[Path]:
    """Yield a temporary folder with the files, for code that reads packages from a disk.

    Raises:
        ContentsInvalid: the contents are not safe to write.
    """
    with TemporaryDirectory(prefix="warpcourt-package-") as parent:
        yield write_folder(contents, Path(parent))


def read_plain(path: Path, name: str) -> bytes:
    """Return the bytes of one regular file, without following a link. Error messages call it `name`.

    Raises:
        ContentsInvalid: the file is not regular, cannot be read, or is too large.
    """
    try:
        # With O_NONBLOCK, opening a FIFO does not block. It has no effect on a regular file.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise ContentsInvalid(
            f"{name} cannot be read ({error.strerror}); it must be a regular file, not a link"
        ) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ContentsInvalid(f"{name} must be a regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            content = stream.read(MAX_FILE_KIB * 1024 + 1)
    finally:
        os.close(descriptor)
    if len(content) > MAX_FILE_KIB * 1024:
        raise ContentsInvalid(f"{name} has more than {MAX_FILE_KIB} KiB; make it smaller")
    return content


def _paths(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if is_ignored(path.name):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from (inner for inner in sorted(path.iterdir()) if not is_ignored(inner.name))
        else:
            yield path


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else f"{text[:77]}...")
