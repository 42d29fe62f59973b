"""The request that caused a log entry, a submission or a judgement.

Theory of operation. Each request has an id. Its log entries contain it, and its answer returns it as
`X-Request-ID`. A wake-up message cannot pass the id on, because any message may lead to any job
(docs/adr/0003). So the ids are in the journal: the event that records the queueing of a submission contains
them, and the worker that claims the submission reads them there.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.functional import LazyObject, empty

from web.site import tracing


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """A request, and its span in a trace, empty if there is none."""

    request_id: str = ""
    traceparent: str = ""

    @classmethod
    def of(cls, payload: Mapping[str, object]) -> "RequestOrigin":
        """Return the ids as the journal stores them."""
        return cls(str(payload.get("request_id", "")), str(payload.get("traceparent", "")))


_IDS = {"request_id", "traceparent"}

answering: ContextVar[tuple[str, HttpRequest] | None] = ContextVar("answering", default=None)


def here() -> dict[str, str]:
    """Return the ids of the current request or job, for the journal; empty outside both."""
    now = answering.get()
    found = {"request_id": now[0] if now else "", "traceparent": tracing.traceparent()}
    return {name: value for name, value in found.items() if value}


def without_ids(payload: Mapping[str, object]) -> dict[str, object]:
    """Return the part of an event for clients, without the ids, which are for the site's own log."""
    return {name: value for name, value in payload.items() if name not in _IDS}


def add_user_id(_logger: object, _method: str, line: Any) -> Any:
    """Add the number of the request's user, if it is known by now. A processor of structlog."""
    now = answering.get()
    user_id = _user_id(now[1]) if now else None
    if user_id is not None:
        line.setdefault("user_id", user_id)
    return line


def _user_id(request: HttpRequest) -> int | None:
    """Return the user's number. Never queries the database, because a log entry must not."""
    user = request.__dict__.get("user")
    if isinstance(user, LazyObject):
        user = user.__dict__.get("_wrapped", empty)
    return None if user is None or user is empty else user.pk
