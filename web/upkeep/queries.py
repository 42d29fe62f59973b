"""Queries about backups, for the doctor and the metrics."""

from datetime import datetime

from django.utils import timezone

from web.upkeep.models import Backup


def last_backup() -> Backup | None:
    """The latest completed backup, or None."""
    return Backup.objects.order_by("-made").first()


def backup_age_s(now: datetime | None = None) -> float | None:
    """The age of the latest backup in seconds, or None if there is none."""
    latest = last_backup()
    return None if latest is None else max(((now or timezone.now()) - latest.made).total_seconds(), 0.0)
