"""A PostgreSQL server for the tests of this folder, and sites on both databases."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count

import pytest

from testing.services import postgresql
from tests.integration.upkeep.site import Site, new_database


@pytest.fixture(scope="package")
def postgres_url() -> Iterator[str]:
    """The URL of a database of a server in which more can be made."""
    with postgresql() as url:
        yield url


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def new_site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], Site]]:
    """Makes sites without content, each with a folder and a database of its own."""
    numbers = count()
    with ExitStack() as databases:

        def make() -> Site:
            folder = tmp_path_factory.mktemp("site")
            if request.param == "sqlite":
                return Site(folder)
            server = request.getfixturevalue("postgres_url")
            name = f"{request.module.__name__.rpartition('.')[2]}_{next(numbers)}"
            return Site(folder, databases.enter_context(new_database(server, name)))

        yield make
