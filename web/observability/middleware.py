"""Gives each request an id, a span and a count."""

import re
import time
import uuid

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_only_middleware

from web.site import metrics, tracing
from web.site.origin import answering
from web.site.threads import Handler

log = structlog.get_logger(__name__)

REQUEST_ID = "X-Request-ID"
SLOW_S = 1.0
_ACCEPTABLE = re.compile(r"[A-Za-z0-9-]{8,64}")
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


@sync_only_middleware
def watch(get_response: Handler) -> Handler:
    """Give the request an id, time it and count it. Must be the first middleware, to include all others.

    The id comes from a trusted proxy if it sends one; otherwise it is new.
    """

    def call(request: HttpRequest) -> HttpResponseBase:
        request_id = _id_of(request)
        method = request.method if request.method in _METHODS else "other"
        token = answering.set((request_id, request))
        started = time.perf_counter()
        try:
            with (
                structlog.contextvars.bound_contextvars(request_id=request_id),
                tracing.span("request", role=tracing.SpanRole.SERVER, parent=_parent_of(request)),
                metrics.HTTP_IN_FLIGHT.track_inprogress(),
            ):
                response = get_response(request)
                _count(request, response, str(method), time.perf_counter() - started)
        finally:
            answering.reset(token)
        response[REQUEST_ID] = request_id
        return response

    return call


def _count(request: HttpRequest, response: HttpResponseBase, method: str, seconds: float) -> None:
    match = request.resolver_match
    view = (match.view_name or match.route) if match else "none"
    status = response.status_code
    metrics.HTTP_REQUESTS.labels(method=method, view=view, status=str(status)).inc()
    metrics.HTTP_SECONDS.labels(method=method, view=view).observe(seconds)
    tracing.note(
        f"{method} {view}",
        {"http.request.method": method, "http.route": view, "http.response.status_code": status},
    )
    tell = log.warning if seconds >= SLOW_S else log.debug
    tell("request", method=method, view=view, status=status, took_ms=round(seconds * 1000, 1))


def _id_of(request: HttpRequest) -> str:
    given = request.headers.get(REQUEST_ID, "") if settings.WARPCOURT.trusted_proxies else ""
    return given if _ACCEPTABLE.fullmatch(given) else uuid.uuid4().hex


def _parent_of(request: HttpRequest) -> str:
    return request.headers.get("traceparent", "") if settings.WARPCOURT.trusted_proxies else ""
