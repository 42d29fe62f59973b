"""The profile of a user, and the settings of its visibility."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from web.accounts.models import Audience, User
from web.accounts.visibility import find_profile
from web.profiles import pages, services
from web.profiles.forms import PrivacyForm


@require_safe
def profile(request: HttpRequest, username: str) -> HttpResponse:
    """Show what a user has done. A name in a different case redirects to the right address."""
    person = find_profile(request.user, username)
    if person is None:
        raise Http404("The profile doesn't exist, or you don't have access to it.")
    if person.username != username:
        return redirect("profile", username=person.username)
    return render(request, "profiles/profile.html", {"page": pages.profile_page(request.user, person)})


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def privacy(request: HttpRequest) -> HttpResponse:
    """Change the users who may see the profile, and whether rankings include the user."""
    user = cast("User", request.user)
    form = PrivacyForm(request.POST or None, instance=user)
    if request.method == "POST" and form.is_valid():
        services.change_privacy(
            user,
            audience=Audience(form.cleaned_data["profile_audience"]),
            shows_activity=form.cleaned_data["shows_activity"],
            in_rankings=form.cleaned_data["in_rankings"],
        )
        messages.success(request, "Saved.")
        return redirect("account-profile")
    return render(request, "profiles/privacy.html", {"form": form}, status=422 if form.errors else 200)
