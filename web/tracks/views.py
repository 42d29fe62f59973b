"""Pages of tracks."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from web.tracks import pages, queries


@require_safe
def track_list(request: HttpRequest) -> HttpResponse:
    """Show every track with the user's progress."""
    return render(request, "tracks/list.html", {"paths": queries.list_paths(request.user)})


@require_safe
def track(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a track: its description, and its problems in order."""
    return render(request, "tracks/track.html", {"page": pages.track_page(request.user, slug)})
