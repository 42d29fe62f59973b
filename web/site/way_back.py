"""Where a form leads back to."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def way_back(request: HttpRequest, otherwise: str) -> str:
    """Return the path of this site that `next` of a form names, or `otherwise`."""
    asked = request.POST.get("next", "")
    # `redirect` would take a text without a slash for the name of a page.
    own = asked.startswith("/") and url_has_allowed_host_and_scheme(asked, allowed_hosts=None)
    return asked if own else otherwise
