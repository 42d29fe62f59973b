"""Finds migrations that are unsafe while the site is in use, and those that the running version breaks on.

Run by `deploy/lint`. Theory of operation. Each of our migrations is translated into the statements that
PostgreSQL would execute. The analyser of django-migration-linter, with additional checks, looks for
statements that block readers or writers (locks), and for changes that break code of the previous version
(breaks).

The duration of a lock grows with the size of the table, so short tables are exempt from the first check.
`web.upkeep.migrating` ensures that waiting for a lock does not block other queries.
"""

import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import django
from django.db import connection
from django.db.migrations import AlterField, Migration, RunPython, RunSQL
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.db.models import CharField

from testing.services import postgresql

# Tables that are not listed here grow without bound, because users continue to submit and to write.
SHORT = {
    "accounts_user": "one row for each user: a scan of 100 000 rows takes milliseconds",
    "accounts_apitoken": "some rows for each user",
    "catalog_problem": "one row for each problem",
    "catalog_tagging": "some rows for each problem",
    "fleet_gpu": "one row for each GPU",
    "fleet_node": "one row for each host",
    "fleet_worker": "some rows for each host",
    "leaderboards_ranking": "one row for each GPU model and track",
    "packages_packageversion": "some rows for each problem",
    "tracks_entry": "some rows for each track",
    "tracks_track": "one row for each track",
    "upkeep_backup": "one row for each backup",
}
LOCKS = {"CREATE_INDEX", "CREATE_INDEX_EXCLUSIVE", "DROP_INDEX", "REINDEX", "ADD_UNIQUE", "ADD_CHECK"}


@dataclass(frozen=True, slots=True)
class MigrationFinding:
    """A problem of a migration, and the check that found it."""

    migration: str
    code: str
    message: str


def findings() -> Iterator[MigrationFinding]:
    """Yield the problems of all migrations."""
    for migration, statements, widens in _migrations():
        for code, message in sorted(_wrong(migration, statements, widens=widens)):
            yield MigrationFinding(f"{migration.app_label}.{migration.name}", code, message)


def _migrations() -> Iterator[tuple[Migration, list[str], bool]]:
    """Yield each of our migrations with its statements, in an order in which they can be applied.

    The flag says whether the migration only raises the maximum lengths of text columns.
    """
    loader = MigrationLoader(connection)
    plan = loader.graph._generate_plan(loader.graph.leaf_nodes(), at_end=True)  # noqa: SLF001 - all, in order
    state = loader.project_state([])
    for key in plan:
        migration = loader.graph.nodes[key]
        if migration.__module__.startswith("web."):
            with connection.schema_editor(collect_sql=True, atomic=migration.atomic) as editor:
                migration.apply(state.clone(), editor, collect_sql=True)
            statements = [line for line in editor.collected_sql if not line.startswith("--")]
            told = ["BEGIN;", *statements] if migration.atomic else statements
            yield migration, told, _only_widens(migration, state)
        state = migration.mutate_state(state, preserve=False)


def _only_widens(migration: Migration, state: ProjectState) -> bool:
    """Return whether each altered field is a text that may become longer, which changes no rows."""
    altered = [operation for operation in migration.operations if isinstance(operation, AlterField)]
    for operation in altered:
        before = state.models[migration.app_label, operation.model_name_lower].fields[operation.name_lower]
        after = operation.field
        if not (isinstance(before, CharField) and isinstance(after, CharField)):
            return False
        if before.null != after.null or (before.max_length or 0) > (after.max_length or 0):
            return False
    return bool(altered)


def _wrong(migration: Migration, statements: list[str], *, widens: bool = False) -> set[tuple[str, str]]:
    long = [statement for statement in statements if not _about_short(statement)]
    found = {issue for issue in _analyse(statements) if issue[0] not in LOCKS}
    found |= {issue for issue in _analyse(long) if issue[0] in LOCKS}
    if widens:
        found = {issue for issue in found if issue[0] != "ALTER_COLUMN"}
    found |= set(_scans(long))
    if any(isinstance(operation, RunPython | RunSQL) for operation in migration.operations):
        found.add(("DATA", "changes rows: how many, and what does the running version do in the meantime?"))
    return found


def _analyse(statements: list[str]) -> set[tuple[str, str]]:
    from django_migration_linter.sql_analyser.postgresql import PostgresqlAnalyser  # noqa: PLC0415 - it wants settings

    analyser = PostgresqlAnalyser(exclude_migration_tests=[])
    analyser.analyse(statements)
    return {(issue.code, issue.message) for issue in (*analyser.errors, *analyser.warnings)}


def _scans(statements: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield checks and foreign keys that scan every row under an exclusive lock."""
    made = set()
    for statement in statements:
        if created := re.match(r'CREATE TABLE ("\w+")', statement):
            made.add(created[1])
        added = re.match(r'ALTER TABLE ("\w+") ADD CONSTRAINT .* (CHECK|FOREIGN KEY)', statement)
        if added and added[1] not in made and "NOT VALID" not in statement:
            yield "ADD_CHECK", f"{added[2]} on a table in use: AddCheckLive validates its rows without a lock"


def _about_short(statement: str) -> bool:
    table = re.match(r'(?:ALTER TABLE|CREATE (?:UNIQUE )?INDEX .* ON) "(\w+)"', statement)
    return table is not None and table[1] in SHORT


def main() -> int:
    """Print all problems. Return 1 if there are any, otherwise 0."""
    with postgresql() as url, tempfile.TemporaryDirectory() as data:
        os.environ |= {"WARPCOURT_DATABASE_URL": url, "WARPCOURT_DATA_DIR": data}
        os.environ["DJANGO_SETTINGS_MODULE"] = "web.settings"
        django.setup()
        found = list(findings())
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]  # or the server would wait for it
    for finding in found:
        print(f"{finding.migration}: {finding.code}: {finding.message}")
    if found:
        print("See docs/operations/backup-and-upgrade.md for a safe way to do each.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
