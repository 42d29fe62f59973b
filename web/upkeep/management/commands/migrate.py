"""`manage.py migrate`: Django's, for a database that is in use; see `web.upkeep.migrating`.

When all migrations are applied, it fills tables that follow from others and that the version before does not
write. Migrations do not change rows, because a large table takes long.
"""

from typing import Any

from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS, connections

from web.submissions import best
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
        if options["app_label"] is None and options["database"] == DEFAULT_DB_ALIAS and not options["fake"]:
            filled = best.fill()
            if filled and options["verbosity"]:
                self.stdout.write(f"Filled the boards of scores: {filled} results of a user on a problem")
