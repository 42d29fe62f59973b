"""The fleet page for staff: the state of the fleet, and orders about it."""

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from web.audit.access import member, staff_only
from web.audit.forms import ReasonForm
from web.fleet import orders, pages
from web.fleet.models import Gpu, Node
from web.site.htmx_request import PageRequest

_SAY_WHY = "Enter a reason. Other staff will see it."


@require_safe
@staff_only
def fleet(request: HttpRequest) -> HttpResponse:
    """Show every node, worker and GPU. htmx gets the part that changes."""
    template = "fleet/now.html" if cast("PageRequest", request).htmx else "fleet/fleet.html"
    return render(request, template, {"page": pages.fleet_page()})


@require_POST
@staff_only
def node_drain(request: HttpRequest, pk: int) -> HttpResponse:
    """Drain a node."""
    node, reason = get_object_or_404(Node, pk=pk), _reason(request)
    if reason:
        orders.drain(member(request), node, reason=reason)
    return _respond(
        request, done=bool(reason), yes=f"{node} is draining. It finishes its current jobs.", no=_SAY_WHY
    )


@require_POST
@staff_only
def node_undrain(request: HttpRequest, pk: int) -> HttpResponse:
    """Undrain a node."""
    node = get_object_or_404(Node, pk=pk)
    return _respond(
        request,
        done=orders.undrain(member(request), node),
        yes=f"{node} accepts submissions again.",
        no=f"{node} was not drained.",
    )


@require_POST
@staff_only
def gpu_hold(request: HttpRequest, pk: int) -> HttpResponse:
    """Hold a GPU out of use."""
    gpu, reason = get_object_or_404(Gpu, pk=pk), _reason(request)
    if reason:
        orders.hold(member(request), gpu, reason=reason)
    return _respond(
        request, done=bool(reason), yes=f"{gpu} is quarantined until it is released.", no=_SAY_WHY
    )


@require_POST
@staff_only
def gpu_release(request: HttpRequest, pk: int) -> HttpResponse:
    """Release a held GPU."""
    gpu = get_object_or_404(Gpu, pk=pk)
    return _respond(
        request,
        done=orders.release(member(request), gpu),
        yes=f"{gpu} is released. Its node will use it after a successful probe.",
        no=f"{gpu} is not quarantined.",
    )


def _reason(request: HttpRequest) -> str:
    """Return the reason in the form, or an empty string if it is missing or invalid."""
    form = ReasonForm(request.POST)
    return str(form.cleaned_data["reason"]) if form.is_valid() else ""


def _respond(request: HttpRequest, *, done: bool, yes: str, no: str) -> HttpResponse:
    """Redirect to the page with a message that says whether the order took effect."""
    if done:
        messages.success(request, yes)
    else:
        messages.error(request, no)
    return redirect("fleet")
