"""The upkeep app."""

from django.apps import AppConfig


class UpkeepConfig(AppConfig):
    """Backups, migrations of a database in use, and what is thrown away in time."""

    name = "web.upkeep"
    label = "upkeep"
