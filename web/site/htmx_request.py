"""The type of requests after the site's middleware."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class PageRequest(HttpRequest):
    """A request with `htmx`, which is true if htmx or a script requests a part of a page."""

    htmx: HtmxDetails
