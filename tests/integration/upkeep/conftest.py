"""A PostgreSQL server for the tests of this folder, and sites on both databases."""

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count

import pytest

from testing.services import postgresql
from tests.integration.upkeep.site import NewSite, Site, new_database
from tests.migrated import NAME, put_migrated_database, put_migrated_postgresql


@pytest.fixture(scope="package")
def postgres_url() -> Iterator[str]:
    """The URL of a migrated database on a server where tests can create more databases."""
    with postgresql(put_data=put_migrated_postgresql) as url:
        yield url


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def new_site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewSite]:
    """Creates sites without content, each with a new folder and a new database, empty or migrated."""
    numbers = count()
    with ExitStack() as databases:

        def make(*, migrated: bool = False) -> Site:
            folder = tmp_path_factory.mktemp("site")
            if request.param == "sqlite":
                if migrated:
                    put_migrated_database(folder / NAME)
                return Site(folder)
            server = request.getfixturevalue("postgres_url")
            name = f"{request.module.__name__.rpartition('.')[2]}_{next(numbers)}"
            return Site(folder, databases.enter_context(new_database(server, name, migrated=migrated)))

        yield make
