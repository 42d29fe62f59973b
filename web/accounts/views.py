"""The account page, and the API tokens on it."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from web.accounts import queries, services
from web.accounts.forms import TokenForm
from web.accounts.models import Scope, User


@require_safe
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Who one is, and the tokens that act in one's name."""
    return _account_page(request, TokenForm())


@require_POST
@never_cache
@login_required
def create_token(request: HttpRequest) -> HttpResponse:
    """Make a token and show its secret, this once."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _account_page(request, form, status=422)
    name, scope = form.cleaned_data["name"], Scope(form.cleaned_data["scope"])
    try:
        token, secret = services.issue_token(cast("User", request.user), name=name, scope=scope)
    except services.TooManyTokens as refusal:
        form.add_error(None, str(refusal))
        return _account_page(request, form, status=422)
    return _account_page(request, TokenForm(), secret=secret, made=token.name)


@require_POST
@login_required
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    """Delete one of one's own tokens."""
    if services.revoke_token(cast("User", request.user), token_id):
        messages.success(request, "The token is revoked.")
    return redirect("account")


def _account_page(
    request: HttpRequest, form: TokenForm, *, secret: str = "", made: str = "", status: int = 200
) -> HttpResponse:
    tokens = queries.list_tokens(cast("User", request.user))
    context = {"form": form, "tokens": tokens, "secret": secret, "made": made}
    return render(request, "accounts/account.html", context, status=status)
