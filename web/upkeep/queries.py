"""Reads about backups, for the doctor and the metrics."""

from datetime import datetime

from django.utils import timezone

from web.upkeep.models import Backup


def last_backup() -> Backup | None:
    """The latest backup that was completed, None when there never was one."""
    return Backup.objects.order_by("-made").first()


def backup_age_s(now: datetime | None = None) -> float | None:
    """How old the latest backup is, None when there never was one."""
    latest = last_backup()
    return None if latest is None else max(((now or timezone.now()) - latest.made).total_seconds(), 0.0)
