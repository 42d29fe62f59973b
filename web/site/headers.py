"""Response headers that Django has no setting for."""

from collections.abc import Callable
from wsgiref.headers import Headers

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

_POLICY = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"

# The worker that formats programs runs WebAssembly. The policy of a worker comes with its script, so pages
# need no exception.
_WORKER = "/dist/formatter.js"
_WORKER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"


def worker_policy(headers: Headers, path: str, url: str) -> None:  # noqa: ARG001 - WhiteNoise passes both
    """Give the script of the formatter its policy. WhiteNoise calls this for every static file."""
    if url.endswith(_WORKER):
        headers["Content-Security-Policy"] = _WORKER_POLICY


@sync_and_async_middleware
def permissions_policy(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[..., object]:
    """Disable the browser features that no page of the site uses."""
    if iscoroutinefunction(get_response):

        async def call_async(request: HttpRequest) -> HttpResponseBase:
            response: HttpResponseBase = await get_response(request)
            response["Permissions-Policy"] = _POLICY
            return response

        return call_async

    def call(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response["Permissions-Policy"] = _POLICY
        return response

    return call
