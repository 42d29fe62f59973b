"""Users export their stored data here, and delete their accounts."""

from typing import cast

from allauth.account.adapter import get_adapter
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from web.accounts.confirming import confirmed
from web.accounts.models import User
from web.privacy import export
from web.privacy.deletion import LastSuperuser, delete_account
from web.privacy.forms import DeletionForm

EXPORT_PAUSE_S = 600


@require_safe
@login_required
def data(request: HttpRequest) -> HttpResponse:
    """Show which data is stored, with the links to export and delete it."""
    return render(request, "privacy/data.html")


@require_POST
@never_cache
@login_required
@confirmed
def download(request: HttpRequest) -> HttpResponseBase:
    """Stream all stored data about the user. Limited to one export in ten minutes."""
    user = cast("User", request.user)
    if not cache.add(f"export:{user.pk}", 1, EXPORT_PAUSE_S):
        message = "You downloaded your data less than ten minutes ago. Try again later."
        return render(request, "privacy/data.html", {"refusal": message}, status=429)
    get_adapter(request).send_notification_mail("privacy/email/data_exported", user)
    response = StreamingHttpResponse(export.stream(user), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="warpcourt-{user.username}.json"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
@confirmed
def delete(request: HttpRequest) -> HttpResponse:
    """Delete the account if its name was typed correctly."""
    user = cast("User", request.user)
    form = DeletionForm(request.POST if request.method == "POST" else None, user=user)
    if request.method == "POST" and form.is_valid():
        try:
            delete_account(user, announce=get_adapter(request).announce_deletion)
        except LastSuperuser as refusal:
            form.add_error(None, str(refusal))
        else:
            logout(request)
            messages.success(request, "Account deleted.")
            return redirect("home")
    return render(request, "privacy/delete.html", {"form": form}, status=422 if form.errors else 200)
