"""A submission's journal as server-sent events.

Theory of operation. Events are rows of the database, so any web process can serve any stream without other
services; `web.submissions.event_broadcaster` polls for all streams of a process together. Each event carries
its sequence number as `id`; a browser that reconnects sends it back as `Last-Event-ID` and misses nothing.
The place of a waiting job comes as `queue` events without an `id`, because no client needs old ones. The
stream ends after the final event. A reconnect to a finished one is answered 204, which makes an EventSource
stop. A stream is long-lived, so it holds neither a connection of the database pool nor the thread of its
request.
"""

import json
import time
from collections import Counter
from collections.abc import AsyncIterator

from asgiref.sync import SyncToAsync, sync_to_async
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_safe

from web.site import metrics, origin
from web.submissions import queries
from web.submissions.event_broadcaster import broadcaster, closing
from web.submissions.models import Event
from web.submissions.queries import Following, Viewer
from web.submissions.queue_position import QueuePosition

KEEP_ALIVE_S = 15.0
MAX_STREAMS_PER_USER = 8
_RETRY_MS = 1000
_open_streams: Counter[int] = Counter()


@require_safe
async def events(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Return the stream for the signed-in user."""
    viewer = await sync_to_async(closing(lambda: _signed_in(request)))()
    return await open_stream(request, viewer, public_id)


async def open_stream(request: HttpRequest, viewer: Viewer, public_id: str) -> HttpResponseBase:
    """Return the stream of a submission that `viewer` may see.

    Raises:
        Http404: there is none that `viewer` may see.
    """
    after = resume_point(request)
    submission_id, first = await sync_to_async(closing(_begin))(viewer, public_id, after)
    if first.over and not first.events:
        return HttpResponse(status=204)
    viewer_id = viewer.pk or 0
    if _open_streams[viewer_id] >= MAX_STREAMS_PER_USER:
        return HttpResponse("Too many open event streams. Close one.", status=429, content_type="text/plain")
    response = StreamingHttpResponse(
        _stream(viewer_id, submission_id, first, after), content_type="text/event-stream"
    )
    response["Cache-Control"] = "no-cache, no-transform"
    response["X-Accel-Buffering"] = "no"
    return response


def resume_point(request: HttpRequest) -> int:
    """Return the sequence number that the client has seen last, 0 if none or invalid.

    A reconnecting browser sends it as `Last-Event-ID`; a first request may give it as `?after=`.
    """
    text = request.headers.get("Last-Event-ID") or request.GET.get("after", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def format_event(event: Event) -> str:
    """Return one event in the wire format. JSON holds no line break, so it is one `data` line."""
    body = {"kind": event.kind, "at": event.created.isoformat(), **origin.without_ids(event.payload)}
    return f"id: {event.sequence}\nevent: {event.kind}\ndata: {json.dumps(body)}\n\n"


def format_position(position: QueuePosition) -> str:
    """Return the position of a job in the wire format."""
    body = {
        "kind": "queue",
        "place": position.place,
        "estimate_s": position.estimate_s and round(position.estimate_s),
        "text": position.text,
        "detail": position.detail,
    }
    return f"event: queue\ndata: {json.dumps(body)}\n\n"


async def _stream(viewer_id: int, submission_id: int, first: Following, after: int) -> AsyncIterator[str]:
    if _open_streams[viewer_id] >= MAX_STREAMS_PER_USER:  # others were requested at the same time
        return
    _open_streams[viewer_id] += 1
    metrics.EVENT_STREAMS.inc()
    _release_thread()
    try:
        yield f"retry: {_RETRY_MS}\n\n"
        async for chunk in _chunks(submission_id, first, after):
            yield chunk
    finally:
        metrics.EVENT_STREAMS.dec()
        _open_streams[viewer_id] -= 1
        if not _open_streams[viewer_id]:
            del _open_streams[viewer_id]


async def _chunks(submission_id: int, first: Following, after: int) -> AsyncIterator[str]:
    deadline = time.monotonic() + settings.WARPCOURT.stream_limit_s
    for event in first.events:
        yield format_event(event)
        after = event.sequence
    if first.over:
        return
    with broadcaster().watching(submission_id, after=after) as watcher:
        while (left_s := deadline - time.monotonic()) > 0:
            update = await watcher.next_update(min(KEEP_ALIVE_S, left_s))
            for event in update.events:
                yield format_event(event)
            if update.over:
                return
            if update.position:
                yield format_position(update.position)
            elif not update.events:
                yield ": still here\n\n"


def _release_thread() -> None:
    """End the thread in which the synchronous parts of this request ran.

    Django keeps one such thread for each request until its response is complete, so a thousand streams would
    keep a thousand threads. If a thread is needed at the end, asgiref starts a new one.
    """
    context = SyncToAsync.thread_sensitive_context.get(None)
    thread = SyncToAsync.context_to_thread_executor.pop(context, None) if context else None
    if thread is not None:
        thread.shutdown(wait=False)


def _signed_in(request: HttpRequest) -> Viewer:
    viewer: Viewer = request.user
    viewer.is_authenticated  # noqa: B018 - makes the lazy user load here, in the thread that may
    return viewer


def _begin(viewer: Viewer, public_id: str, after: int) -> tuple[int, Following]:
    row = queries.visible_submissions(viewer).filter(public_id=public_id).values_list("pk", flat=True).first()
    if row is None:
        raise Http404("Submission not found.")
    return row, queries.follow(row, after=after)
