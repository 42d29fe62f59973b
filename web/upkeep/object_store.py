"""Copies of backups in an S3 bucket.

boto3 is optional: its lock is deploy/requirements/s3.txt, and only this module imports it. It reads the
credentials, the region and the address of the service from its own environment variables and files, such as
`AWS_ACCESS_KEY_ID` and `AWS_ENDPOINT_URL_S3`.

This module deletes nothing from a bucket, so the site's credentials need no right to delete. They can still
replace an object: only versioning of the bucket keeps earlier backups from an attacker. A lifecycle rule of
the bucket removes old ones.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.utils import timezone

from web.upkeep.manifest import ArchiveWrong, BackupError, ToolFailed

SCHEME = "s3://"
_INSTALL = ".venv/bin/pip install --require-hashes --no-deps -r deploy/requirements/s3.txt"
# Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX = "warpcourt-"
_NAME = f"{_PREFIX}%Y%m%dT%H%M%SZ.zip"
_CLOCKS_DIFFER = timedelta(minutes=5)


class LocationWrong(BackupError):
    """Raised when an address does not have the form s3://BUCKET/KEY."""


@dataclass(frozen=True, slots=True)
class Location:
    """An object, or a folder of objects if `key` is empty or ends with a slash."""

    bucket: str
    key: str

    def __str__(self) -> str:
        return f"{SCHEME}{self.bucket}/{self.key}"

    @property
    def is_folder(self) -> bool:
        """Return whether it names a folder."""
        return not self.key or self.key.endswith("/")

    @classmethod
    def parse(cls, text: str) -> "Location":
        """Parse `s3://bucket/key`.

        Raises:
            LocationWrong: `text` does not have this form.
        """
        bucket, _, key = text.removeprefix(SCHEME).partition("/")
        if not text.startswith(SCHEME) or not _BUCKET.fullmatch(bucket) or key.startswith("/"):
            raise LocationWrong(f"{text} is not an address of S3. Use s3://BUCKET/FOLDER/.")
        return cls(bucket, key)


def upload(path: Path, target: Location) -> Location:
    """Copy a backup to `target`, and return its location. In a folder it keeps its name.

    Raises:
        ToolFailed: the service refused it, or does not respond.
    """
    place = Location(target.bucket, f"{target.key}{path.name}") if target.is_folder else target
    with _client(place) as client:
        client.upload_file(str(path), place.bucket, place.key, ExtraArgs={"ChecksumAlgorithm": "SHA256"})
        stored = client.head_object(Bucket=place.bucket, Key=place.key)["ContentLength"]
    size_bytes = path.stat().st_size
    if stored != size_bytes:
        raise ToolFailed(f"{place} has {stored} bytes instead of {size_bytes}. Take the backup again.")
    return place


@contextmanager
def downloaded(source: Location, folder: Path) -> Iterator[Path]:
    """Copy a backup to a file below `folder`, which only its owner can read, and delete it afterwards.

    From a folder it takes the latest regular backup.

    Raises:
        ArchiveWrong: the folder holds no regular backup.
        ToolFailed: the service refused it, or does not respond, or the disk is full.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder, prefix="restore.") as own:  # with mode 0700
        with _client(source) as client:
            place = _latest(client, source) if source.is_folder else source
            path = Path(own) / (place.key.rpartition("/")[2] or "backup.zip")
            client.download_file(place.bucket, place.key, str(path))
        yield path


def _latest(client: Any, source: Location) -> Location:
    pages = client.get_paginator("list_objects_v2").paginate(
        Bucket=source.bucket, Prefix=f"{source.key}{_PREFIX}", Delimiter="/"
    )
    keys = (entry["Key"] for page in pages for entry in page.get("Contents", ()))
    latest = max((key for key in keys if _is_regular(key.removeprefix(source.key))), default=None)
    if latest is None:
        raise ArchiveWrong(f"{source} contains no backup. Name a file: {source}NAME.zip")
    return Location(source.bucket, latest)


def _is_regular(name: str) -> bool:
    """Return whether it is the name of a regular backup, of a time that is not in the future."""
    try:
        made = datetime.strptime(name, _NAME).replace(tzinfo=UTC)
    except ValueError:
        return False
    return made <= timezone.now() + _CLOCKS_DIFFER


@contextmanager
def _client(place: Location) -> Iterator[Any]:
    """A client of the service, whose errors become `ToolFailed`."""
    try:
        import boto3  # noqa: PLC0415 - optional
        from boto3.exceptions import Boto3Error  # noqa: PLC0415
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415
    except ImportError as error:
        raise ToolFailed(f"Backups to S3 need boto3. Install it: {_INSTALL}") from error
    try:
        yield boto3.session.Session().client("s3")
    except (Boto3Error, BotoCoreError, ClientError, OSError, ValueError) as error:
        raise ToolFailed(
            f"S3 failed at {place}: {error}. Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, "
            "AWS_DEFAULT_REGION and AWS_ENDPOINT_URL_S3, the rights of the key, and the name of the bucket."
        ) from error
