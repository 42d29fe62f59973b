"""The thread in which a request runs."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_only_middleware

Handler = Callable[[HttpRequest], HttpResponseBase]


@sync_only_middleware
def in_one_thread(get_response: Handler) -> Handler:
    """Keep all middleware above this one in one thread.

    Middleware that supports sync and async would run as a coroutine under ASGI and move each of its steps to
    a thread and back, twice for each of them. Below a sync-only middleware, the whole chain is called
    synchronously.
    """
    return get_response
