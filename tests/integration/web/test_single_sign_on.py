"""Tests signing in by a small OpenID Connect provider on loopback, which rejects invalid requests."""

import re
from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from tests.conftest import PASSWORD
from tests.integration.web.oidc_provider import CLIENT_ID, CLIENT_SECRET, Provider, serving
from web.accounts.models import User
from web.accounts.providers import providers
from web.config import Config

pytestmark = pytest.mark.django_db

LOGIN = "/accounts/oidc/sso/login/"
PERSON = {
    "sub": "4711",
    "preferred_username": "reader",
    "email": "reader@example.org",
    "email_verified": True,
}


@pytest.fixture
def provider(settings) -> Iterator[Provider]:
    with serving(**PERSON) as running:
        config = Config.from_env(
            {
                "WARPCOURT_OIDC_NAME": "Campus",
                "WARPCOURT_OIDC_ISSUER": f"{running.issuer}/",
                "WARPCOURT_OIDC_CLIENT_ID": CLIENT_ID,
                "WARPCOURT_OIDC_CLIENT_SECRET": CLIENT_SECRET,
            }
        )
        settings.SOCIALACCOUNT_PROVIDERS = providers(config)
        yield running


def go(client: Client, process: str = "login", then: str = ""):
    """Press the button, agree at the provider, and come back."""
    left = client.post(f"{LOGIN}?process={process}{then and '&next=' + then}")
    assert left.status_code == 200, left.headers
    target = re.search(r'<meta http-equiv="refresh" content="0;url=([^"]+)"', left.content.decode())[1]
    back = httpx.get(target.replace("&amp;", "&")).headers["Location"]
    assert back.startswith("http://testserver/accounts/oidc/sso/login/callback/?")
    return client.get(back.removeprefix("http://testserver"))


def signed_in(client: Client) -> str | None:
    key = client.session.get("_auth_user_id")
    return key and User.objects.get(pk=key).username


def test_there_is_a_button_where_one_is_configured(db: None, client: Client, settings) -> None:
    settings.SOCIALACCOUNT_PROVIDERS = {}
    for path in ("login", "signup"):
        assert "Campus" not in client.get(f"/accounts/{path}/").content.decode()


def test_and_on_every_page_that_leads_in(provider: Provider, client: Client) -> None:
    assert "Sign in with Campus" in client.get("/accounts/login/").content.decode()
    assert "Sign up with Campus" in client.get("/accounts/signup/").content.decode()


def test_a_newcomer_chooses_a_name_and_is_known_from_then_on(provider: Provider, client: Client) -> None:
    answer = go(client, then="/problems")
    assert answer["Location"] == "/accounts/3rdparty/signup/"
    form = client.get(answer["Location"]).content.decode()
    assert 'value="reader"' in form
    assert "Campus" in form
    refused = client.post("/accounts/3rdparty/signup/", {"username": "a b", "email": "reader@example.org"})
    assert "Use letters a to z" in refused.content.decode()
    client.post("/accounts/3rdparty/signup/", {"username": "reader.2", "email": "reader@example.org"})
    assert signed_in(client) == "reader.2"
    assert SocialAccount.objects.get().uid == "4711"
    assert EmailAddress.objects.get().verified
    again = Client()
    assert go(again, then="/problems")["Location"] == "/problems"
    assert signed_in(again) == "reader.2"


def test_an_account_is_connected_and_disconnected(provider: Provider, owner: User) -> None:
    client = Client()
    client.post("/accounts/login/", {"login": "owner", "password": PASSWORD})
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert go(client, "connect")["Location"] == "/accounts/3rdparty/"
    assert "Campus" in client.get("/accounts/3rdparty/").content.decode()
    again = Client()
    go(again)
    assert signed_in(again) == "owner"
    client.post("/accounts/3rdparty/", {"account": SocialAccount.objects.get().pk})
    assert not SocialAccount.objects.exists()


def test_the_only_way_in_is_not_taken_away(provider: Provider, client: Client) -> None:
    go(client)
    client.post("/accounts/3rdparty/signup/", {"username": "reader", "email": "reader@example.org"})
    page = client.post("/accounts/3rdparty/", {"account": SocialAccount.objects.get().pk}, follow=True)
    assert "Set a password before you disconnect it." in page.content.decode()
    assert SocialAccount.objects.exists()
    assert client.get("/accounts/password/change/")["Location"] == "/accounts/password/set/"


def test_an_address_of_another_account_does_not_open_it(provider: Provider, owner: User, client) -> None:
    EmailAddress.objects.create(user=owner, email="reader@example.org", verified=True, primary=True)
    go(client)
    assert signed_in(client) is None
    page = client.post("/accounts/3rdparty/signup/", {"username": "reader", "email": "reader@example.org"})
    assert "Another account uses this email address." in page.content.decode()


@pytest.mark.parametrize(
    ("allowed", "answer"), [(False, "Sign-up is closed"), (True, "Choose your username")]
)
def test_closed_sign_up_may_stay_open_for_the_provider(provider, client, settings, allowed, answer) -> None:
    settings.WARPCOURT = replace(settings.WARPCOURT, sign_up=False, oidc_sign_up=allowed)
    page = go(client)
    if page.status_code == 302:
        page = client.get(page["Location"])
    assert answer in page.content.decode()
    assert not User.objects.exists()


def test_who_turns_back_is_told_so(provider: Provider, client: Client) -> None:
    provider.refuses = "access_denied"
    answer = go(client)
    assert "Sign-in cancelled" in client.get(answer["Location"]).content.decode()


def test_an_answer_that_nobody_asked_for_signs_nobody_in(provider: Provider, client: Client) -> None:
    for query in ("code=x&state=y", "code=x", ""):
        answer = client.get(f"/accounts/oidc/sso/login/callback/?{query}")
        assert answer.status_code == 401
        assert "Sign-in failed" in answer.content.decode()
    assert signed_in(client) is None


def test_a_code_that_the_provider_does_not_know_signs_nobody_in(provider: Provider, client: Client) -> None:
    provider.codes = type("Forgetful", (dict,), {"pop": lambda *_: None})()
    answer = go(client)
    assert "Sign-in failed" in answer.content.decode()
    assert signed_in(client) is None


def test_a_provider_that_is_gone_is_told_of(provider: Provider, client: Client, settings) -> None:
    app = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]
    app["settings"] = {"server_url": "http://127.0.0.1:9"}
    for method in (client.post, client.get):
        answer = method(LOGIN)
        assert answer.status_code in {200, 502}
    assert "could not be reached" in client.post(LOGIN).content.decode()


@pytest.mark.parametrize("path", ["github/login/", "github/login/callback/", "oidc/other/login/"])
def test_what_is_not_configured_is_not_there(provider: Provider, client: Client, path: str) -> None:
    assert client.get(f"/accounts/{path}").status_code == 404
    assert client.post(f"/accounts/{path}").status_code == 404
