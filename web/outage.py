"""What is answered when a request fails: that the database is away for a moment, or that something broke."""

import sys

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.defaults import server_error

from web.databases import DATABASE_AWAY

AGAIN_S = 5


def failure(request: HttpRequest) -> HttpResponse:
    """The page for a request that failed. It asks the database for nothing."""
    if not isinstance(sys.exc_info()[1], DATABASE_AWAY):
        return server_error(request)
    again_s = AGAIN_S if request.method in {"GET", "HEAD"} else None
    page = render_to_string("503.html", {"again_s": again_s})
    return HttpResponse(page, status=503, headers={"Retry-After": str(AGAIN_S)})
