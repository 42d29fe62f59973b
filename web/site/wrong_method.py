"""Answers to browsers that open an address with the wrong method, such as GET for the target of a form.

This happens after a sign-in: the form was sent without a session, and the browser returns to its address.
"""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve
from django.utils.decorators import sync_only_middleware

from web.site.threads import Handler

_AGAIN = "Nothing was sent. To send it, use the form on this page again."


@sync_only_middleware
def explain_wrong_method(get_response: Handler) -> Handler:
    """Send users who opened the target of a form to the page above it. Others get a page that explains it.

    Programs, which do not ask for HTML, get the bare status. Must come after the middleware of messages.
    """

    def call(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        asks_for_page = "text/html" in request.headers.get("Accept", "") and not request.path.startswith(
            "/api/"
        )
        if not isinstance(response, HttpResponseNotAllowed) or not asks_for_page:
            return response
        return _explanation(request, response)

    return call


def _explanation(request: HttpRequest, refusal: HttpResponseNotAllowed) -> HttpResponse:
    above = _page_above(request.path)
    if above and request.method == "GET" and request.user.is_authenticated:
        messages.info(request, _AGAIN)
        return redirect(above)
    page = render(request, "405.html", {"above": above}, status=405)
    page["Allow"] = refusal["Allow"]
    return page


def _page_above(path: str) -> str | None:
    """Return the nearest known address above `path` except the home page, or None."""
    while (path := path.rstrip("/").rpartition("/")[0]) != "":
        try:
            resolve(path)
        except Resolver404:
            continue
        return path
    return None
