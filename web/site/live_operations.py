"""Operations for migrations of tables that are in use. On SQLite they behave like Django's own.

Theory of operation. On PostgreSQL an ordinary `AddIndex` blocks writers until the index is built, and an
`AddConstraint` blocks readers and writers until all rows are checked. The operations in this module take as
long on a table with millions of rows, but readers and writers continue. They cannot be part of a transaction.
So a migration that uses one of them sets `atomic = False` and has no other operation. It can be repeated
after a failure, because each operation first removes the remains of an earlier attempt.

Django's `AddIndexConcurrently` and `AddConstraintNotValid` do not replace them: both fail on SQLite, neither
removes the remains of an earlier attempt, and a lock timeout ends them while they wait.

A build waits for transactions that began before it. It blocks no other process while it waits, so it runs
without a lock timeout.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.apps.registry import Apps
from django.db import NotSupportedError, migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState
from django.db.models import CheckConstraint, Index, Model
from django.db.transaction import atomic


class AddIndexLive(migrations.AddIndex):
    """Adds an index while its table is read and written."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Build the index."""
        if model := _model(self, to_state.apps, app_label, schema_editor):
            _build(schema_editor, model, self.index)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Drop the index."""
        if _model(self, from_state.apps, app_label, schema_editor):
            _drop(schema_editor, self.index)


class RemoveIndexLive(migrations.RemoveIndex):
    """Removes an index while its table is read and written."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Drop the index."""
        if _model(self, from_state.apps, app_label, schema_editor):
            state = from_state.models[app_label, self.model_name_lower]
            _drop(schema_editor, state.get_index_by_name(self.name))

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Build the index."""
        if model := _model(self, to_state.apps, app_label, schema_editor):
            state = to_state.models[app_label, self.model_name_lower]
            _build(schema_editor, model, state.get_index_by_name(self.name))


class AddCheckLive(migrations.AddConstraint):
    """Adds a check. It applies to new rows at once, and to existing rows after they are validated."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Add the check, then validate it."""
        model = _model(self, to_state.apps, app_label, schema_editor)
        if model is None:
            return
        if schema_editor.connection.vendor != "postgresql":
            with atomic(schema_editor.connection.alias):  # SQLite copies the table in one transaction
                schema_editor.add_constraint(model, self.constraint)
            return
        if not isinstance(self.constraint, CheckConstraint):
            raise NotSupportedError("AddCheckLive adds only checks. For indexes, use AddIndexLive.")
        table = schema_editor.quote_name(model._meta.db_table)  # noqa: SLF001 - Django's public name for it
        name = schema_editor.quote_name(self.constraint.name)
        create = str(self.constraint.create_sql(model, schema_editor))
        schema_editor.execute(f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {name}")
        schema_editor.execute(f"{create} NOT VALID", params=None)
        with _patient(schema_editor):
            schema_editor.execute(f"ALTER TABLE {table} VALIDATE CONSTRAINT {name}")

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Remove the check."""
        with atomic(schema_editor.connection.alias):
            super().database_backwards(app_label, schema_editor, from_state, to_state)


def _model(
    operation: migrations.operations.base.Operation,
    apps: Apps,
    app_label: str,
    schema_editor: BaseDatabaseSchemaEditor,
) -> type[Model] | None:
    """Return the model to work on; None if this database does not hold it."""
    if schema_editor.atomic_migration and schema_editor.connection.vendor == "postgresql":
        raise NotSupportedError(
            f"{type(operation).__name__} cannot be in a transaction: set `atomic = False` in its migration."
        )
    name: str = operation.model_name  # type: ignore[attr-defined]  # all of ours have one
    model: type[Model] = apps.get_model(app_label, name)
    allowed = operation.allow_migrate_model(schema_editor.connection.alias, model)
    return model if allowed else None


def _build(schema_editor: BaseDatabaseSchemaEditor, model: type[Model], index: Index) -> None:
    _drop(schema_editor, index)  # the remains of a failed attempt: an unused index
    if schema_editor.connection.vendor != "postgresql":
        schema_editor.add_index(model, index)
        return
    with _patient(schema_editor):
        schema_editor.add_index(model, index, concurrently=True)  # type: ignore[call-arg]  # PostgreSQL's has it


def _drop(schema_editor: BaseDatabaseSchemaEditor, index: Index) -> None:
    name = schema_editor.quote_name(index.name)
    if schema_editor.connection.vendor != "postgresql":
        schema_editor.execute(f"DROP INDEX IF EXISTS {name}")
        return
    with _patient(schema_editor):
        schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")


@contextmanager
def _patient(schema_editor: BaseDatabaseSchemaEditor) -> Iterator[None]:
    """Disable the lock timeout in the block, and restore it afterwards."""
    if schema_editor.collect_sql:
        yield
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT CURRENT_SETTING('lock_timeout')")
        (before,) = cursor.fetchone()
        cursor.execute("SET lock_timeout = 0")
    try:
        yield
    finally:
        with schema_editor.connection.cursor() as cursor:
            cursor.execute("SELECT SET_CONFIG('lock_timeout', %s, false)", [before])
