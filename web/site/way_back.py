"""The page to which a form returns the user."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def way_back(request: HttpRequest, otherwise: str) -> str:
    """Return the value of the form field `next` if it is a path of this site, else `otherwise`."""
    asked = request.POST.get("next", "")
    # `redirect` would interpret a text without a slash as the name of a page.
    own = asked.startswith("/") and url_has_allowed_host_and_scheme(asked, allowed_hosts=None)
    return asked if own else otherwise
