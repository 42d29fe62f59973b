"""The fleet page, for staff: what there is, and what is ordered about it."""

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from web.fleet import orders, pages
from web.fleet.models import Gpu, Node
from web.requests import PageRequest
from web.staff.access import member, staff_only
from web.staff.forms import ReasonForm


@require_safe
@staff_only
def fleet(request: HttpRequest) -> HttpResponse:
    """Every node, worker and GPU. htmx gets the part that changes."""
    template = "fleet/now.html" if cast("PageRequest", request).htmx else "fleet/fleet.html"
    return render(request, template, {"page": pages.fleet_page()})


@require_POST
@staff_only
def node_drain(request: HttpRequest, pk: int) -> HttpResponse:
    """Let the workers of a node take nothing more."""
    node, form = get_object_or_404(Node, pk=pk), ReasonForm(request.POST)
    if form.is_valid():
        orders.drain(member(request), node, reason=form.cleaned_data["reason"])
        messages.success(request, f"{node} is drained: it finishes what it judges.")
    else:
        messages.error(request, "Say why: others read the reason.")
    return redirect("fleet")


@require_POST
@staff_only
def node_undrain(request: HttpRequest, pk: int) -> HttpResponse:
    """Let the workers of a node take from the queue again."""
    node = get_object_or_404(Node, pk=pk)
    if orders.undrain(member(request), node):
        messages.success(request, f"{node} takes submissions again.")
    else:
        messages.error(request, f"{node} was not drained.")
    return redirect("fleet")


@require_POST
@staff_only
def gpu_hold(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep a GPU out of use."""
    gpu, form = get_object_or_404(Gpu, pk=pk), ReasonForm(request.POST)
    if form.is_valid():
        orders.hold(member(request), gpu, reason=form.cleaned_data["reason"])
        messages.success(request, f"{gpu} is in quarantine until somebody releases it.")
    else:
        messages.error(request, "Say why: others read the reason.")
    return redirect("fleet")


@require_POST
@staff_only
def gpu_release(request: HttpRequest, pk: int) -> HttpResponse:
    """Let a GPU be used again."""
    gpu = get_object_or_404(Gpu, pk=pk)
    if orders.release(member(request), gpu):
        messages.success(request, f"{gpu} is released: its node probes it, and uses it once it is well.")
    else:
        messages.error(request, f"Nobody keeps {gpu} out of use.")
    return redirect("fleet")
