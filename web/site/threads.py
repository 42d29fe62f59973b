"""Where the work on one request runs."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_only_middleware

Handler = Callable[[HttpRequest], HttpResponseBase]


@sync_only_middleware
def in_one_thread(get_response: Handler) -> Handler:
    """Keep all middleware above this one in one thread.

    Middleware that can do both would run as a coroutine under ASGI and hand each of its steps to a thread
    and back, twice for each of them. Below something that cannot, the whole chain is called plainly.
    """
    return get_response
