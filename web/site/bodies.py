"""Limits the size of request bodies while they arrive.

Theory of operation. Django reads a body to its end, into a file on disk, before any code of the site runs. A
client that sends without end would fill a disk. This application runs before Django and counts bytes. If a
request declares too large a body, it is refused before a byte of it is read. If a request declares no length,
or sends chunks, it is refused as soon as it exceeds the limit. In both cases the answer is 413 and the
connection is closed, so nothing more is read. Bytes in transit stay in the small buffers of the server and of
the kernel.

Each address has a limit for its files, and a mebibyte for the rest of a form. The proxy has the same limits
(`deploy/images/services/Caddyfile`; a test compares them).
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

FIELDS_MIB = 1  # limit for a form without its files, and for JSON
FORM_MIB = 1  # allowance for the form around a file
DEFAULT_MIB = FIELDS_MIB + FORM_MIB
MIB_BY_PATH = {
    "/api/v1/author/import": MAX_ARCHIVE_MIB + FORM_MIB,
    "/api/v1/author/sets": MAX_SET_MIB + FORM_MIB,
    "/author/import": MAX_SET_MIB + FORM_MIB,  # this page takes sets and packages
}
API = "/api/"
_MOST_DIGITS = 20
_MESSAGE = "The request is too large."


class TooLarge(Exception):
    """Raised into the application while it reads a body that exceeds the limit."""


class BoundedBodies:
    """An ASGI application that passes requests to another one if their bodies are small enough."""

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
    """Return the length that the request declares, 0 without one. The server has refused invalid ones."""
    stated = [value for name, value in scope["headers"] if name == b"content-length"]
    # Python refuses to parse numbers with thousands of digits
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
