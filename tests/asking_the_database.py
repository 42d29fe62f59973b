"""A plugin that leaves only tests that may ask the database: pytest -p tests.asking_the_database.

All others cannot differ between one database and the next. The tests' database is a copy of the database of
the settings, which is migrated and has no rows but those of migrations.
"""

import pytest
from django.db import connection

from tests.one_database import may_ask


def pytest_configure() -> None:
    """Copy the database instead of running all migrations again."""
    connection.settings_dict["TEST"]["TEMPLATE"] = connection.settings_dict["NAME"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the others."""
    config.hook.pytest_deselected(items=[item for item in items if not may_ask(item)])
    items[:] = filter(may_ask, items)
