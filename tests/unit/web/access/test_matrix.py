"""Every address of the site and of the API against the table in `matrix.py`.

The routes come from the URL map, so a page without a row fails here until an author adds the users who may
open it.
"""

from urllib.parse import urlsplit

import pytest

from tests.unit.web.access.asking import Answer, ask
from tests.unit.web.access.matrix import MATRIX
from tests.unit.web.access.routes import Route, admin_routes, every_route
from tests.unit.web.access.world import World

pytestmark = pytest.mark.django_db

SIGN_IN = {"/accounts/login/", "/admin/login/"}
_NOT_STAFF = ("anonymous", "learner", "classmate", "owner", "instructor")


def test_the_table_names_exactly_the_addresses_that_there_are() -> None:
    there = {(route.name, method) for route in every_route() for method in route.methods}
    assert there - set(MATRIX) == set(), "addresses without a row"
    assert set(MATRIX) - there == set(), "rows without an address"


@pytest.mark.parametrize("route", every_route(), ids=lambda route: route.name)
def test_who_may_open_it(world: World, route: Route) -> None:
    seen = {
        (route.name, method): "".join(letter(ask(world, name, route, method)) for name in world.people)
        for method in route.methods
    }
    assert seen == {row: MATRIX.get(row) for row in seen}


@pytest.mark.parametrize("route", admin_routes(), ids=lambda route: route.name)
def test_the_admin_is_for_staff(world: World, route: Route) -> None:
    if route.name not in {"admin:login", "admin:logout"}:
        assert {letter(ask(world, name, route)) for name in _NOT_STAFF} <= {"s", "a", "f"}


def letter(answer: Answer) -> str:
    """Return the letter of the matrix for an answer.

    `o` open: it was served, or refused for what was sent; `s` sign in; `f` forbidden; `a` absent; `m` not
    with this method.
    """
    if answer.status in {301, 302, 303} and urlsplit(answer.location).path in SIGN_IN:
        return "s"
    assert answer.status < 500, f"{answer.status}: {answer.text[:300]}"
    return {401: "s", 403: "f", 404: "a", 405: "m"}.get(answer.status, "o")
