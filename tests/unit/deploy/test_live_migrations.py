"""Tests which migrations the linter reports as unsafe for a table in use."""

import pytest
from django.db import migrations
from django.db.migrations.operations.base import Operation

from deploy.live_migrations import _wrong

ADD = 'ALTER TABLE "submissions_job" ADD COLUMN "queue" varchar(9)'


def found(*statements: str, atomic: bool = True, operations: tuple[Operation, ...] = ()) -> set[str]:
    migration = type("Migration", (migrations.Migration,), {"operations": operations})("0002_made_up", "web")
    return {code for code, _ in _wrong(migration, ["BEGIN;", *statements] if atomic else [*statements])}


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        (f"{ADD} NOT NULL", "NOT_NULL"),
        ('ALTER TABLE "submissions_job" DROP COLUMN "queue" CASCADE', "DROP_COLUMN"),
        ('ALTER TABLE "submissions_job" RENAME COLUMN "queue" TO "line"', "RENAME_COLUMN"),
        ('ALTER TABLE "submissions_job" RENAME TO "submissions_task"', "RENAME_TABLE"),
        ('ALTER TABLE "submissions_job" ALTER COLUMN "queue" TYPE text', "ALTER_COLUMN"),
        ('DROP TABLE "submissions_job" CASCADE', "DROP_TABLE"),
        ('CREATE INDEX "i" ON "submissions_job" ("queue")', "CREATE_INDEX"),
        ('DROP INDEX IF EXISTS "i"', "DROP_INDEX"),
        ('ALTER TABLE "submissions_job" ADD CONSTRAINT "c" UNIQUE ("queue")', "ADD_UNIQUE"),
        ('ALTER TABLE "submissions_job" ADD CONSTRAINT "c" CHECK ("queue" > 0)', "ADD_CHECK"),
        ('ALTER TABLE "submissions_job" ADD CONSTRAINT "f" FOREIGN KEY ("u") REFERENCES "v"', "ADD_CHECK"),
    ],
)
def test_what_keeps_others_waiting_or_breaks_them_is_found(statement, code):
    assert code in found(statement)


@pytest.mark.parametrize(
    "statements",
    [
        (f"{ADD} DEFAULT 'cpu' NOT NULL",),
        (f"{ADD} NULL",),
        ('CREATE TABLE "new" ("id" bigint NOT NULL)', 'CREATE INDEX "i" ON "new" ("id")'),
        ('CREATE TABLE "new" ("id" bigint)', 'ALTER TABLE "new" ADD CONSTRAINT "c" CHECK ("id" > 0)'),
        ('ALTER TABLE "tracks_track" ADD CONSTRAINT "c" CHECK ("order" > 0)',),
        ('CREATE INDEX "i" ON "tracks_track" ("order")',),
    ],
)
def test_what_does_neither_is_sound(statements):
    assert not found(*statements)


def test_live_operations_are_sound():
    assert not found('CREATE INDEX CONCURRENTLY "i" ON "submissions_job" ("queue")', atomic=False)
    check = 'ALTER TABLE "submissions_job" ADD CONSTRAINT "c" CHECK ("queue" > 0) NOT VALID'
    assert not found(check, 'ALTER TABLE "submissions_job" VALIDATE CONSTRAINT "c"', atomic=False)


def test_a_short_table_may_wait_but_not_break():
    assert found('ALTER TABLE "tracks_track" DROP COLUMN "order" CASCADE') == {"DROP_COLUMN"}


def test_changing_rows_wants_a_reason():
    assert found(operations=(migrations.RunPython(migrations.RunPython.noop),)) == {"DATA"}
    assert found(operations=(migrations.RunSQL("DELETE FROM submissions_job"),)) == {"DATA"}
