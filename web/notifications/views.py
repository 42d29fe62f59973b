"""The notifications of a user, and the choice of emails about them."""

from typing import cast

from allauth.account.models import EmailAddress
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from web.accounts.models import User
from web.notifications import queries, services
from web.notifications.forms import MailForm
from web.site import cursors
from web.site.paging import first_rows


@require_safe
@never_cache
@login_required
def notification_list(request: HttpRequest) -> HttpResponse:
    """List the notifications of the user, newest first."""
    before = cursors.decode_key(request.GET.get("before", ""))
    rows, more = first_rows(queries.list_notifications(_user(request), before=before))
    context = {
        "rows": rows,
        "older": rows[-1].pk if more else None,
        "unread": queries.count_unread(request.user),
    }
    return render(request, "notifications/list.html", context)


@require_safe
@never_cache
@login_required
def notification_open(request: HttpRequest, pk: int) -> HttpResponse:
    """Mark a notification as read and go to the page that it is about."""
    found = get_object_or_404(queries.list_notifications(_user(request)), pk=pk)
    services.mark_read(_user(request), found.pk)
    return redirect(found.url)


@require_POST
@login_required
def notification_read(request: HttpRequest, pk: int) -> HttpResponse:
    """Mark a notification as read."""
    found = get_object_or_404(queries.list_notifications(_user(request)), pk=pk)
    services.mark_read(_user(request), found.pk)
    return redirect("notifications")


@require_POST
@login_required
def read_all(request: HttpRequest) -> HttpResponse:
    """Mark all notifications as read."""
    services.mark_read(_user(request))
    return redirect("notifications")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def settings(request: HttpRequest) -> HttpResponse:
    """Choose the notifications that are also sent by email."""
    user = _user(request)
    form = MailForm(request.POST if request.method == "POST" else None, user=user)
    if request.method == "POST" and form.is_valid():
        services.choose_mail(user, form.wanted(), form.offered)
        messages.success(request, "Saved.")
        return redirect("account-notifications")
    address = EmailAddress.objects.get_primary(user)
    context = {"form": form, "address": address}
    return render(request, "notifications/settings.html", context, status=422 if form.errors else 200)


def _user(request: HttpRequest) -> User:
    return cast("User", request.user)
