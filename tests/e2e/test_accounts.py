"""Tests accounts in a real browser: codes, keys and passkeys, tokens, sessions, own data, profiles.

Browsers refuse keys at numeric addresses, so these tests open the site as `localhost`.
"""

import hashlib
import hmac
import json
import time
from base64 import b32decode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, CDPSession, Locator, Page, expect

from tests.e2e.conftest import PASSWORD, Site, sign_in, sign_up, sign_up_on_page
from tests.e2e.soundness import check

PERSON = "account-reader"
PLACES = (
    *("/account", "/account/profile", "/account/tokens", "/account/data", "/accounts/email/"),
    *("/accounts/password/change/", "/accounts/2fa/", "/accounts/sessions/", f"/u/{PERSON}"),
)
SENSITIVE = (
    *(
        "/accounts/2fa/totp/activate/",
        "/accounts/2fa/webauthn/add/",
        "/accounts/2fa/recovery-codes/generate/",
    ),
    "/account/data/delete",
)
HISTORY = f"""
from problems.vocabulary import Language, Mode
from web.accounts.models import User
from web.catalog.models import Problem
from web.submissions import services
user = User.objects.get(username="{PERSON}")
problem = Problem.objects.get(slug="vector-add")
for source in ("score=12.5", "wrong_answer"):
    services.submit(user, problem, language=Language.CUDA, source=source, mode=Mode.SUBMIT)
"""


@pytest.fixture(scope="module")
def site(site: Site) -> Site:
    """The running site under a name."""
    return replace(site, url=site.url.replace("127.0.0.1", "localhost"))


@pytest.fixture(scope="module")
def person(site: Site, browser: Browser) -> str:
    """A user with a submission, an email address and a token."""
    with browser.new_context() as context:
        page = context.new_page()
        sign_up(page, site, PERSON)
        site.manage("shell", "-c", HISTORY)
        page.goto(f"{site.url}/accounts/email/")
        page.get_by_label("Email").fill("reader@example.org")
        page.get_by_role("button", name="Add email address").click()
        confirm(page)
        make_token(page, site, "laptop")
    return PERSON


@pytest.fixture
def authenticator(page: Page) -> Iterator[CDPSession]:
    """A device that keeps passkeys and knows who is there, as Chromium can pretend to have."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    yield session
    session.send("WebAuthn.disable")


def confirm(page: Page) -> None:
    """Give the password when the site asks for it again."""
    expect(page.get_by_role("heading", name="Confirm your identity")).to_be_visible()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()


def confirm_if_asked(page: Page, wanted: Locator) -> None:
    """Give the password if the site asks for it before it shows `wanted`, and wait for `wanted`."""
    question = page.get_by_role("heading", name="Confirm your identity")
    expect(question.or_(wanted)).to_be_visible()
    if question.is_visible():
        confirm(page)
    expect(wanted).to_be_visible()


def make_token(page: Page, site: Site, name: str) -> str:
    """Make a token through the page, confirmed or not, and return its secret."""
    page.goto(f"{site.url}/account/tokens")
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Create token").click()
    confirm_if_asked(page, page.get_by_role("heading", name=f"Your new token “{name}”"))
    return page.locator("#secret").inner_text()


def sign_out(page: Page) -> None:
    page.locator(".masthead-end summary").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator(".masthead").get_by_role("link", name="Sign in")).to_be_visible()


def start_signing_in(page: Page, site: Site, username: str) -> None:
    page.goto(f"{site.url}/accounts/login/")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()


def code_of(secret: str, *, later: int = 0) -> str:
    """Return the code of an authenticator app (RFC 6238), now or `later` periods later."""
    counter = (int(time.time()) // 30 + later).to_bytes(8, "big")
    digest = hmac.digest(b32decode(secret), counter, hashlib.sha1)
    offset = digest[-1] & 15
    return f"{(int.from_bytes(digest[offset : offset + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"


def test_every_page_in_both_schemes_and_on_a_phone(site: Site, visitor: Page, person: str) -> None:
    sign_in(visitor, site, person)
    for path in PLACES:
        check(visitor, f"{site.url}{path}")
    visitor.goto(f"{site.url}{SENSITIVE[0]}")
    check(visitor, visitor.url)
    confirm(visitor)
    for path in SENSITIVE:
        check(visitor, f"{site.url}{path}")


def test_a_code_is_asked_for_after_the_password(site: Site, page: Page) -> None:
    sign_up(page, site, "with-app")
    page.goto(f"{site.url}/account")
    page.get_by_role("link", name="Turn on").click()
    page.get_by_role("link", name="Add app").click()
    confirm(page)
    secret = page.locator("#totp-key").inner_text()
    page.get_by_label("Authenticator code").fill("000000")
    page.get_by_role("button", name="Add app").click()
    expect(page.get_by_role("alert")).to_contain_text("incorrect or has expired")
    assert page.locator("#totp-key").inner_text() == secret
    page.get_by_label("Authenticator code").fill(code_of(secret))
    page.get_by_role("button", name="Add app").click()
    codes = page.locator("#recovery-codes").inner_text().split()
    assert len(codes) == 10
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.path().read_text().split() == codes
    check(page, page.url)

    sign_out(page)
    start_signing_in(page, site, "with-app")
    check(page, page.url)
    page.get_by_label("Code").fill(code_of(secret, later=1))
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page.locator(".masthead").get_by_text("with-app")).to_be_visible()

    sign_out(page)
    start_signing_in(page, site, "with-app")
    page.get_by_label("Code").fill(codes[0])
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    page.goto(f"{site.url}/accounts/2fa/")
    expect(page.get_by_text("9 codes left")).to_be_visible()


def test_a_passkey_takes_the_place_of_name_and_password(
    site: Site, page: Page, authenticator: CDPSession
) -> None:
    sign_up(page, site, "with-passkey")
    page.goto(f"{site.url}/accounts/2fa/webauthn/add/")
    confirm(page)
    page.get_by_label("Name").fill("My laptop")
    page.get_by_label("Use as a passkey").check()
    page.get_by_role("button", name="Add key").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    page.goto(f"{site.url}/accounts/2fa/webauthn/")
    expect(page.get_by_role("heading", name="My laptop Passkey")).to_be_visible()
    check(page, page.url)

    page.goto(f"{site.url}/accounts/2fa/webauthn/add/")
    page.get_by_role("button", name="Add key").click()
    expect(page.get_by_role("alert")).to_have_text("You have already added this key.")

    sign_out(page)
    page.goto(f"{site.url}/accounts/login/?next=/problems")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.locator(".masthead").get_by_text("with-passkey")).to_be_visible()

    page.goto(f"{site.url}/accounts/2fa/webauthn/")
    page.get_by_role("link", name="Remove My laptop").click()
    expect(page.get_by_role("heading", name="Confirm your identity")).to_be_visible()
    page.get_by_role("link", name="Use a security key").click()
    expect(page.get_by_role("button", name="Use a security key")).to_be_visible()
    check(page, page.url)
    page.get_by_role("button", name="Use a security key").click()
    page.get_by_role("button", name="Remove key").click()
    expect(page.get_by_text("No security keys yet.")).to_be_visible()


def test_a_key_is_the_second_step(site: Site, page: Page, authenticator: CDPSession) -> None:
    sign_up(page, site, "with-key")
    page.goto(f"{site.url}/accounts/2fa/webauthn/add/")
    confirm(page)
    page.get_by_role("button", name="Add key").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    sign_out(page)
    start_signing_in(page, site, "with-key")
    expect(page.get_by_role("heading", name="Two-factor authentication")).to_be_visible()
    page.get_by_role("button", name="Use a security key").click()
    expect(page.locator(".masthead").get_by_text("with-key")).to_be_visible()


def test_a_browser_without_a_key_says_so(site: Site, page: Page, authenticator: CDPSession) -> None:
    page.goto(f"{site.url}/accounts/login/")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("you have no key for this site")


def test_a_token_is_made_copied_used_and_revoked(site: Site, page: Page) -> None:
    sign_up(page, site, "with-token")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    secret = make_token(page, site, "workstation")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == secret
    bearer = {"Authorization": f"Bearer {secret}"}
    assert page.request.get(f"{site.url}/api/v1/submissions", headers=bearer).status == 200
    page.goto(f"{site.url}/account/tokens")
    assert page.locator("#secret").count() == 0
    page.get_by_role("button", name="Revoke workstation").click()
    expect(page.get_by_text("Token revoked.")).to_be_visible()
    assert page.request.get(f"{site.url}/api/v1/submissions", headers=bearer).status == 401


def test_other_sessions_end(site: Site, page: Page, browser: Browser) -> None:
    sign_up(page, site, "with-sessions")
    with browser.new_context() as elsewhere:
        other = elsewhere.new_page()
        sign_in(other, site, "with-sessions")
        page.goto(f"{site.url}/accounts/sessions/")
        expect(page.locator(".account-list > li")).to_have_count(2)
        page.get_by_role("button", name="Sign out all others").click()
        expect(page.locator(".account-list > li")).to_have_count(1)
        other.goto(f"{site.url}/account")
        expect(other.get_by_role("heading", name="Sign in")).to_be_visible()


def test_data_is_downloaded_and_the_account_deleted(site: Site, page: Page, tmp_path: Path) -> None:
    sign_up(page, site, "leaver")
    page.goto(f"{site.url}/account")
    page.get_by_role("link", name="Your data").click()
    page.get_by_role("button", name="Download").click()
    with page.expect_download() as download:
        confirm(page)
    told = json.loads(Path(download.value.path()).read_text())
    assert download.value.suggested_filename == "warpcourt-leaver.json"
    assert told["account"]["username"] == "leaver"
    assert told["sessions"][0]["ip"] == "127.0.0.1"

    page.goto(f"{site.url}/account/data")
    page.get_by_role("link", name="Delete").click()
    page.get_by_label("Type your username to confirm").fill("someone")
    page.get_by_role("button", name="Delete account").click()
    expect(page.get_by_role("alert")).to_contain_text("Type leaver")
    page.get_by_label("Type your username to confirm").fill("leaver")
    page.get_by_role("button", name="Delete account").click()
    expect(page.get_by_text("Account deleted.")).to_be_visible()
    answer = page.goto(f"{site.url}/u/leaver")
    assert answer is not None
    assert answer.status == 404


def test_a_profile_is_hidden_from_others(site: Site, page: Page, browser: Browser) -> None:
    sign_up_on_page(page, site, "Private")
    page.locator(".masthead-end summary").click()
    page.get_by_role("link", name="Profile").click()
    expect(page).to_have_url(f"{site.url}/u/Private")
    with browser.new_context() as elsewhere:
        other = elsewhere.new_page()
        other.goto(f"{site.url}/u/private")
        expect(other).to_have_url(f"{site.url}/u/Private")
        page.get_by_role("link", name="Privacy settings").click()
        page.get_by_label("Only me").check()
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Saved.")).to_be_visible()
        answer = other.goto(f"{site.url}/u/Private")
        assert answer is not None
        assert answer.status == 404
    page.goto(f"{site.url}/u/Private")
    expect(page.get_by_text("Only you can see this page.")).to_be_visible()


def test_a_profile_can_be_read_without_seeing_it(site: Site, page: Page, person: str) -> None:
    page.goto(f"{site.url}/u/{person}")
    expect(page.get_by_role("img", name="2 submissions on 1 day in the year to")).to_be_visible()
    expect(page.get_by_role("link", name="Vector addition").first).to_be_visible()
    page.get_by_text("Activity as a table").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("table").first).to_be_visible()


def test_the_account_can_be_walked_with_the_keyboard(site: Site, page: Page, person: str) -> None:
    sign_in(page, site, person)
    page.goto(f"{site.url}/account")
    page.get_by_role("navigation", name="Account").get_by_role("link", name="Overview").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Profile and privacy")).to_be_visible()
    page.get_by_label("Everyone").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Signed-in users")).to_be_checked()
    page.keyboard.press("ArrowUp")
