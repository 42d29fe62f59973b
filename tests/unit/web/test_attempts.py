"""Tests wrong passwords: what they lock, for which users, and how users can sign in again."""

import re
from urllib.parse import urlsplit

import pytest
from allauth.account import app_settings
from allauth.account.models import EmailAddress
from allauth.core.internal import ratelimit
from django.contrib.sessions.models import Session
from django.core import mail
from django.test import Client

from tests.conftest import PASSWORD
from web.accounts import services
from web.accounts.models import User
from web.accounts.names import RESERVED

pytestmark = pytest.mark.django_db

LOGIN = "/accounts/login/"
CLASS, ELSEWHERE = "203.0.113.7", "198.51.100.9"
TOO_MANY = "Too many failed attempts"
AMOUNTS = {
    action: [rate.amount for rate in ratelimit.get_rates(app="allauth.account", action=action)]
    for action in ("login_failed", "login_failed_name")
}
BY_PAIR, BY_ADDRESS, _ = AMOUNTS["login_failed"]
(BY_NAME,) = AMOUNTS["login_failed_name"]


def sign_in(name: str, password: str, address: str = CLASS) -> str:
    """Return the error on the page, in a new browser. It is empty if the password was accepted."""
    answer = Client(REMOTE_ADDR=address).post(LOGIN, {"login": name, "password": password})
    return "" if answer.status_code == 302 else answer.content.decode()


def fail(name: str, times: int, address: str = CLASS) -> str:
    """Return the error on the page after the last of `times` wrong passwords."""
    said = ""
    for _ in range(times):
        said = sign_in(name, "wrong", address)
    return said


def test_a_class_is_not_locked_out_by_a_neighbour(owner: User, teammate: User) -> None:
    assert TOO_MANY in fail("owner", BY_PAIR + 10)
    assert TOO_MANY in sign_in("owner", PASSWORD)
    assert TOO_MANY in sign_in(" OWNER", PASSWORD)  # the same name
    assert not sign_in("teammate", PASSWORD)
    for number in range(15):  # fifteen people who mistype once
        assert TOO_MANY not in fail(f"student{number}", 1)
    assert not sign_in("teammate", PASSWORD)


def test_the_owner_comes_in_from_elsewhere_meanwhile(owner: User) -> None:
    fail("owner", BY_PAIR + 1)
    assert not sign_in("owner", PASSWORD, ELSEWHERE)


def test_right_passwords_do_not_count(owner: User) -> None:
    for _ in range(3 * BY_PAIR):
        assert not sign_in("owner", PASSWORD)


def test_one_address_tries_so_many_names_at_most(owner: User, settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "5/5m/key,20/m/ip,50/h/ip"}
    assert app_settings.RATE_LIMITS["login_failed"] == "5/5m/key,20/m/ip,50/h/ip"
    for number in range(20):
        assert TOO_MANY not in fail(f"student{number}", 1)
    assert TOO_MANY in fail("student20", 1)
    assert TOO_MANY in sign_in("owner", PASSWORD)
    assert not sign_in("owner", PASSWORD, ELSEWHERE)


def test_a_neighbour_who_tries_many_names_locks_no_user_out_at_their_desk(owner: User, settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "login_failed": "5/5m/key,20/m/ip"}
    assert not sign_in("owner", PASSWORD)
    for number in range(30):
        fail(f"student{number}", 1)
    assert TOO_MANY in fail("student30", 1)
    assert TOO_MANY not in fail("owner", BY_PAIR)
    assert TOO_MANY in fail("owner", 1)


def test_what_is_refused_uses_up_nothing(owner: User, settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "login_failed": "5/5m/key,20/m/ip"}
    fail("owner", 40)
    assert TOO_MANY not in fail("student", 1)
    for number in range(30):
        fail(f"student{number}", 1)
    assert TOO_MANY in fail("teammate", 2 * BY_PAIR)  # because of the address
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "login_failed": "5/5m/key"}
    assert TOO_MANY not in fail("teammate", BY_PAIR)


def test_a_name_that_many_addresses_try_is_bounded_and_its_owner_comes_in(owner: User, settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "5/5m/key,120/m/ip", "login_failed_name": "12/h/key"}
    assert not sign_in("owner", PASSWORD)  # where the owner works
    for number in range(4):
        said = fail("owner", BY_PAIR - 1, f"192.0.2.{number}")
    assert TOO_MANY in said
    assert TOO_MANY in sign_in("owner", PASSWORD, ELSEWHERE)
    assert not sign_in("owner", PASSWORD)
    assert TOO_MANY in fail("owner", BY_PAIR + 1)  # nor may anybody guess there for ever


def test_a_name_that_no_account_has_is_treated_alike(owner: User) -> None:
    def told(name: str) -> list[bool]:
        return [TOO_MANY in sign_in(name, "wrong", ELSEWHERE) for _ in range(BY_PAIR + 2)]

    assert told("owner") == told("nosuchuser") == [False] * BY_PAIR + [True] * 2


def test_a_reset_of_the_password_lets_one_try_again(owner: User) -> None:
    EmailAddress.objects.create(user=owner, email="owner@example.org", primary=True, verified=True)
    assert TOO_MANY in fail("owner", BY_PAIR + 1)
    browser = Client(REMOTE_ADDR=CLASS)
    browser.post("/accounts/password/reset/", {"email": "owner@example.org"})
    link = urlsplit(re.search(r"https?://\S+", str(mail.outbox[-1].body)).group()).path
    form = browser.get(link, follow=True).request["PATH_INFO"]
    browser.post(form, {"password1": "a new horse battery", "password2": "a new horse battery"})
    assert not sign_in("owner", "a new horse battery")


def test_confirming_a_password_counts_with_signing_in(owner: User) -> None:
    EmailAddress.objects.create(user=owner, email="owner@example.org", primary=True, verified=True)
    browser = Client(REMOTE_ADDR=CLASS)
    browser.force_login(owner)
    for _ in range(BY_PAIR):
        browser.post("/accounts/reauthenticate/", {"password": "wrong"})
    assert TOO_MANY in sign_in("owner", PASSWORD)


def test_the_limits_of_an_address_are_far_above_those_of_a_name() -> None:
    assert BY_ADDRESS >= 20 * BY_PAIR
    # No single address can use up what all addresses may try together: 12 times five minutes are an hour
    assert BY_NAME > 12 * BY_PAIR


def test_visitors_cannot_fill_the_table_of_sessions(settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "passkey_challenge": "3/m/ip"}

    def ask(address: str = CLASS) -> int:
        browser = Client(REMOTE_ADDR=address, headers={"X-Requested-With": "XMLHttpRequest"})
        return browser.get("/accounts/2fa/webauthn/login/").status_code

    assert [ask() for _ in range(5)] == [200] * 3 + [429] * 2
    assert Session.objects.count() == 3
    assert ask(ELSEWHERE) == 200


@pytest.mark.parametrize("name", ["admin", "Root", "STAFF", "warpcourt", "api"])
def test_names_that_speak_for_the_site_cannot_be_signed_up(client: Client, name: str) -> None:
    page = client.post("/accounts/signup/", {"username": name, "password1": PASSWORD}).content.decode()
    assert "This username is reserved. Choose another one." in page
    assert not User.objects.exists()
    assert services.create_user(name, PASSWORD).username == name  # but the operator of the site may
    assert name.lower() in RESERVED


def test_next_does_not_nest(client: Client, problem) -> None:
    place = "/problems?q=a b&page=1"
    page = client.get(place).content.decode()
    lengths = []
    for turn in range(6):
        found = re.search(r'href="(/accounts/login/[^"]*)"[^>]*>Sign in<', page)
        address = found.group(1).replace("&amp;", "&")
        lengths.append(len(address))
        page = client.get(address).content.decode()
        if turn % 2:
            up = re.search(r'href="(/accounts/signup/\?[^"]*)"', page).group(1).replace("&amp;", "&")
            page = client.get(up).content.decode()
    assert len(set(lengths[1:])) == 1, lengths  # the first is escaped otherwise
    assert 'name="next" value="/problems?q=a%20b&amp;page=1"' in page


def test_a_page_about_signing_in_passes_no_address_elsewhere_on(client: Client) -> None:
    page = client.get("/accounts/login/", {"next": "https://evil.example/"}).content.decode()
    assert not re.search("href=[^>]*evil", page)
