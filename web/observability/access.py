"""Access to metrics. Metrics contain counts of users and programs, but no names.

If a token is configured, a client must send it. Otherwise a client must use the loopback address. Forwarded
requests do not count as local, because a reverse proxy uses the loopback address for all users.
"""

import hmac
from ipaddress import ip_address

REFUSED = "Access denied. Send the token of WARPCOURT_METRICS_TOKEN, or request metrics from this host.\n"


def may_read(*, token: str, authorization: str, client: str, forwarded: bool) -> bool:
    """Whether a request with this `Authorization` from this address may see metrics.

    `forwarded` tells whether a proxy forwarded the request.
    """
    if token:
        return hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode())
    return not forwarded and _is_loopback(client)


def _is_loopback(client: str) -> bool:
    try:
        return ip_address(client).is_loopback
    except ValueError:
        return False
