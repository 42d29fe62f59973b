"""Tests the pages of an account: their contents, confirmations and changes."""

import re
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any

import allauth
import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from allauth.usersessions.models import UserSession
from django.core import mail
from django.template.loader import get_template
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tests.conftest import PASSWORD
from web.accounts import adapter, services
from web.accounts.adapter import MfaAdapter
from web.accounts.auth_forms import MAX_KEYS, AddWebAuthnForm
from web.accounts.models import ApiToken, Audience, Scope, User
from web.config import ROOT
from web.site.paging import ROWS

pytestmark = pytest.mark.django_db

TEMPLATES = ROOT / "web" / "templates"

PLACES = (
    *("/account", "/account/profile", "/account/tokens", "/account/data", "/accounts/email/"),
    *("/accounts/password/change/", "/accounts/2fa/", "/accounts/sessions/", "/accounts/3rdparty/"),
)
SENSITIVE = ("/account/data/delete", "/accounts/2fa/totp/activate/", "/accounts/2fa/webauthn/add/")


@pytest.fixture
def owners(owner: User) -> Client:
    """The owner's browser, signed in through the page, so that it has a session to list."""
    client = Client()
    client.post("/accounts/login/", {"login": "owner", "password": PASSWORD})
    return client


@pytest.fixture
def confirmed(owners: Client) -> Client:
    """The same after the password was asked for again."""
    owners.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return owners


def text(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return answer.content.decode()


@pytest.mark.parametrize("path", PLACES)
def test_every_place_shows_the_way_to_the_others(owners: Client, path: str) -> None:
    page = text(owners, path)
    assert 'aria-label="Account"' in page
    if path != "/accounts/3rdparty/":  # which is listed where a provider is configured
        assert f'<a href="{path}" aria-current="page">' in page


@pytest.mark.parametrize("path", [*PLACES, *SENSITIVE])
def test_a_stranger_is_asked_to_sign_in(db: None, client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/")


@pytest.mark.parametrize("path", SENSITIVE)
def test_what_is_sensitive_asks_for_the_password_first(owners: Client, path: str) -> None:
    assert owners.get(path)["Location"].startswith("/accounts/reauthenticate/")
    owners.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert owners.get(path).status_code == 200


def test_the_overview_takes_few_queries(owners: Client, django_assert_max_num_queries) -> None:
    with django_assert_max_num_queries(8):
        assert "Signed in on 1 browser." in text(owners, "/account")


# Templates


def is_ours(name: str) -> bool:
    """Whether Django takes the template of that name from our folder."""
    template: Any = get_template(name)
    return Path(template.origin.name) == TEMPLATES / name


def every_view(patterns: list[URLPattern | URLResolver]) -> Iterator[URLPattern]:
    for entry in patterns:
        if isinstance(entry, URLResolver):
            yield from every_view(entry.url_patterns)
        else:
            yield entry


def templates_of_allauth() -> set[str]:
    """What the views of allauth in the URL map render, and what they render without a name of their own."""
    found = {
        *("socialaccount/login.html", "socialaccount/login_redirect.html", "account/signup_closed.html"),
        *("account/verified_email_required.html", "socialaccount/authentication_error.html", "429.html"),
    }
    for pattern in every_view(get_resolver().url_patterns):
        view = getattr(pattern.callback, "view_class", None)
        if view and view.__module__.startswith("allauth."):
            found |= {
                getattr(view, "template_name", None),
                getattr(view, "template_name_signup_closed", None),
            }
    return {name for name in found if name and name.endswith(".html")}


def test_every_page_of_allauth_is_ours() -> None:
    found = templates_of_allauth()
    assert {"account/login.html", "mfa/index.html", "usersessions/usersession_list.html"} <= found
    unreachable = {
        "account/confirm_login_code.html"
    }  # codes by mail are off; the layout is ours all the same
    for name in found - unreachable:
        assert is_ours(name), name
        assert '{% extends "' in (TEMPLATES / name).read_text(), name
    for name in ("base", "entrance", "manage"):
        assert is_ours(f"allauth/layouts/{name}.html")


def test_every_mail_of_allauth_is_ours() -> None:
    folder = next(iter(allauth.__path__)) + "/templates"
    codes = ("login_code", "password_reset_code")
    for path in Path(folder).glob("*/email/*.txt"):
        if path.stem.rpartition("_")[0] in codes or "base" in path.stem or path.parts[-3] == "idp":
            continue
        name = "/".join(path.parts[-3:])
        assert is_ours(name), name


# Email


def test_an_address_is_added_verified_and_made_primary(confirmed: Client, owner: User) -> None:
    confirmed.post("/accounts/email/", {"email": "owner@example.org", "action_add": ""})
    assert EmailAddress.objects.get().verified is False
    (message,) = mail.outbox
    assert message.subject == "[Warpcourt] Verify your email address"
    assert message.to == ["owner@example.org"]
    assert "<" not in message.body
    assert "for the account owner" in message.body
    link = re.search(r"http://testserver(/accounts/confirm-email/\S+)", str(message.body))
    page = confirmed.get(link[1])
    assert "owner@example.org" in page.content.decode()
    assert confirmed.post(link[1])["Location"] == "/accounts/email/"
    assert EmailAddress.objects.get().verified is True


def test_a_forgotten_password_is_replaced_by_a_link(owner: User, client: Client) -> None:
    owner.email = "owner@example.org"
    owner.save()
    EmailAddress.objects.create(user=owner, email="owner@example.org", verified=True, primary=True)
    client.post("/accounts/password/reset/", {"email": "owner@example.org"})
    (message,) = mail.outbox
    assert "of the account owner" in message.body
    link = re.search(r"http://testserver(/accounts/password/reset/key/\S+)", str(message.body))
    form = client.get(link[1])["Location"]
    refused = client.post(form, {"password1": "short", "password2": "short"}).content.decode()
    assert "too short" in refused
    _, secret = services.issue_token(owner, name="laptop")
    new = {"password1": "another fine password", "password2": "another fine password"}
    page = client.post(form, new, follow=True).content.decode()
    owner.refresh_from_db()
    assert owner.check_password("another fine password")
    assert mail.outbox[-1].subject == "[Warpcourt] Your password was reset"
    assert services.use_token(secret) is None
    for told in (page, mail.outbox[-1].body):
        assert "API tokens no longer work" in told


@pytest.mark.parametrize("tokens", [0, 1])
def test_a_new_password_is_a_reminder_of_tokens_that_still_work(
    confirmed: Client, owner: User, tokens: int
) -> None:
    for number in range(tokens):
        services.issue_token(owner, name=f"laptop {number}")
    new = {"password1": "another fine password", "password2": "another fine password"}
    changed = confirmed.post("/accounts/password/change/", {"oldpassword": PASSWORD, **new}, follow=True)
    page = changed.content.decode()
    assert "Password changed." in page
    assert ("Your API tokens still work" in page) is bool(tokens)


def test_a_new_password_revokes_tokens_on_request(confirmed: Client, owner: User) -> None:
    page = confirmed.get("/accounts/password/change/").content.decode()
    assert "Revoke all my API tokens" not in page
    _, secret = services.issue_token(owner, name="laptop")
    page = confirmed.get("/accounts/password/change/").content.decode()
    assert "Revoke all my API tokens" in page
    new = {"password1": "another fine password", "password2": "another fine password"}
    answer = confirmed.post(
        "/accounts/password/change/", {"oldpassword": PASSWORD, **new, "revoke_tokens": "on"}, follow=True
    )
    assert "Your API tokens still work" not in answer.content.decode()
    assert "Your API tokens were revoked" in answer.content.decode()
    assert services.use_token(secret) is None


def test_nobody_gets_mail_for_an_address_that_no_account_has(db: None, client: Client) -> None:
    answer = client.post("/accounts/password/reset/", {"email": "nobody@example.org"}, follow=True)
    assert "If an account uses" in answer.content.decode()
    assert not mail.outbox


# Two factors


def code_now(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))


def add_app(client: Client) -> str:
    page = text(client, "/accounts/2fa/totp/activate/")
    secret = re.search(r'id="totp-key"[^>]*>([A-Z2-7]+)<', page)[1]
    answer = client.post("/accounts/2fa/totp/activate/", {"code": code_now(secret)})
    assert answer["Location"] == "/accounts/2fa/recovery-codes/"
    return secret


def test_an_app_is_added_and_asked_for(confirmed: Client, owner: User) -> None:
    secret = add_app(confirmed)
    codes = re.findall(r"\b\d{8}\b", text(confirmed, "/accounts/2fa/recovery-codes/"))
    assert len(codes) == 10
    fresh = Client()
    answer = fresh.post("/accounts/login/", {"login": "owner", "password": PASSWORD}, follow=True)
    assert "Two-factor authentication" in answer.content.decode()
    refused = fresh.post("/accounts/2fa/authenticate/", {"code": "000000"}).content.decode()
    assert "has expired" in refused
    assert "_auth_user_id" not in fresh.session
    fresh.post("/accounts/2fa/authenticate/", {"code": codes[0]})
    assert fresh.session["_auth_user_id"] == str(owner.pk)
    assert secret not in str(Authenticator.objects.values())


def test_secrets_of_authenticators_are_stored_encrypted(confirmed: Client, settings) -> None:
    secret = add_app(confirmed)
    stored = Authenticator.objects.get(type="totp").data["secret"]
    assert stored != secret
    assert MfaAdapter().decrypt(stored) == secret
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another key", [settings.SECRET_KEY]
    assert MfaAdapter().decrypt(stored) == secret


def test_another_key_of_the_site_is_explained(confirmed: Client, owner: User) -> None:
    add_app(confirmed)
    for row in Authenticator.objects.all():
        row.data = {name: "gAAAAA" if isinstance(value, str) else value for name, value in row.data.items()}
        row.save()
    fresh = Client()
    fresh.post("/accounts/login/", {"login": "owner", "password": PASSWORD})
    refused = fresh.post("/accounts/2fa/authenticate/", {"code": "123456"}).content.decode()
    assert "secret key has changed" in refused


def test_a_password_alone_makes_no_token_where_there_is_a_second_factor(confirmed: Client, client) -> None:
    body = {"username": "owner", "password": PASSWORD}
    assert client.post("/api/v1/tokens", body, "application/json").status_code == 201
    add_app(confirmed)
    answer = client.post("/api/v1/tokens", body, "application/json")
    assert answer.status_code == 403
    assert "/account/tokens" in answer.json()["error"]["message"]


def test_the_admin_has_no_door_of_its_own(staff: User, client: Client) -> None:
    answer = client.get("/admin/login/?next=/admin/")
    assert answer["Location"].startswith("/accounts/login/")
    client.post("/admin/login/", {"username": "staff", "password": PASSWORD})
    assert "_auth_user_id" not in client.session


# Tokens


def test_a_token_is_shown_once(confirmed: Client, owner: User) -> None:
    made = confirmed.post(
        "/account/tokens", {"name": "laptop", "scope": "read", "days": "7"}
    ).content.decode()
    assert 'id="secret">wct_' in made
    later = text(confirmed, "/account/tokens")
    assert 'id="secret"' not in later
    assert "laptop" in later
    token = owner.api_tokens.get()
    assert token.scope == Scope.READ
    assert (token.expires - token.created).days == 7


def test_an_unverified_address_gets_no_notices(confirmed: Client, owner: User) -> None:
    EmailAddress.objects.create(user=owner, email="stranger@example.org", primary=True, verified=False)
    confirmed.post("/account/tokens", {"name": "see example.org", "scope": "read", "days": "7"})
    confirmed.post("/account/data/delete", {"username": "owner"})
    assert not User.objects.filter(pk=owner.pk).exists()
    assert not mail.outbox


def test_an_address_that_the_operator_set_gets_notices(confirmed: Client, owner: User) -> None:
    User.objects.filter(pk=owner.pk).update(email="owner@example.org")
    confirmed.post("/account/data/delete", {"username": "owner"})
    (message,) = mail.outbox
    assert (message.subject, message.to) == (
        "[Warpcourt] Your account is being deleted",
        ["owner@example.org"],
    )


@pytest.mark.parametrize("through", ["page", "API"])
def test_an_email_announces_a_new_token(confirmed: Client, owner: User, through: str) -> None:
    EmailAddress.objects.create(user=owner, email="owner@example.org", primary=True, verified=True)
    if through == "page":
        confirmed.post("/account/tokens", {"name": "laptop", "scope": "read", "days": "7"})
    else:
        wanted = {"username": "owner", "password": PASSWORD, "name": "laptop", "scope": "read"}
        made = confirmed.post("/api/v1/tokens", wanted, content_type="application/json")
        assert made.status_code == 201
    (message,) = mail.outbox
    assert message.to == ["owner@example.org"]
    assert message.subject == "[Warpcourt] A new API token for your account"
    assert "The API token “laptop” was created for your account. Its scopes are: read." in message.body
    assert "wct_" not in message.body


def test_a_mail_server_that_is_away_costs_no_token_and_keeps_no_account(
    confirmed: Client, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ConnectionRefusedError

    EmailAddress.objects.create(user=owner, email="owner@example.org", primary=True, verified=True)
    monkeypatch.setattr("django.core.mail.message.EmailMessage.send", refuse)
    made = confirmed.post("/account/tokens", {"name": "laptop", "scope": "read", "days": "7"})
    assert 'id="secret">wct_' in made.content.decode()
    confirmed.post("/account/data/delete", {"username": "owner"})
    assert not User.objects.exists()


def test_security_keys_come_in_pages(owners: Client, owner: User, teammate: User) -> None:
    keys = Authenticator.objects.bulk_create(
        Authenticator(user=user, type=Authenticator.Type.WEBAUTHN, data={"name": f"{user} {n}"})
        for user in (teammate, owner)
        for n in range(ROWS + 2)
    )[ROWS + 2 :]
    names = [f"owner {n}" for n in reversed(range(ROWS + 2))]
    first = text(owners, "/accounts/2fa/webauthn/")
    assert re.findall(r"<h2>(\w+ \d+)", first) == names[:ROWS]
    older = f"?before={keys[2].pk}"
    assert f'href="{older}">Older</a>' in first
    second = text(owners, f"/accounts/2fa/webauthn/{older}")
    assert re.findall(r"<h2>(\w+ \d+)", second) == names[ROWS:]
    assert ">Older</a>" not in second
    assert "owner 51" in text(owners, "/accounts/2fa/webauthn/?before=x")


def test_the_number_of_security_keys_is_limited(owner: User) -> None:
    key = Authenticator(user=owner, type=Authenticator.Type.WEBAUTHN, data={"name": "key"})
    Authenticator.objects.bulk_create(copy(key) for _ in range(MAX_KEYS))
    refused = "You have 100 security keys, the maximum. Remove one first."
    assert AddWebAuthnForm({"name": "one more"}, user=owner).non_field_errors() == [refused]
    Authenticator.objects.first().delete()
    assert not AddWebAuthnForm({"name": "one more"}, user=owner).non_field_errors()


def test_the_form_for_a_token_waits_for_the_password(owners: Client) -> None:
    answer = owners.post("/account/tokens", {"name": "laptop", "scope": "submit"})
    assert answer["Location"] == "/accounts/reauthenticate/?next=%2Faccount%2Ftokens"
    made = owners.post(answer["Location"], {"password": PASSWORD, "next": "/account/tokens"})
    assert 'id="secret">wct_' in made.content.decode()
    assert ApiToken.objects.get().name == "laptop"


@pytest.mark.parametrize(("field", "value"), [("name", ""), ("scope", "all"), ("days", "5000")])
def test_a_token_that_cannot_be_made_is_refused_with_a_reason(confirmed: Client, field, value) -> None:
    answer = confirmed.post("/account/tokens", {"name": "laptop", field: value})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()


def test_anothers_token_cannot_be_revoked(owners: Client, owner: User, teammate: User) -> None:
    token, _ = services.issue_token(owner, name="laptop")
    owners.force_login(teammate)
    owners.post(f"/account/tokens/{token.pk}/revoke")
    assert owner.api_tokens.exists()
    owners.force_login(owner)
    owners.post(f"/account/tokens/{token.pk}/revoke")
    assert not owner.api_tokens.exists()


# Sessions


def test_other_sessions_are_ended(owners: Client, owner: User, teammate: User) -> None:
    second, third = Client(headers={"user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"}), Client()
    for client in (second, third):
        client.post("/accounts/login/", {"login": "owner", "password": PASSWORD})
    assert "Firefox on Linux" in text(owners, "/accounts/sessions/")
    foreign = Client()
    foreign.post("/accounts/login/", {"login": "teammate", "password": PASSWORD})
    theirs = UserSession.objects.get(user=teammate)
    assert owners.post(f"/account/sessions/{theirs.pk}/end").status_code == 404
    owners.post(f"/account/sessions/{UserSession.objects.get(user_agent__contains='Firefox').pk}/end")
    assert second.get("/account").status_code == 302
    assert third.get("/account").status_code == 200
    owners.post("/accounts/sessions/")
    assert third.get("/account").status_code == 302
    assert owners.get("/account").status_code == 200


# Privacy


def test_privacy_is_chosen(owners: Client, owner: User) -> None:
    owners.post("/account/profile", {"profile_audience": "nobody", "in_rankings": "on"})
    owner.refresh_from_db()
    assert (owner.profile_audience, owner.shows_activity, owner.in_rankings) == (Audience.NOBODY, False, True)
    answer = owners.post("/account/profile", {"profile_audience": "the world"})
    assert answer.status_code == 422


def test_limits_of_allauth_answer_with_a_page(owners: Client) -> None:
    for _ in range(11):
        answer = owners.post("/accounts/email/", {"email": "x", "action_add": ""})
    assert answer.status_code == 429
    assert "Too many attempts" in answer.content.decode()


def test_a_sign_in_ends_the_oldest_sessions_of_many(owner: User, monkeypatch) -> None:
    monkeypatch.setattr(adapter, "MOST_SESSIONS", 2)
    browsers = [Client() for _ in range(4)]
    for browser in browsers:
        browser.post("/accounts/login/", {"login": "owner", "password": PASSWORD})
    assert [browser.get("/account").status_code for browser in browsers] == [302, 302, 200, 200]
    assert UserSession.objects.filter(user=owner).count() == 2


def test_a_wrong_password_says_what_to_do(owner: User, client: Client) -> None:
    page = client.post("/accounts/login/", {"login": "owner", "password": "wrong"}).content.decode()
    assert "Incorrect username or password. Try again, or reset your password." in page
    page = client.post("/accounts/signup/", {"username": "OWNER", "password1": PASSWORD}).content.decode()
    assert "This username is taken. Choose another one." in page


def test_the_way_to_the_profile_is_in_the_menu(owners: Client) -> None:
    page = text(owners, "/help")
    assert f'href="{reverse("profile", args=["owner"])}"' in page
    assert f'href="{reverse("account")}"' in page
