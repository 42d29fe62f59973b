"""The account pages: overview, API tokens, keys, sessions. allauth provides the pages for signing in."""

from typing import cast

from allauth.account.adapter import get_adapter
from allauth.core.internal import ratelimit
from allauth.mfa.webauthn.views import login_webauthn
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from web.accounts import queries, services
from web.accounts.confirming import confirmed_post
from web.accounts.forms import TokenForm
from web.accounts.models import User
from web.site import cursors
from web.site.paging import first_rows


@require_safe
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Show a summary of the account with links to all its pages."""
    overview = queries.overview(cast("User", request.user))
    return render(request, "accounts/account.html", {"overview": overview})


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
@confirmed_post
def tokens(request: HttpRequest) -> HttpResponse:
    """List the user's API tokens, or create one. The page shows the secret of a new token only once."""
    if request.method != "POST":
        return _tokens_page(request, TokenForm())
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _tokens_page(request, form, status=422)
    try:
        token, secret = services.issue_token(
            cast("User", request.user),
            name=form.cleaned_data["name"],
            scope=form.cleaned_data["scope"],
            lifetime=form.lifetime,
        )
    except services.TooManyTokens as refusal:
        form.add_error(None, str(refusal))
        return _tokens_page(request, form, status=422)
    get_adapter(request).announce_token(token)
    return _tokens_page(request, TokenForm(), secret=secret, made=token.name)


@require_POST
@login_required
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    """Delete a token of the user."""
    if services.revoke_token(cast("User", request.user), token_id):
        messages.success(request, "Token revoked.")
    return redirect("tokens")


@require_safe
@never_cache
@login_required
def security_keys(request: HttpRequest) -> HttpResponse:
    """List the user's security keys, newest first. allauth's list has no pages."""
    before = cursors.decode_key(request.GET.get("before", ""))
    rows, more = first_rows(queries.list_keys(cast("User", request.user), before=before))
    context = {"rows": rows, "older": rows[-1].pk if more else None}
    return render(request, "mfa/webauthn/authenticator_list.html", context)


def passkey_login(request: HttpRequest) -> HttpResponseBase:
    """Sign in with a passkey. A GET request gets a challenge, which needs a new session in the database."""
    limit = {"app": "allauth.account", "action": "passkey_challenge", "limit_get": True}
    refusal: HttpResponseBase | None = ratelimit.consume_or_429(request, **limit)
    answer: HttpResponseBase = refusal or login_webauthn(request)
    return answer


@require_POST
@login_required
def end_session(request: HttpRequest, session_id: int) -> HttpResponse:
    """End another session of the user."""
    get_object_or_404(UserSession, user=request.user, pk=session_id).end()
    messages.success(request, "Session signed out.")
    return redirect("usersessions_list")


def _tokens_page(
    request: HttpRequest, form: TokenForm, *, secret: str = "", made: str = "", status: int = 200
) -> HttpResponse:
    live = queries.list_tokens(cast("User", request.user))
    context = {"form": form, "tokens": live, "secret": secret, "made": made}
    return render(request, "accounts/tokens.html", context, status=status)
