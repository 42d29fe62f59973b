"""`manage.py migrate`: Django's, for a database that is in use; see `web.upkeep.migrating`."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

from web.upkeep.migrating import retry_on_lock


class Command(migrate.Command):
    def handle(self, *arguments: Any, **options: Any) -> None:
        if options["plan"] or options["check_unapplied"]:
            super().handle(*arguments, **options)
            return
        applied = super().handle
        retry_on_lock(
            connections[options["database"]], lambda: applied(*arguments, **options), self.stderr.write
        )
