"""One world for all tests of a file, because creating it takes longer than opening a page."""

from collections.abc import Iterator

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from tests.unit.web.access.world import World, make_world


def _world(django_db_blocker: DjangoDbBlocker, *, hostile: bool) -> Iterator[World]:
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_world(hostile=hostile)
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """A world of users and objects. Tests must roll back the changes of their requests."""
    yield from _world(django_db_blocker, hostile=False)


@pytest.fixture(scope="module")
def hostile_world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """The same with hostile texts."""
    yield from _world(django_db_blocker, hostile=True)
