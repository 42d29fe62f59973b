"""The page that describes the API."""

from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from web.api import api
from web.api.reference.operations import Group, operations_of
from web.catalog.markdown import render as render_markdown


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Show every operation of the API with its parameters and an example."""
    site = settings.WARPCOURT.public_url or request.build_absolute_uri("/").rstrip("/")
    context = {
        "groups": _groups(site),
        "introduction": render_markdown(api.description),
        "document": reverse("api:openapi-json"),
    }
    return render(request, "web/api.html", context)


@lru_cache(maxsize=8)
def _groups(site: str) -> tuple[Group, ...]:
    return operations_of(api.get_openapi_schema(path_prefix=reverse("api:api-root")), site)
