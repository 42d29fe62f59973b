"""Response headers that Django has no setting for."""

from collections.abc import Callable

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

_POLICY = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


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
