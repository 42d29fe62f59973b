"""Real services on free loopback ports: PostgreSQL and Redis, started once per run, gone at its end."""

from collections.abc import Iterator

import pytest

from tests.services import postgresql, redis_server


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of an empty PostgreSQL database."""
    with postgresql() as url:
        yield url


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The URL of an empty Redis database."""
    with redis_server() as url:
        yield url
