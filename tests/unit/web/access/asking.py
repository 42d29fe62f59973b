"""Requests an address as a given user, and undoes all changes."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.test.client import ClientHandler

from tests.unit.web.access.routes import Route
from tests.unit.web.access.world import World


@dataclass(frozen=True, slots=True)
class Answer:
    """A response. `location` is the target of a redirect, and `kind` is the content type."""

    status: int
    kind: str
    location: str
    headers: Mapping[str, str]
    text: str


def ask(world: World, name: str, route: Route, method: str = "GET", **more: Any) -> Answer:
    """Return the response to `name`.

    All changes of the request are undone, so that the world stays the same.
    """
    client = Client()
    client.handler = _handler(csrf=more.pop("csrf", False))
    cache.clear()
    with transaction.atomic():
        if name in world.sessions:
            client.cookies[settings.SESSION_COOKIE_NAME] = world.sessions[name]
        given: Any = client.generic(method, world.address(route), **more)
        body = _read(given)
        transaction.set_rollback(True)
    headers = given.headers
    return Answer(
        given.status_code,
        headers.get("Content-Type", ""),
        headers.get("Location", ""),
        headers,
        body.decode(errors="replace"),
    )


@functools.cache
def _handler(*, csrf: bool) -> ClientHandler:
    """Return a handler of the site with cached middleware. A new client would create it for each request."""
    return ClientHandler(enforce_csrf_checks=csrf)


def _read(given: Any) -> bytes:
    """Return the body, except that of an event stream, which contains nothing beyond the report."""
    if not given.streaming:
        body: bytes = given.content
        return body
    return b"" if given.is_async else b"".join(given)
