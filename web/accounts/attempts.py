"""Limits on failed passwords, tokens and keys.

Theory of operation. A class signs in from one address, so an address alone must not lock it out. The first
limit therefore counts failures for each pair of address and name. Two wider limits back it up. Normal use
stays far below them:

- A limit for each address, over all names, stops a client that tries one password with many names.
- A limit for each name, over all addresses, stops many addresses that try one name.

Neither applies at an address from which that name signed in during the last `KNOWN_DAYS` days, so an attack
does not lock users out at their own desk. Only the limit of the pair applies there.

Tokens of the API, tokens of `node join` and keys of personal nodes are too long to guess, but each wrong one
costs a query. So the same limits apply to each pair of address and key, and to each address over all keys. A
key that worked at an address during the last `KNOWN_DAYS` days is not refused there, so wrong keys of one
user do not stop the programs of other users at that address.

Only failures count. A refused attempt counts nowhere, so a client that keeps trying one name does not use up
the limit of other users at that address. The figures are in `ACCOUNT_RATE_LIMITS`. The cache stores all
counts. Without a cache there is no limit, as with the rate limits of the API.
"""

import hashlib
import math
import time
from collections.abc import Callable
from typing import TypeVar

from allauth.account import app_settings
from allauth.core.internal import ratelimit
from django.core.cache import cache
from django.http import HttpRequest

T = TypeVar("T")

KNOWN_DAYS = 30
_KNOWN_S = KNOWN_DAYS * 24 * 3600
_APP = "allauth.account"
_BY_PAIR_AND_ADDRESS = "login_failed"
_BY_NAME = "login_failed_name"
_BY_KEY = "key_failed"


class TooManyFailedKeys(Exception):
    """Raised instead of a lookup of a key. `wait_s` is the time until the next attempt, in seconds."""

    def __init__(self, wait_s: int) -> None:
        super().__init__(
            "Too many invalid tokens or keys from your address. Check the token, and try again in "
            f"{math.ceil(wait_s / 60)} min."
        )
        self.wait_s = wait_s


def consume(request: HttpRequest, name: str) -> ratelimit.RateLimitUsage | None:
    """Count an attempt before the password is checked. Return its usage, or None if the attempt is refused.

    Call `rollback` on the returned usage if the password was right.
    """
    if cache.get(_known(request, name)):
        return _consume(request, _BY_PAIR_AND_ADDRESS, _pair(request, name), only_per="key")
    by_name = _consume(request, _BY_NAME, _plain(name))
    if by_name is None:
        return None
    others = _consume(request, _BY_PAIR_AND_ADDRESS, _pair(request, name))
    if others is None:
        by_name.rollback()
        return None
    return ratelimit.RateLimitUsage(usage=[*by_name.usage, *others.usage])


def remember(request: HttpRequest, name: str) -> None:
    """Record that `name` signed in from this address."""
    cache.set(_known(request, name), 1, _KNOWN_S)


def forget(request: HttpRequest, name: str) -> None:
    """Clear the failures of `name` at this address, for example after a password reset."""
    for rate in _rates(_BY_PAIR_AND_ADDRESS):
        if rate.per == "key":
            cache.delete(
                ratelimit.get_cache_key(
                    request, app=_APP, action=_BY_PAIR_AND_ADDRESS, rate=rate, key=_pair(request, name)
                )
            )


def look_up(request: HttpRequest, key: str, find: Callable[[str], T | None]) -> T | None:
    """Return `find(key)`, and count the attempt if it is None.

    Raises:
        TooManyFailedKeys: there were too many such attempts. `find` was not called.
    """
    pair, now = f"{ratelimit.get_ip(request)} {key}", time.time()
    known = f"key-worked:{_digest(pair)}"
    counts = {
        ratelimit.get_cache_key(request, app=_APP, action=_BY_KEY, rate=rate, key=pair): rate
        for rate in _rates(_BY_KEY)
    }
    kept = cache.get_many([known, *counts])
    for place, rate in counts.items():
        allowed, history = ratelimit.apply_rate([*kept.get(place, ())], now, rate, dry_run=True)
        if not allowed and known not in kept:
            raise TooManyFailedKeys(math.ceil(history[-1] + rate.duration - now))
    found = find(key)
    if found is None:
        ratelimit.consume(request, app=_APP, action=_BY_KEY, key=pair, limit_get=True)
        if known in kept:
            cache.delete(known)
    elif known not in kept:
        cache.set(known, 1, _KNOWN_S)
    return found


def _rates(action: str) -> list[ratelimit.Rate]:
    return list(ratelimit.get_rates(app=_APP, action=action))


def _consume(
    request: HttpRequest, action: str, key: str, *, only_per: str = ""
) -> ratelimit.RateLimitUsage | None:
    """Count an attempt for each rate of `action`, or none if one of the rates refuses it."""
    usage = ratelimit.RateLimitUsage(usage=[])
    for rate in filter(None, map(str.strip, (app_settings.RATE_LIMITS.get(action) or "").split(","))):
        if not rate.endswith(only_per):
            continue
        counted = ratelimit.consume(request, app=_APP, action=action, key=key, config={action: rate})
        if counted is None:
            usage.rollback()
            return None
        usage.usage += counted.usage
    return usage


def _plain(name: str) -> str:
    return name.strip().casefold()


def _pair(request: HttpRequest, name: str) -> str:
    return f"{ratelimit.get_ip(request)} {_plain(name)}"


def _known(request: HttpRequest, name: str) -> str:
    return f"signed-in:{_digest(_pair(request, name))}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
