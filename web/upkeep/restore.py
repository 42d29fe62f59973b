"""Brings a site back from a backup.

Theory of operation. Everything that can be wrong is looked for before anything is changed: the file, whether
this version and this database can take it, the key, the problem packages, what is in the way, and who still
uses the database. Then the database is replaced, all or nothing; then the packages, one by one; then the
key. Each step may be repeated, so a restore that was interrupted is run again, with `replace`.

What the backup holds may be older than this version: `migrate` follows. It may not be newer.
Jobs that were being judged at the moment of the backup have leases that are over, so workers take them anew.
"""

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db.migrations.loader import MigrationLoader

from web.audit.models import AuditKind
from web.audit.services import log
from web.upkeep import packages
from web.upkeep.archive import Reader, reading
from web.upkeep.backup import Say, key_print, this_database, with_progress
from web.upkeep.dump import Database, DumpContent
from web.upkeep.manifest import KEY, DoesNotFit, Manifest, ToolFailed, WouldOverwrite

KEY_BEFORE = "secret-key.before-restore"


@dataclass(frozen=True, slots=True)
class Choices:
    """What to bring back, and whether what is there may be overwritten."""

    replace: bool = False
    keep_key: bool = False
    without_problems: bool = False


def check(path: Path) -> Manifest:
    """Read all of a backup, and say what it is.

    Raises:
        ArchiveWrong: it is damaged, or none.
    """
    with reading(path) as reader:
        reader.verify()
        return reader.manifest


def restore(path: Path, choices: Choices, say: Say) -> Manifest:
    """Make this site what it was when the backup was taken, and bring its database up to this version.

    Raises:
        BackupError: it is not restored. Unless the message says otherwise nothing was changed.
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
    say("Bringing the database up to this version")
    call_command("migrate", verbosity=0)
    log(None, AuditKind.RESTORE, made=manifest.made.isoformat(), version=manifest.version)
    return manifest


def _refuse_what_does_not_fit(manifest: Manifest, database: Database) -> None:
    if manifest.database != database.kind:
        raise DoesNotFit(
            f"The backup is of a {manifest.database} database, and this site uses {database.kind}. "
            "Set WARPCOURT_DATABASE_URL to a database of that kind."
        )
    if database.member not in manifest.names():
        raise DoesNotFit(f"The backup holds no {database.member}.")
    known = MigrationLoader(None).disk_migrations
    unknown = sorted(set(manifest.migrations) - {f"{app}.{name}" for app, name in known})
    if unknown:
        raise DoesNotFit(
            f"The backup was made by version {manifest.version}, which is newer than this one: "
            f"{_some(unknown)} is unknown here. Install that version or a later one."
        )


def _refuse_what_is_there(content: DumpContent) -> None:
    if content.rows:
        raise WouldOverwrite(
            f"The database of this site is not empty: it has {content.rows.get('accounts_user', 0)} accounts "
            f"and {content.rows.get('submissions_submission', 0)} submissions. "
            "Take a backup of it, then replace all of it with --replace."
        )


def _refuse_while_in_use(database: Database) -> None:
    if users := database.users():
        raise WouldOverwrite(
            f"{users} connections of the site or its workers use the database. Stop web servers, workers and "
            "node services first."
        )


def _key_to_write(reader: Reader, *, keep: bool) -> bytes | None:
    """The key to put into the data directory, None where it is there or is to stay."""
    if keep or reader.manifest.key_print == key_print(settings.SECRET_KEY):
        return None
    unzip = f"unzip -p {reader.path} {KEY}"
    if KEY not in reader.manifest.names():
        raise DoesNotFit(
            "The backup was taken without its secret key, and the key of this site is another one. Set "
            "WARPCOURT_SECRET_KEY to that of the backup. Or go on without it, by --keep-key: then all "
            "users must sign in again and set up authenticator apps and recovery codes again."
        )
    if settings.WARPCOURT.secret_key:
        raise DoesNotFit(
            f"WARPCOURT_SECRET_KEY is not the key of the backup. Set it to that ({unzip}). Or keep yours, by "
            "--keep-key: then all users must sign in again and set up authenticator apps and recovery codes "
            "again."
        )
    return reader.content(KEY)


def _write_key(key: bytes) -> None:
    """Put the key into the data directory, beside the one before."""
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
            "Make the data directory writable and run the same command again, with --replace."
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
