"""Tests that request bodies are counted while they arrive, and refused before they fill a disk."""

import asyncio
import json
import re
import socket
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from django.urls import resolve

from problems.archive import MAX_ARCHIVE_MIB
from problems.importing.upload import MAX_SET_MIB
from web.api import errors
from web.config import ROOT
from web.site import bodies

CADDYFILE = ROOT / "deploy" / "images" / "services" / "Caddyfile"
MIB = 2**20
PLAIN = "/accounts/login/"
LIMITS = {PLAIN: bodies.DEFAULT_MIB, **bodies.MIB_BY_PATH}


def run(work: Coroutine[Any, Any, None]) -> None:
    """Runs `work` to its end on a thread of its own: browser tests leave a running loop on this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


class Reading:
    """An application that reads bodies to their end, like Django, and counts what it is given."""

    def __init__(self) -> None:
        self.got_bytes = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        while True:
            message = await receive()
            self.got_bytes += len(message.get("body", b""))
            if not message.get("more_body"):
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


def played(path: str, chunks: Iterator[bytes], declared: int | None = None) -> tuple[Reading, list[Any]]:
    """Return what the application received, and the answer."""
    inner, sent = Reading(), []
    headers = [] if declared is None else [(b"content-length", str(declared).encode())]

    async def receive() -> dict[str, Any]:
        chunk = next(chunks, b"")
        return {"type": "http.request", "body": chunk, "more_body": bool(chunk)}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "path": path, "headers": headers}
    run(bodies.BoundedBodies(inner)(scope, receive, send))
    return inner, sent


def pieces(total_bytes: int, *, of: int = 64 * 1024) -> Iterator[bytes]:
    while total_bytes > 0:
        yield bytes(min(of, total_bytes))
        total_bytes -= of


@pytest.mark.parametrize("path", LIMITS)
def test_a_body_may_be_as_large_as_its_address_allows(path: str) -> None:
    limit = LIMITS[path] * MIB
    for declared in (None, limit):
        inner, sent = played(path, pieces(limit), declared)
        assert (sent[0]["status"], inner.got_bytes) == (200, limit)


@pytest.mark.parametrize("path", LIMITS)
def test_nothing_is_read_of_a_body_that_declares_too_much(path: str) -> None:
    chunks = pieces(LIMITS[path] * MIB + 1)
    inner, sent = played(path, chunks, LIMITS[path] * MIB + 1)
    assert (sent[0]["status"], inner.got_bytes) == (413, 0)
    assert (b"connection", b"close") in sent[0]["headers"]
    assert len(next(chunks)) == 64 * 1024, "the first piece was left where it was"


@pytest.mark.parametrize("path", LIMITS)
@pytest.mark.parametrize("declared", [None, 10])  # a server would notice, but we need not rely on it
def test_an_endless_body_is_read_up_to_the_limit(path: str, declared: int | None) -> None:
    asked_for = 0

    def endless() -> Iterator[bytes]:
        nonlocal asked_for
        while True:
            asked_for += 64 * 1024
            yield bytes(64 * 1024)

    inner, sent = played(path, endless(), declared)
    assert sent[0]["status"] == 413
    assert inner.got_bytes <= LIMITS[path] * MIB < asked_for <= LIMITS[path] * MIB + 64 * 1024


def test_a_length_that_no_number_holds_is_refused() -> None:
    inner, sent = played(PLAIN, pieces(1), int("9" * 4000))
    assert (sent[0]["status"], inner.got_bytes) == (413, 0)


def test_the_api_answers_in_its_form() -> None:
    _, sent = played("/api/v1/submissions", pieces(3 * MIB))
    assert json.loads(sent[1]["body"]) == json.loads(errors.answer(413, "The request is too large.").content)
    _, sent = played(PLAIN, pieces(3 * MIB))
    assert sent[1]["body"] == b"The request is too large.\n"


def test_an_answer_that_has_begun_is_not_followed_by_another() -> None:
    sent = []

    async def hasty(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            await receive()

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": bytes(MIB), "more_body": True}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    scope = {"type": "http", "path": PLAIN, "headers": []}
    with pytest.raises(bodies.TooLarge):
        run(bodies.BoundedBodies(hasty)(scope, receive, send))
    assert sent == ["http.response.start"]


def test_what_is_no_request_passes() -> None:
    seen = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        seen.append((scope, receive, send))

    given = ({"type": "lifespan"}, object(), object())
    run(bodies.BoundedBodies(inner)(*given))  # type: ignore[arg-type]
    assert seen == [given]


def test_each_address_takes_what_it_is_for() -> None:
    views = {path: resolve(path).view_name for path in bodies.MIB_BY_PATH}
    assert views["/author/import"] == "author-import"
    assert views["/api/v1/author/import"].endswith(":import_workspace")
    assert views["/api/v1/author/sets"].endswith(":import_set")
    assert bodies.MIB_BY_PATH == {
        "/author/import": MAX_SET_MIB + bodies.FORM_MIB,
        "/api/v1/author/import": MAX_ARCHIVE_MIB + bodies.FORM_MIB,
        "/api/v1/author/sets": MAX_SET_MIB + bodies.FORM_MIB,
    }


def test_the_proxy_has_the_same_figures() -> None:
    text = CADDYFILE.read_text()
    paths = dict(re.findall(r"^\t@(\w+) ((?:not )?path /.+)$", text, re.MULTILINE))
    sizes = dict(re.findall(r"request_body @(\w+) {\s+max_size (\d+)MiB\s+}", text))
    assert len(sizes) == text.count("max_size")
    others = paths.pop("other")
    assert set(others.removeprefix("not path ").split()) == set(bodies.MIB_BY_PATH)
    assert int(sizes.pop("other")) == bodies.DEFAULT_MIB
    found = {path: int(sizes[name]) for name in sizes for path in paths[name].removeprefix("path ").split()}
    assert found == bodies.MIB_BY_PATH


@pytest.fixture
def served(tmp_path: Path) -> Iterator[int]:
    """The port of the site as uvicorn serves it, on the loopback."""
    # As in web.serve
    config = uvicorn.Config("web.asgi:application", lifespan="off", log_level="warning", access_log=False)
    server = uvicorn.Server(config)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(30)


def sent_until_refused(port: int, head: str, chunk: bytes, most_bytes: int) -> tuple[int, bytes]:
    """How many bytes the server's side took, `most_bytes` at most, and how it answered."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        answer = bytearray()

        def read() -> None:
            try:
                while part := connection.recv(65536):
                    answer.extend(part)
            except OSError:
                pass  # reset, after what came before it

        reader = threading.Thread(target=read)
        reader.start()
        connection.sendall(head.encode())
        taken = 0
        try:
            while taken < most_bytes and not answer:
                connection.sendall(chunk)
                taken += len(chunk)
        except OSError:
            pass  # closed: nothing more is read
        reader.join(60)
        return taken, bytes(answer)


@pytest.mark.parametrize("path", ["/accounts/login/", "/api/v1/author/sets"])
def test_a_server_takes_no_endless_body(served: int, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sends up to 64 MiB in chunks, of which the limit and what buffers hold is taken."""
    monkeypatch.setitem(bodies.MIB_BY_PATH, "/api/v1/author/sets", 4)
    piece = 256 * 1024
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = f"{piece:x}\r\n".encode() + bytes(piece) + b"\r\n"
    taken, answer = sent_until_refused(served, head, chunk, 64 * MIB)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert taken < 40 * MIB


def test_a_server_refuses_a_length_before_the_body(served: int) -> None:
    head = f"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: {300 * MIB}\r\n\r\n"
    _, answer = sent_until_refused(served, head, b"", 0)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close" in answer.lower()


def test_a_server_serves_what_is_small(served: int) -> None:
    head = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    _, answer = sent_until_refused(served, head, b"", 0)
    assert answer.startswith(b"HTTP/1.1 200 ")
