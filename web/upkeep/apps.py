"""The upkeep app."""

from django.apps import AppConfig


class UpkeepConfig(AppConfig):
    """Backups, migrations of a database in use, and the deletion of outdated rows."""

    name = "web.upkeep"
    label = "upkeep"
