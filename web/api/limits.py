"""How many requests a minute one caller may make, and the headers that say how many are left.

Theory of operation. A caller is a user, whatever token or session they come by, or an address for
those who are nobody. Windows are whole minutes of the clock, counted in the cache that all web
processes share; counting by window instead of by a sliding one lets twice the number through at worst,
around a window's end, and costs one increment a request. While the cache is down nothing is limited:
handing in has limits of its own in the database.
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

WINDOW_S = 60


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a caller may still do in this window, which ends in `reset_s` seconds."""

    limit: int
    used: int
    reset_s: int

    @property
    def remaining(self) -> int:
        """Requests left."""
        return max(self.limit - self.used, 0)

    @property
    def exceeded(self) -> bool:
        """Whether this request is one too many."""
        return self.used > self.limit


class PerMinute(BaseThrottle):
    """Lets a caller make `api_per_minute` requests a minute."""

    def allow_request(self, request: HttpRequest) -> bool:
        """Count the request, and say whether it may go on."""
        caller = (
            f"user-{request.user.pk}" if request.user.is_authenticated else f"at-{self.get_ident(request)}"
        )
        allowance = _count(caller)
        request.allowance = allowance  # type: ignore[attr-defined]  # read by `rate_headers`
        return not allowance.exceeded

    def wait(self) -> float | None:
        """The middleware below tells how long to wait, since it knows the request."""
        return None


@sync_and_async_middleware
def rate_headers(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[..., object]:
    """Tell an API client its allowance, and when to come back if there is none left."""
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
    except ValueError:  # dropped by a cache that is full
        used = 1
    return Allowance(settings.WARPCOURT.api_per_minute, used, WINDOW_S - passed_s)
