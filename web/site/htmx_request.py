"""Requests as our middleware leaves them."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class PageRequest(HttpRequest):
    """A request that knows whether htmx, or a script of ours in its manner, asks for a part of a page."""

    htmx: HtmxDetails
