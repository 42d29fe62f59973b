"""A pytest plugin that runs each test of the site on PostgreSQL or SQLite in a whole run, not on both.

Theory of operation. `test_postgresql` runs the tests of ON_POSTGRESQL in a separate process, on the database
of a real installation. In a run that includes it, these tests do not also run on SQLite, unless ON_BOTH names
them. ON_BOTH has tests of code that treats the databases differently or that many processes run at once, and
tests for coverage, because the other process is not measured. The tests of ONLY_ON_SQLITE, which open every
page and call every operation, and all browser tests run on SQLite. A run of single files or folders, such as
`pytest tests/unit/web`, omits no test.
"""

from pathlib import Path

import pytest

from testing.services import postgresql_programs
from tests.unmeasured import MEASURED, is_in

TESTS = Path(__file__).resolve().parent
PASS = TESTS / "integration" / "web" / "test_postgresql.py"
ON_POSTGRESQL = (
    "integration/helm/test_queue_query.py",
    "integration/web/test_databases.py",
    "integration/web/test_limits_at_once.py",
    "integration/web/test_queues.py",
    "integration/web/test_talk_at_once.py",
    "unit/web",
)
# These tests make no queries that other tests do not make.
ONLY_ON_SQLITE = ("unit/web/access", "unit/web/cli")
ON_BOTH = (
    *MEASURED,
    "integration/helm/test_queue_query.py",
    "integration/web/test_databases.py",
    "integration/web/test_limits_at_once.py",
    "integration/web/test_queues.py",
    "integration/web/test_talk_at_once.py",
    "unit/web/test_clock.py",
    "unit/web/test_database_settings.py",
    "unit/web/test_discussion.py",
    "unit/web/test_doctor.py",
    "unit/web/test_progress.py",
    "unit/web/test_ranking.py",
    "unit/web/test_submitting.py",
    "unit/web/upkeep",
)
_FIXTURES = {"db", "transactional_db", "django_db_setup", "live_server"}


@pytest.hookimpl(trylast=True)  # after the options -k and -m have deselected tests
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that `test_postgresql` runs, in a run that includes it."""
    if postgresql_programs() is None or not any(item.path == PASS for item in items):
        return
    left_out = {item for item in items if may_ask(item) and is_left_to_postgresql(item.path)}
    config.hook.pytest_deselected(items=[*left_out])
    items[:] = [item for item in items if item not in left_out]


def may_ask(item: pytest.Item) -> bool:
    """Return whether a test may query the database. pytest-django refuses queries of all others."""
    return item.get_closest_marker("django_db") is not None or not _FIXTURES.isdisjoint(
        getattr(item, "fixturenames", ())
    )


def is_left_to_postgresql(path: Path) -> bool:
    """Return whether a whole run uses only PostgreSQL for the database tests of this file."""
    name = path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else ""
    return is_in(name, ON_POSTGRESQL) and not is_in(name, (*ONLY_ON_SQLITE, *ON_BOTH))
