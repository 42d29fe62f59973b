"""Tests that values which no page sends do not make the site fail, at any address."""

from urllib.parse import quote

import pytest

from tests.unit.web.access.asking import ask
from tests.unit.web.access.routes import Route, every_route
from tests.unit.web.access.world import World

pytestmark = pytest.mark.django_db

# The names of fields and of parts of addresses that views read.
NAMES = (
    "action after against answer body case change cursor draw email expected file from gpu gpu_model"
    " group hint id ids idempotency_key keep key kind language limit line locale mark mode n name next"
    " note number order page path person personal_node problem profiled q quiz reason revision role runs"
    " search seed shared sizes slug sort source state status submission tag task technique template text"
    " title to track until user values verdict version view vote what with"
)
VALUES = ("\0", "9" * 30, "9" * 5000, "²", "[]", "x" * 3000)
ROUTES = [
    route
    for route in every_route()
    if not route.name.startswith(("account_", "mfa_", "socialaccount", "usersessions"))
]


def everywhere(value: str) -> str:
    """The value in every field."""
    return "&".join(f"{name}={quote(value, safe='')}" for name in NAMES.split())


@pytest.mark.parametrize("route", [r for r in ROUTES if "GET" in r.methods], ids=lambda route: route.name)
def test_no_address_fails(world: World, route: Route) -> None:
    for value in VALUES:
        assert ask(world, "staff", route, QUERY_STRING=everywhere(value)).status < 500, value


@pytest.mark.parametrize(
    "route",
    [r for r in ROUTES if "POST" in r.methods and not r.name.startswith("api:")],
    ids=lambda route: route.name,
)
def test_no_form_fails(world: World, route: Route) -> None:
    form = "application/x-www-form-urlencoded"
    for value in VALUES:
        answer = ask(world, "staff", route, "POST", data=everywhere(value), content_type=form)
        assert answer.status < 500, value
