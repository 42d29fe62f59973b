"""The local folder of a problem, and its state at the last pull.

`.warpcourt.json` in the folder names the site, the problem, the revision, and a digest of every file, so that
`push` sends only local changes, and `pull` does not overwrite them.
"""

import base64
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

STATE = ".warpcourt.json"
_PATH = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_.-]*/)?[A-Za-z0-9_][A-Za-z0-9_.-]*")
_MOST_BYTES = 600_000  # of one request, in base64; sites take a megabyte
_IGNORED = (".", "__pycache__")


class FolderUnusable(Exception):
    """Raised when a folder is not a problem folder or cannot be sent. The message says what to do."""


@dataclass(frozen=True, slots=True)
class Pulled:
    """The state of a folder when it was last in sync with the site."""

    url: str
    slug: str
    revision: int
    digests: Mapping[str, str]

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Load the state of `folder`.

        Raises:
            FolderUnusable: no problem was pulled there.
        """
        try:
            body = json.loads((folder / STATE).read_text())
            return cls(str(body["url"]), str(body["slug"]), int(body["revision"]), dict(body["files"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FolderUnusable(
                f"{folder} is not a problem folder. Run: warpcourt problem pull SLUG, "
                "or warpcourt problem push --create SLUG for a new problem"
            ) from error

    def save(self, folder: Path) -> None:
        """Store the state in `folder`."""
        body = {"url": self.url, "slug": self.slug, "revision": self.revision, "files": dict(self.digests)}
        (folder / STATE).write_text(json.dumps(body, indent=1) + "\n")


def digest(content: bytes) -> str:
    """The SHA-256 digest of a file's contents."""
    return hashlib.sha256(content).hexdigest()


def read_files(folder: Path) -> dict[str, bytes]:
    """All files of the package in `folder`, by path. Hidden files are ignored.

    Raises:
        FolderUnusable: the folder cannot be read, or a name is invalid in a package.
    """
    found: dict[str, bytes] = {}
    try:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if any(part.startswith(_IGNORED) for part in name.split("/")) or path.is_dir():
                continue
            if path.is_symlink() or not path.is_file() or not _PATH.fullmatch(name):
                raise FolderUnusable(f"{name} does not belong to a problem package. Move it out of {folder}.")
            found[name] = path.read_bytes()
    except OSError as error:
        raise FolderUnusable(f"Cannot read {folder}: {error}") from error
    if "problem.toml" not in found:
        raise FolderUnusable(f"{folder} is not a problem folder: it has no problem.toml.")
    return found


def received(files: list[dict[str, Any]]) -> dict[str, bytes]:
    """The contents of files from the site, by path. Refuses paths that leave the folder.

    Raises:
        FolderUnusable: a path is invalid in a package.
    """
    for entry in files:
        if not _PATH.fullmatch(entry["path"]):
            raise FolderUnusable(
                f"The site sent an invalid file name, {entry['path'][:80]!r}. Nothing was written."
            )
    return {
        entry["path"]: entry["text"].encode()
        if entry["text"] is not None
        else base64.b64decode(entry["base64"])
        for entry in files
    }


def changed_here(files: Mapping[str, bytes], pulled: Pulled) -> dict[str, bytes | None]:
    """The files that were changed, added or removed (None) in the folder since the last sync."""
    news: dict[str, bytes | None] = dict.fromkeys(path for path in pulled.digests if path not in files)
    return news | {path: data for path, data in files.items() if pulled.digests.get(path) != digest(data)}


def write_files(folder: Path, files: Mapping[str, bytes], gone: set[str]) -> None:
    """Write `files` to the folder, and delete the files in `gone`.

    Raises:
        FolderUnusable: the folder is not writable.
    """
    try:
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        for name in gone:
            if _PATH.fullmatch(name):
                (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise FolderUnusable(f"Cannot write to {folder}: {error}") from error


def in_batches(changes: Mapping[str, bytes | None]) -> Iterator[list[dict[str, Any]]]:
    """`changes` in the format of the API, split into requests of limited size."""
    batch: list[dict[str, Any]] = []
    room = _MOST_BYTES
    for path, data in sorted(changes.items()):
        packed = "" if data is None else base64.b64encode(data).decode()
        if batch and len(packed) > room:
            yield batch
            batch, room = [], _MOST_BYTES
        batch.append({"path": path} if data is None else {"path": path, "base64": packed})
        room -= len(packed)
    if batch:
        yield batch


def packed(slug: str, files: Mapping[str, bytes]) -> bytes:
    """The files as a ZIP file with one folder."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(f"{slug}/{path}", content)
    return stream.getvalue()
