"""Bounds the bodies of requests, as bytes arrive.

Theory of operation. Django reads a body to its end, into a file on disk, before any of our code is asked, so
whoever sends without end fills a disk. This stands before Django and counts. What declares too much is
refused before a byte of it is read; what declares nothing, or arrives in chunks, as soon as it is too much.
Either way the answer is 413 and the connection is closed, so that nothing more is read. What is already on
its way stays in the buffers of the server, which are small, and of the kernel.

Each address has the bound of what it takes, and a mebibyte for the rest of a form. The proxy has the same
figures (`deploy/images/services/Caddyfile`; a test compares them).
"""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from problems.archive import MAX_ARCHIVE_MIB
from problems.importing.upload import MAX_SET_MIB

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Any, Any, Any], Awaitable[None]]

FIELDS_MIB = 1  # of a form without its files, of JSON
FORM_MIB = 1  # around a file
DEFAULT_MIB = FIELDS_MIB + FORM_MIB
MIB_BY_PATH = {
    "/api/v1/author/import": MAX_ARCHIVE_MIB + FORM_MIB,
    "/api/v1/author/sets": MAX_SET_MIB + FORM_MIB,
    "/author/import": MAX_SET_MIB + FORM_MIB,  # takes both
}
API = "/api/"
_MOST_DIGITS = 20
_MESSAGE = "The request is too large."


class TooLarge(Exception):
    """Raised into the application while it reads a body that goes on for too long."""


class BoundedBodies:
    """An ASGI application that hands requests to another one, as long as their bodies are not too large."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        room = MIB_BY_PATH.get(scope["path"], DEFAULT_MIB) * 2**20
        if _declared(scope) > room:
            await _refuse(scope, send)
            return
        answered = False

        async def receive_counted() -> Message:
            nonlocal room
            message = await receive()
            room -= len(message.get("body", b""))
            if room < 0:
                raise TooLarge
            return message

        async def send_noted(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        try:
            await self._application(scope, receive_counted, send_noted)
        except TooLarge:
            if answered:
                raise
            await _refuse(scope, send)


def _declared(scope: Message) -> int:
    """Return the length that the request states; 0 where it states none. The server refused others."""
    stated = [value for name, value in scope["headers"] if name == b"content-length"]
    # Python refuses to read numbers of thousands of digits
    return max((int(value[:_MOST_DIGITS]) for value in stated), default=0)


async def _refuse(scope: Message, send: Send) -> None:
    if scope["path"].startswith(API):
        error = {"code": "too_large", "message": _MESSAGE, "fields": {}}
        kind, body = b"application/json", json.dumps({"error": error}).encode()
    else:
        kind, body = b"text/plain; charset=utf-8", f"{_MESSAGE}\n".encode()
    headers = [
        (b"content-type", kind),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"connection", b"close"),  # the rest of the body is not read
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
