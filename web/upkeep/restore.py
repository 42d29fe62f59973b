"""Restores a site from a backup.

Theory of operation. All checks come before any change: the file, whether it fits this version and this
database, the key, the problem packages, existing data, and connections to the database. Then the database is
replaced in one transaction, then the packages one by one, then the key. Each step can be repeated, so an
interrupted restore is run again with `replace`.

The backup may be older than this version, because `migrate` follows. It must not be newer.
Jobs that were in progress at the time of the backup have expired leases, so workers judge them again.
"""

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db.migrations.loader import MigrationLoader

from web.audit.models import AuditKind
from web.audit.services import log
from web.fleet.models import NodeInvitation
from web.upkeep import packages
from web.upkeep.archive import Reader, reading
from web.upkeep.backup import Say, key_print, this_database, with_progress
from web.upkeep.dump import Database, DumpContent
from web.upkeep.manifest import KEY, DoesNotFit, Manifest, ToolFailed, WouldOverwrite

KEY_BEFORE = "secret-key.before-restore"


@dataclass(frozen=True, slots=True)
class Choices:
    """What to restore, and whether existing data may be overwritten."""

    replace: bool = False
    keep_key: bool = False
    without_problems: bool = False


def check(path: Path) -> Manifest:
    """Verify a backup and return its manifest.

    Raises:
        ArchiveWrong: the file is damaged or not a backup.
    """
    with reading(path) as reader:
        reader.verify()
        return reader.manifest


def restore(path: Path, choices: Choices, say: Say) -> Manifest:
    """Restore this site from a backup, and migrate its database to this version.

    Raises:
        BackupError: the restore failed. Unless the message says otherwise, nothing was changed.
    """
    root, database = settings.WARPCOURT.problems_dir, this_database()
    with reading(path) as reader:
        say(f"Checking {path}")
        reader.verify()
        manifest = reader.manifest
        _refuse_what_does_not_fit(manifest, database)
        key = _key_to_write(reader, keep=choices.keep_key)
        missing, other = packages.differing(manifest.members, root)
        if choices.without_problems:
            missing, other = [], []
        if not choices.replace:
            _refuse_what_is_there(database.content())
            packages.refuse_others(other, root)
        _refuse_while_in_use(database)
        say(f"Restoring the database as it was at {manifest.made:%Y-%m-%d %H:%M:%S} UTC")
        database.load(with_progress(reader.chunks(database.member), say))
        _compare(manifest, database.content())
        if missing or other:
            say(f"Restoring problems: {', '.join(missing + other)}")
            packages.restore(reader, missing + other, root)
        if key is not None:
            _write_key(key)
    say("Migrating the database to this version")
    call_command("migrate", verbosity=0)
    NodeInvitation.objects.all().delete()  # otherwise a token that was used after the backup would work again
    log(None, AuditKind.RESTORE, made=manifest.made.isoformat(), version=manifest.version)
    return manifest


def _refuse_what_does_not_fit(manifest: Manifest, database: Database) -> None:
    if manifest.database != database.kind:
        raise DoesNotFit(
            f"The backup is of a {manifest.database} database, but this site uses {database.kind}. "
            f"Set WARPCOURT_DATABASE_URL to a {manifest.database} database."
        )
    if database.member not in manifest.names():
        raise DoesNotFit(f"The backup does not contain {database.member}. Use another backup.")
    known = MigrationLoader(None).disk_migrations
    unknown = sorted(set(manifest.migrations) - {f"{app}.{name}" for app, name in known})
    if unknown:
        raise DoesNotFit(
            f"The backup was made by version {manifest.version}, which is newer than this version: migration "
            f"{_some(unknown)} is unknown. Install version {manifest.version} or later."
        )


def _refuse_what_is_there(content: DumpContent) -> None:
    if content.rows:
        raise WouldOverwrite(
            f"The database of this site is not empty: it has {content.rows.get('accounts_user', 0)} accounts "
            f"and {content.rows.get('submissions_submission', 0)} submissions. "
            "Take a backup of it, then replace it with --replace."
        )


def _refuse_while_in_use(database: Database) -> None:
    if users := database.users():
        raise WouldOverwrite(
            f"The site or its workers have {users} open database connections. Stop web servers, workers and "
            "node services first."
        )


def _key_to_write(reader: Reader, *, keep: bool) -> bytes | None:
    """The key to write to the data directory, or None to keep the current key."""
    if keep or reader.manifest.key_print == key_print(settings.SECRET_KEY):
        return None
    unzip = f"unzip -p {reader.path} {KEY}"
    if KEY not in reader.manifest.names():
        raise DoesNotFit(
            "The backup does not contain its secret key, and this site has another key. Set "
            "WARPCOURT_SECRET_KEY to the key of the backup. Or keep this site's key with --keep-key: all "
            "users must then sign in again and set up authenticator apps and recovery codes again."
        )
    if settings.WARPCOURT.secret_key:
        raise DoesNotFit(
            f"WARPCOURT_SECRET_KEY is not the key of the backup. Set it to that key ({unzip}). Or keep this "
            "site's key with --keep-key: all users must then sign in again and set up authenticator apps and "
            "recovery codes again."
        )
    return reader.content(KEY)


def _write_key(key: bytes) -> None:
    """Write the key to the data directory, and keep the previous key in another file."""
    place = settings.WARPCOURT.data_dir / KEY
    new = place.with_name(f"{KEY}.new")
    try:
        new.touch(mode=0o600)
        new.write_bytes(key)
        if place.exists():
            place.replace(place.with_name(KEY_BEFORE))
        new.replace(place)
    except OSError as error:
        raise ToolFailed(
            f"The database and the problems are restored, but the secret key is not: {error}. "
            "Make the data directory writable and run the same command again with --replace."
        ) from error


def _compare(manifest: Manifest, content: DumpContent) -> None:
    wrong = [
        f"{table} has {content.rows.get(table, 0)} rows instead of {count}"
        for table, count in manifest.rows.items()
        if content.rows.get(table) != count
    ]
    if wrong:
        raise ToolFailed(
            f"The database was restored, but {_some(wrong)}. Was it written to during the restore?"
        )


def _some(things: list[str], most: int = 5) -> str:
    more = f" and {len(things) - most} more" if len(things) > most else ""
    return ", ".join(things[:most]) + more
