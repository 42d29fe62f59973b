"""The pages for failed requests: the database is down, an error of the site, or no CSRF token."""

import sys

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.defaults import server_error

from web.site.databases import DATABASE_AWAY

AGAIN_S = 5


def handler500(request: HttpRequest) -> HttpResponse:
    """Return the page for a request that failed. It does not query the database."""
    if not isinstance(sys.exc_info()[1], DATABASE_AWAY):
        return server_error(request)
    again_s = AGAIN_S if request.method in {"GET", "HEAD"} else None
    page = render_to_string("503.html", {"again_s": again_s})
    return HttpResponse(page, status=503, headers={"Retry-After": str(AGAIN_S)})


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - Django's signature
    """Return the page for a form without a valid CSRF token."""
    return render(request, "403_csrf.html", status=403)
