"""The help page."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from web.help import guide


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    """Show what the verdicts mean and how judging works."""
    site = settings.WARPCOURT.public_url or request.build_absolute_uri("/").rstrip("/")
    return render(request, "web/help.html", {"page": guide.guide_page(site)})
