"""Asking for an address as somebody, without a trace."""

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
    """What came back. `location` is where it redirects to, `kind` its type of content."""

    status: int
    kind: str
    location: str
    headers: Mapping[str, str]
    text: str


def ask(world: World, name: str, route: Route, method: str = "GET", **more: Any) -> Answer:
    """What `name` is answered. All that the request changes is undone, so that others find the same world."""
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
    """The site, with middleware that is made once: a new client would make it again for each request."""
    return ClientHandler(enforce_csrf_checks=csrf)


def _read(given: Any) -> bytes:
    """The body. That of an event stream is left out: it tells nothing that the report does not."""
    if not given.streaming:
        body: bytes = given.content
        return body
    return b"" if given.is_async else b"".join(given)
