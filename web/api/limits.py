"""Limits the API requests per minute of each caller, and reports the remaining ones in headers.

Theory of operation. A caller is a user, with any token or session, or an address if no user is signed in.
Each personal node is a caller of its own: it polls, and should not use up the requests of its owner. A window
is a whole minute of the clock. The cache that all web processes share counts the requests in it. Around the
end of a fixed window, at most twice the limit can pass. Counting costs one increment per request. While the
cache is down, there is no limit, but the database still limits submissions.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from ninja.throttling import BaseThrottle

from web.fleet.models import PersonalNode

WINDOW_S = 60


@dataclass(frozen=True, slots=True)
class Allowance:
    """The requests that a caller has left in this window, which ends in `reset_s` seconds."""

    limit: int
    used: int
    reset_s: int

    @property
    def remaining(self) -> int:
        """Return the number of requests left."""
        return max(self.limit - self.used, 0)

    @property
    def exceeded(self) -> bool:
        """Return whether this request exceeds the limit."""
        return self.used > self.limit


class PerMinute(BaseThrottle):
    """Lets a caller make `api_per_minute` requests a minute."""

    def allow_request(self, request: HttpRequest) -> bool:
        """Count the request, and return whether it is allowed."""
        allowance = _count(self._caller(request))
        request.allowance = allowance  # type: ignore[attr-defined]  # read by `rate_headers`
        return not allowance.exceeded

    def _caller(self, request: HttpRequest) -> str:
        if isinstance(node := getattr(request, "auth", None), PersonalNode):
            return f"node-{node.pk}"
        if request.user.is_authenticated:
            return f"user-{request.user.pk}"
        return f"at-{self.get_ident(request)}"

    def wait(self) -> float | None:
        """Return None: the middleware below sends the time to wait, because it knows the request."""
        return None


@sync_and_async_middleware
def rate_headers(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[..., object]:
    """Add the rate-limit headers to API responses, and `Retry-After` if no requests are left."""
    if iscoroutinefunction(get_response):

        async def call_async(request: HttpRequest) -> HttpResponseBase:
            response: HttpResponseBase = await get_response(request)
            return _tell(request, response)

        return call_async

    return lambda request: _tell(request, get_response(request))


def _tell(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    allowance: Allowance | None = getattr(request, "allowance", None)
    if allowance is not None:
        response["RateLimit-Limit"] = str(allowance.limit)
        response["RateLimit-Remaining"] = str(allowance.remaining)
        response["RateLimit-Reset"] = str(allowance.reset_s)
        if allowance.exceeded:
            response["Retry-After"] = str(allowance.reset_s)
    return response


def _count(caller: str) -> Allowance:
    now_s = int(time.time())
    window, passed_s = divmod(now_s, WINDOW_S)
    key = f"api-rate:{window}:{caller}"
    cache.add(key, 0, timeout=2 * WINDOW_S)
    try:
        used = cache.incr(key)
    except ValueError:  # a full cache has dropped the counter
        used = 1
    return Allowance(settings.WARPCOURT.api_per_minute, used, WINDOW_S - passed_s)
