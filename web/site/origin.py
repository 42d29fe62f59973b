"""Which request a line of the log, a submission and its judging come from.

Theory of operation. Each request has an id, which its log lines carry and its answer names as `X-Request-ID`.
A ring for a worker cannot carry it on, since any ring may lead to any job (docs/adr/0003); the journal can.
The event that says that a submission was queued holds the ids; the worker that claims it reads them there.
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
    """A request, and its place in a trace, empty where none is made."""

    request_id: str = ""
    traceparent: str = ""

    @classmethod
    def of(cls, payload: Mapping[str, object]) -> "RequestOrigin":
        """As the journal has it."""
        return cls(str(payload.get("request_id", "")), str(payload.get("traceparent", "")))


_IDS = {"request_id", "traceparent"}

answering: ContextVar[tuple[str, HttpRequest] | None] = ContextVar("answering", default=None)


def here() -> dict[str, str]:
    """Return the ids of what goes on here, for the journal; empty outside a request."""
    now = answering.get()
    found = {"request_id": now[0] if now else "", "traceparent": tracing.traceparent()}
    return {name: value for name, value in found.items() if value}


def without_ids(payload: Mapping[str, object]) -> dict[str, object]:
    """What of an event is for those who watch: the ids are for the site's own log."""
    return {name: value for name, value in payload.items() if name not in _IDS}


def add_user_id(_logger: object, _method: str, line: Any) -> Any:
    """Return a processor of structlog: says whose request it is, by number, where that is known by now."""
    now = answering.get()
    user_id = _user_id(now[1]) if now else None
    if user_id is not None:
        line.setdefault("user_id", user_id)
    return line


def _user_id(request: HttpRequest) -> int | None:
    """Never asks the database: a line of the log must not."""
    user = request.__dict__.get("user")
    if isinstance(user, LazyObject):
        user = user.__dict__.get("_wrapped", empty)
    return None if user is None or user is empty else user.pk
