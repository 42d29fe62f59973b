"""The URL map as a flat list: every pattern with its name and arguments."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern
from ninja.operation import PathView


@dataclass(frozen=True, slots=True)
class Route:
    """An address. `path` has its arguments in braces: `problems/{slug}/drafts/{language}`.

    `methods` are the methods to try: those of the operation in the API, GET and POST elsewhere.
    """

    name: str
    path: str
    methods: tuple[str, ...]

    def fill(self, values: Mapping[str, object]) -> str:
        """The address with its arguments in place. Raises KeyError for one that the world lacks."""
        return "/" + re.sub(r"\{(\w+)\}", lambda found: str(values[found[1]]), self.path)


def every_route() -> list[Route]:
    """Return all routes except those of Django's admin, which has a separate rule."""
    found = list(_walk(get_resolver().url_patterns, "", ()))
    return [route for route in found if not route.name.startswith("admin:")]


def admin_routes() -> list[Route]:
    """Return the routes of Django's admin without arguments."""
    found = _walk(get_resolver().url_patterns, "", ())
    return [route for route in found if route.name.startswith("admin:") and "{" not in route.path]


def _walk(patterns: list[URLPattern | URLResolver], before: str, spaces: tuple[str, ...]) -> Iterator[Route]:
    for entry in patterns:
        path = before + _readable(entry)
        if isinstance(entry, URLResolver):
            inner = (*spaces, entry.namespace) if entry.namespace else spaces
            yield from _walk(entry.url_patterns, path, inner)
        else:
            name = ":".join([*spaces, entry.name or path])
            yield Route(name, path, _methods(entry))


def _readable(entry: URLPattern | URLResolver) -> str:
    text = str(entry.pattern)
    if isinstance(entry.pattern, RoutePattern):
        return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", text)
    # allauth's few regular expressions: a group with a name, anchors around it
    return re.sub(r"\(\?P<(\w+)>[^)]*\)", r"{\1}", text).strip("^$")


def _methods(entry: URLPattern) -> tuple[str, ...]:
    for owner in (getattr(entry.callback, "__self__", None), *_enclosed(entry)):
        if isinstance(owner, PathView):
            return tuple(method for operation in owner.operations for method in operation.methods)
    return ("GET", "POST")


def _enclosed(entry: URLPattern) -> list[object]:
    """Return the values in the view's closure, because Ninja wraps the path view with the operations."""
    return [cell.cell_contents for cell in getattr(entry.callback, "__closure__", None) or ()]
