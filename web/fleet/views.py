"""The fleet page, for staff."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from web.fleet import pages, queries


@require_safe
def fleet(request: HttpRequest) -> HttpResponse:
    """Every node and GPU. To everybody but staff the page does not exist."""
    if not request.user.is_staff:
        raise Http404
    return render(request, "fleet/fleet.html", {"cards": [pages.card(now) for now in queries.fleet()]})
