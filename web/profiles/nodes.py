"""The account page of personal nodes: invite, list, remove."""

from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from web.accounts.confirming import confirmed_post
from web.accounts.models import User
from web.fleet.models import PersonalNode
from web.fleet.personal import PersonalNodeRefused, invite_personal, list_nodes
from web.profiles.forms import PersonalNodeForm
from web.site.asking import Question, ask
from web.site.version import version
from web.submissions.services.personal import remove_personal_node, runs_held


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
@confirmed_post
def nodes(request: HttpRequest) -> HttpResponse:
    """List the user's nodes, or invite one. The page shows the token of a new node only once."""
    if request.method != "POST":
        return _page(request, PersonalNodeForm())
    form = PersonalNodeForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    site = settings.WARPCOURT.public_url or request.build_absolute_uri("/")
    try:
        token = invite_personal(cast("User", request.user), form.cleaned_data["name"], site.rstrip("/"))
    except PersonalNodeRefused as refusal:
        form.add_error(None, str(refusal))
        return _page(request, form, status=422)
    return _page(request, PersonalNodeForm(), token=token.to_text(), made=form.cleaned_data["name"])


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def remove(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove a node of the user, after a confirmation."""
    node = get_object_or_404(PersonalNode, pk=pk, owner=cast("User", request.user))
    if request.method != "POST":
        question = Question(
            f"Remove {node.name}?",
            "Its key stops working at once, and so does a token that was not used yet. If this is your last "
            "node, the site cancels the runs that wait for it. To use the machine again, invite it again.",
            "Remove node",
            "Your nodes",
            reverse("account-nodes"),
        )
        return ask(request, question)
    remove_personal_node(node)
    messages.success(request, f"{node.name} is removed. Its key no longer works.")
    return redirect("account-nodes")


def _page(
    request: HttpRequest, form: PersonalNodeForm, *, token: str = "", made: str = "", status: int = 200
) -> HttpResponse:
    owner = cast("User", request.user)
    mine, held = list_nodes(owner), runs_held(owner)
    for node in mine:
        node.run = held.get(node.worker, "")  # type: ignore[attr-defined]  # for the template
    context = {"form": form, "nodes": mine, "token": token, "made": made, "version": version()}
    return render(request, "profiles/nodes.html", context, status=status)
