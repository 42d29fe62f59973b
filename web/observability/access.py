"""Who may read metrics. They name no person and no program, but say how many there are of each.

With a token set, whoever sends it; without one, whoever asks on the loopback address. A reverse proxy asks on
that address too, for everybody: what was forwarded does not count as local.
"""

import hmac
from ipaddress import ip_address

REFUSED = "Access denied. Send the token of WARPCOURT_METRICS_TOKEN, or request metrics from this host.\n"


def may_read(*, token: str, authorization: str, client: str, forwarded: bool) -> bool:
    """Whether a request with this `Authorization` from this address may see metrics.

    `forwarded` says that a proxy stands between.
    """
    if token:
        return hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode())
    return not forwarded and _is_loopback(client)


def _is_loopback(client: str) -> bool:
    try:
        return ip_address(client).is_loopback
    except ValueError:
        return False
