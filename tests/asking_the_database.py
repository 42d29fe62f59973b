"""A plugin that runs only tests that may query the database: pytest -p tests.asking_the_database.

All other tests have the same result on every database. The database of the tests is a copy of the one in the
settings, which is migrated and contains only the rows of migrations.
"""

import pytest
from django.db import connection

from tests.one_database import may_ask


def pytest_configure() -> None:
    """Copy the database instead of running all migrations again."""
    connection.settings_dict["TEST"]["TEMPLATE"] = connection.settings_dict["NAME"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect all other tests."""
    config.hook.pytest_deselected(items=[item for item in items if not may_ask(item)])
    items[:] = filter(may_ask, items)
