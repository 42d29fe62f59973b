"""A submission's journal as server-sent events.

Theory of operation. An async view polls the event table and sends what is new, so any web process can
serve any stream, and nothing but the database needs to be reached. Each event carries its sequence
number as `id`; a browser that reconnects sends it back as `Last-Event-ID` and misses nothing. The
stream ends after the final event, and a reconnect to a finished one is answered 204, which tells an
EventSource to stop. Every look at the database opens and closes its connection inside one
`sync_to_async` block: a stream lives long and must not hold a connection of the pool.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connections
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from web.submissions import queries
from web.submissions.models import Event
from web.submissions.queries import Following, Viewer

POLL_S = 0.15
KEEP_ALIVE_S = 15.0
MAX_STREAMS_PER_USER = 8
_RETRY_MS = 1000
_open_streams: Counter[int] = Counter()

P = ParamSpec("P")
R = TypeVar("R")


def closing(function: Callable[P, R]) -> Callable[P, R]:
    """Run `function`, then give this thread's database connections back."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        finally:
            for connection in connections.all(initialized_only=True):
                if not connection.in_atomic_block:  # that of a caller, such as a test
                    connection.close()

    return call


async def events(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The stream, for the one who is signed in."""
    viewer = await sync_to_async(closing(lambda: _signed_in(request)))()
    return await open_stream(request, viewer, public_id)


async def open_stream(request: HttpRequest, viewer: Viewer, public_id: str) -> HttpResponseBase:
    """The stream of a submission that `viewer` may see.

    Raises:
        Http404: there is no such submission for `viewer`.
    """
    after = resume_point(request)
    submission_id, first = await sync_to_async(closing(_begin))(viewer, public_id, after)
    if first.over and not first.events:
        return HttpResponse(status=204)
    viewer_id = viewer.pk or 0
    if _open_streams[viewer_id] >= MAX_STREAMS_PER_USER:
        return HttpResponse("Too many open event streams; close one.", status=429, content_type="text/plain")
    response = StreamingHttpResponse(
        _stream(viewer_id, submission_id, first, after), content_type="text/event-stream"
    )
    response["Cache-Control"] = "no-cache, no-transform"
    response["X-Accel-Buffering"] = "no"
    return response


def resume_point(request: HttpRequest) -> int:
    """The sequence number that the client has seen last, 0 for none and for nonsense.

    A reconnecting browser sends it as `Last-Event-ID`; a first request may give it as `?after=`.
    """
    text = request.headers.get("Last-Event-ID") or request.GET.get("after", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def format_event(event: Event) -> str:
    """One event in the wire format. JSON holds no line break, so it is one `data` line."""
    body = {"kind": event.kind, "at": event.created.isoformat(), **event.payload}
    return f"id: {event.sequence}\nevent: {event.kind}\ndata: {json.dumps(body)}\n\n"


async def _stream(viewer_id: int, submission_id: int, first: Following, after: int) -> AsyncIterator[str]:
    _open_streams[viewer_id] += 1
    try:
        yield f"retry: {_RETRY_MS}\n\n"
        async for chunk in _chunks(submission_id, first, after):
            yield chunk
    finally:
        _open_streams[viewer_id] -= 1
        if not _open_streams[viewer_id]:
            del _open_streams[viewer_id]


async def _chunks(submission_id: int, first: Following, after: int) -> AsyncIterator[str]:
    look = sync_to_async(closing(queries.follow))
    deadline = time.monotonic() + settings.WARPCOURT.stream_limit_s
    spoke = time.monotonic()
    following = first
    while True:
        for event in following.events:
            yield format_event(event)
            after = event.sequence
            spoke = time.monotonic()
        now = time.monotonic()
        if following.over or now > deadline:
            return
        if now - spoke > KEEP_ALIVE_S:
            yield ": still here\n\n"
            spoke = now
        await asyncio.sleep(POLL_S)
        following = await look(submission_id, after=after)


def _signed_in(request: HttpRequest) -> Viewer:
    viewer: Viewer = request.user
    viewer.is_authenticated  # noqa: B018 - makes the lazy user load here, in the thread that may
    return viewer


def _begin(viewer: Viewer, public_id: str, after: int) -> tuple[int, Following]:
    row = queries.visible_submissions(viewer).filter(public_id=public_id).values_list("pk", flat=True).first()
    if row is None:
        raise Http404("There is no such submission.")
    return row, queries.follow(row, after=after)
