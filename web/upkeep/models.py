"""The record of backups."""

from django.db import models
from django.utils import timezone

NAME_CHARACTERS = 255


class Backup(models.Model):
    """A completed backup. Its file may have been moved or deleted."""

    made = models.DateTimeField(
        default=timezone.now, db_index=True, help_text="Time of the data in the backup."
    )
    name = models.CharField(max_length=NAME_CHARACTERS)
    size_bytes = models.PositiveBigIntegerField()
    took_ms = models.PositiveBigIntegerField()

    class Meta:
        ordering = ["-made"]

    def __str__(self) -> str:
        return self.name
