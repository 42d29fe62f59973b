"""The OpenAPI document of the API, generated once per process.

Theory of operation. The document depends on the code and on the path under which the site is mounted, so it
stays the same while a process runs. Generating it takes far longer than sending it. Clients that have it
already revalidate it by its ETag and get no body.
"""

from collections.abc import Callable
from typing import Any

from django.http import HttpResponseBase
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema


class ApiWithCachedDocument(NinjaAPI):
    """An API that keeps its OpenAPI document. Add all routers before the first request for it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, docs_url=None, docs_decorator=_revalidated)
        self._documents: dict[str, OpenAPISchema] = {}

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """Return the document for an API at `path_prefix`. Do not change it: all callers share it."""
        prefix = self.get_root_path(path_params or {}) if path_prefix is None else path_prefix
        if prefix not in self._documents:
            self._documents[prefix] = super().get_openapi_schema(path_prefix=prefix)
        return self._documents[prefix]


def _revalidated(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let clients keep the answer of `view` and revalidate it by its ETag each time."""
    return conditional_page(cache_control(no_cache=True)(view))
