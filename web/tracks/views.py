"""Pages of tracks."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from web.tracks import pages, queries
from web.tracks.certificates import read_certificate


@require_safe
def track_list(request: HttpRequest) -> HttpResponse:
    """Show every track with the user's progress."""
    return render(request, "tracks/list.html", {"paths": queries.list_paths(request.user)})


@require_safe
def track(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a track: its description, and its problems in order."""
    return render(request, "tracks/track.html", {"page": pages.track_page(request.user, slug)})


@require_safe
def certificate(request: HttpRequest, token: str) -> HttpResponse:
    """Show a certificate to any reader with its address."""
    found = read_certificate(token)
    if found is None:
        raise Http404("Certificate not found.")
    url = request.build_absolute_uri(request.path)
    return render(request, "tracks/certificate.html", {"certificate": found, "url": url})
