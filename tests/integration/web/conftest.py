"""PostgreSQL and Redis on free loopback ports. They end after the test file."""

from collections.abc import Iterator

import pytest

from testing.services import postgresql, redis_server
from tests.migrated import put_migrated_postgresql


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    """The URL of a PostgreSQL database, migrated and without rows for each file of tests."""
    with postgresql(put_data=put_migrated_postgresql) as url:
        yield url


@pytest.fixture(scope="module")
def redis_url() -> Iterator[str]:
    """The URL of a Redis database, empty for each file of tests."""
    with redis_server() as url:
        yield url
