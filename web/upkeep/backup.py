"""Takes a backup of the whole site: database, problem packages, tracks and secret key.

Drafts, sessions and the audit log are in the database. The backup omits what Warpcourt can rebuild: caches,
static files and the messages to workers. It contains the secret key, because the key encrypts the second
factors of users. A backup therefore gives full access to the site, and only its owner can read the file.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils import timezone
from django.utils.crypto import salted_hmac

from web.site.version import version
from web.upkeep import packages
from web.upkeep.archive import writing
from web.upkeep.dump import Database
from web.upkeep.manifest import FORMAT, KEY, Manifest, WouldOverwrite
from web.upkeep.models import Backup
from web.upkeep.postgresql import PostgreSQL
from web.upkeep.sqlite import SQLite

Say = Callable[[str], object]
_SAID_EVERY_S = 5.0
_PRINT_CHARACTERS = 16


@dataclass(frozen=True, slots=True)
class Taken:
    """A backup that was taken."""

    path: Path
    size_bytes: int
    took_s: float
    manifest: Manifest


def this_database() -> Database:
    """The database of this site."""
    if connection.vendor == "postgresql":
        return PostgreSQL(connection)
    return SQLite(Path(connection.settings_dict["NAME"]))


def take(path: Path, *, overwrite: bool = False, with_key: bool = True, say: Say) -> Taken:
    """Write a backup to `path`, and record it in the database.

    Raises:
        BackupError: the backup failed. No file is left.
    """
    if path.exists() and not overwrite:
        raise WouldOverwrite(f"{path} exists. Choose another name, or replace it with --overwrite.")
    began, made, database = time.monotonic(), timezone.now(), this_database()
    with writing(path) as writer:
        say(f"Dumping the database ({database.kind})")
        with database.dumping(path.parent) as dump:
            chunks = with_progress(dump.chunks, say)
            writer.add(database.member, chunks, packed=not dump.packed)
        say(f"Adding the problem packages in {settings.WARPCOURT.problems_dir}")
        for name, source in packages.files(settings.WARPCOURT.problems_dir):
            writer.add(name, [source.read_bytes()])
        if with_key:
            writer.add(KEY, [settings.SECRET_KEY.encode()])
        manifest = Manifest(
            format=FORMAT,
            made=made,
            version=version(),
            database=database.kind,
            migrations=dump.content.migrations,
            rows=dump.content.rows,
            key_print=key_print(settings.SECRET_KEY),
            members=tuple(writer.members),
        )
        writer.close(manifest)
    taken = Taken(path, path.stat().st_size, time.monotonic() - began, manifest)
    Backup.objects.create(
        made=made, name=path.name, size_bytes=taken.size_bytes, took_ms=round(taken.took_s * 1000)
    )
    return taken


def key_print(key: str) -> str:
    """A fingerprint that identifies a secret key without revealing it."""
    return salted_hmac("web.upkeep.key_print", "", secret=key).hexdigest()[:_PRINT_CHARACTERS]


def with_progress(chunks: Iterator[bytes], say: Say) -> Iterator[bytes]:
    """Yield `chunks`, and report the size every few seconds."""
    so_far, last = 0, time.monotonic()
    for chunk in chunks:
        so_far += len(chunk)
        if time.monotonic() - last >= _SAID_EVERY_S:
            last = time.monotonic()
            say(f"  {so_far >> 20} MiB")
        yield chunk
