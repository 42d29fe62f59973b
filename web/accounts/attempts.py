"""Limits on failed passwords.

Theory of operation. A class signs in from one address, so an address alone must not lock it out. The first
limit therefore counts failures for each pair of address and name. Two wider limits back it up. Normal use
stays far below them:

- A limit for each address, over all names, stops a client that tries one password with many names.
- A limit for each name, over all addresses, stops many addresses that try one name. It does not apply at an
  address from which that name signed in during the last `KNOWN_DAYS` days, so an attack does not lock users
  out at their own desk. Only the limit of the pair applies there.

Only failures count. A refused attempt counts nowhere, so a client that keeps trying one name does not use up
the limit of other users at that address. The figures are in `ACCOUNT_RATE_LIMITS`. The cache stores all
counts. Without a cache there is no limit, as with the rate limits of the API.
"""

import hashlib

from allauth.core.internal import ratelimit
from django.core.cache import cache
from django.http import HttpRequest

KNOWN_DAYS = 30
_APP = "allauth.account"
_BY_PAIR_AND_ADDRESS = "login_failed"
_BY_NAME = "login_failed_name"


def consume(request: HttpRequest, name: str) -> ratelimit.RateLimitUsage | None:
    """Count an attempt before the password is checked. Return its usage, or None if the attempt is refused.

    Call `rollback` on the returned usage if the password was right.
    """
    if cache.get(_known(request, name)):
        return _consume(request, _BY_PAIR_AND_ADDRESS, _pair(request, name))
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
    cache.set(_known(request, name), 1, KNOWN_DAYS * 24 * 3600)


def forget(request: HttpRequest, name: str) -> None:
    """Clear the failures of `name` at this address, for example after a password reset."""
    for rate in _rates(_BY_PAIR_AND_ADDRESS):
        if rate.per == "key":
            cache.delete(
                ratelimit.get_cache_key(
                    request, app=_APP, action=_BY_PAIR_AND_ADDRESS, rate=rate, key=_pair(request, name)
                )
            )


def _rates(action: str) -> list[ratelimit.Rate]:
    return list(ratelimit.get_rates(app=_APP, action=action))


def _consume(request: HttpRequest, action: str, key: str) -> ratelimit.RateLimitUsage | None:
    return ratelimit.consume(request, app=_APP, action=action, key=key)


def _plain(name: str) -> str:
    return name.strip().casefold()


def _pair(request: HttpRequest, name: str) -> str:
    return f"{ratelimit.get_ip(request)} {_plain(name)}"


def _known(request: HttpRequest, name: str) -> str:
    digest = hashlib.sha256(_pair(request, name).encode()).hexdigest()
    return f"signed-in:{digest}"
