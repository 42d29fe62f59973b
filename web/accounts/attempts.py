"""How often a password may be wrong before further attempts have to wait.

Theory of operation. A class signs in from one address, so an address alone must not lock it out: what is
counted first is the pair of address and name. Two wider bounds stand behind it, far beyond what people do:

- by address, over all names, against a password that is tried with many names;
- by name, over all addresses, against many addresses that try one name. It does not hold at an address from
  which that name signed in during the last `KNOWN_DAYS` days, so whoever is attacked is not locked out at
  their own desk. What holds there is the pair.

Only failures count, and what is refused counts nowhere: whoever goes on trying one name uses up no more of
what others may do from that address. The figures are in `ACCOUNT_RATE_LIMITS`. All of it is kept in the
cache, so while there is none nothing is limited, like the rates of the API.
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
    """Count an attempt before its password is looked at; None when it is refused.

    Take back what is given, by `rollback`, when the password was right.
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
    """Note that `name` signed in from this address."""
    cache.set(_known(request, name), 1, KNOWN_DAYS * 24 * 3600)


def forget(request: HttpRequest, name: str) -> None:
    """Let `name` try again from this address, as after a reset of the password."""
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
