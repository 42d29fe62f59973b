"""The staff page about limits of GPU time."""

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import Group
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from web.accounts.models import User
from web.accounts.queries import find_user
from web.audit.access import member, staff_only
from web.fleet.models import Node
from web.quotas.models import Quota
from web.quotas.queries import list_quotas
from web.quotas.services import remove_quota, set_quota

_MOST_S = 10_000_000
_MOST_ROWS = 500


class QuotaForm(forms.Form):
    """A limit for a user, a class or a node."""

    person = forms.CharField(max_length=30, required=False, label="User")
    group = forms.ModelChoiceField(
        Group.objects.order_by("name"), required=False, label="Or class", empty_label="None"
    )
    node = forms.ModelChoiceField(
        Node.objects.order_by("name"), required=False, label="Or node", empty_label="None"
    )
    gpu_s_per_day = forms.IntegerField(
        min_value=0,
        max_value=_MOST_S,
        label="GPU seconds per day",
        help_text=(
            "For a class: the sum over its learners. For a node: the sum over all that it judges. "
            "0 exempts a user from the site's limit."
        ),
    )

    def owner(self) -> User | Group | Node | None:
        """Return the user, the class or the node, or None after adding an error."""
        name = self.cleaned_data["person"]
        chosen: list[Group | Node] = [
            self.cleaned_data[field] for field in ("group", "node") if self.cleaned_data[field]
        ]
        if len(chosen) + bool(name) != 1:
            self.add_error(
                "person", "A limit is for one user, class or node. Enter a user, or choose a class or a node."
            )
            return None
        if chosen:
            if not self.cleaned_data["gpu_s_per_day"]:
                self.add_error(
                    "gpu_s_per_day",
                    "A class or a node needs a limit of at least 1. To have no limit, remove it.",
                )
                return None
            return chosen[0]
        user = find_user(name)
        if user is None:
            self.add_error("person", "User not found.")
        return user


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def quota_list(request: HttpRequest) -> HttpResponse:
    """List the limits, or set one."""
    form = QuotaForm(request.POST or None)
    owner = form.owner() if request.method == "POST" and form.is_valid() else None
    if owner is not None:
        set_quota(owner, form.cleaned_data["gpu_s_per_day"], member(request))
        messages.success(request, f"The limit of {owner} was set.")
        return redirect("staff-quotas")
    context = {
        "quotas": list_quotas()[:_MOST_ROWS],
        "form": form,
        "default_s": settings.WARPCOURT.gpu_seconds_per_day,
    }
    return render(request, "staff/quotas.html", context, status=422 if form.errors else 200)


@require_POST
@staff_only
def quota_remove(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove a limit."""
    quota = get_object_or_404(Quota, pk=pk)
    owner = quota.owner
    remove_quota(quota, member(request))
    messages.success(request, f"The limit of {owner} was removed.")
    return redirect("staff-quotas")
