"""A plugin that leaves only tests that may ask the database: pytest -p tests.asking_the_database.

pytest-django refuses the database to all others, so they cannot differ between one database and the next.
"""

import pytest

_FIXTURES = {"db", "transactional_db", "django_db_setup", "live_server"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the others."""
    config.hook.pytest_deselected(items=[item for item in items if not _may_ask(item)])
    items[:] = filter(_may_ask, items)


def _may_ask(item: pytest.Item) -> bool:
    return item.get_closest_marker("django_db") is not None or not _FIXTURES.isdisjoint(
        getattr(item, "fixturenames", ())
    )
