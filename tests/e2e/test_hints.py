"""Tests help for stuck learners: hints one by one, the editorial after giving up, a likely mistake."""

import os
import secrets
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import (
    PASSWORD,
    Site,
    open_problem,
    press,
    set_theme,
    sign_up,
    wait_for_verdict,
    write,
)
from tests.e2e.soundness import check_here

BASE = "/problems/vector-add"
PICTURES = os.environ.get("HINT_PICTURES")  # a folder; set it to get pictures of the pages
LAST = "The guard compares with n - 1, so the last element keeps the random bits that it came with."
# What a proof would have found: a wrong solution with the verdicts of the last submission.
LEARN = f"""
from web.packages.models import PackageVersion
from web.submissions.models import Submission
submission = Submission.objects.select_related("report").latest("pk")
cases = {{case["name"]: case["verdict"] for case in submission.report.body["cases"]}}
body = {{"language": "cuda", "text": {LAST!r}, "cases": cases, "cpu_only": False}}
PackageVersion.objects.filter(pk=submission.package_id).update(mistakes=[body])
"""


def picture(page: Page, name: str) -> None:
    if PICTURES:
        page.screenshot(path=str(Path(PICTURES) / f"{name}.png"))


def test_hints_open_in_order_and_giving_up_opens_the_editorial(site: Site, visitor: Page) -> None:
    scheme = "phone" if visitor.viewport_size and visitor.viewport_size["width"] < 800 else "desk"
    sign_up(visitor, site, f"stuck-{secrets.token_hex(3)}")
    open_problem(visitor, site, "vector-add")
    bounds = visitor.locator(".prose details.fold")
    expect(bounds.get_by_text("One addition per twelve bytes")).to_be_hidden()
    bounds.locator("summary").click()
    expect(bounds.get_by_text("One addition per twelve bytes")).to_be_visible()
    bounds.scroll_into_view_if_needed()
    picture(visitor, f"bounds-{scheme}")
    hints = visitor.get_by_role("region", name="Hints", exact=True)
    visitor.evaluate("window.notReloaded = true")
    for number in (1, 2):
        hints.get_by_role("button", name=f"Open hint {number} of 3").click()
        expect(hints.get_by_text(f"Hint {number} of 3", exact=True)).to_be_visible()
    assert visitor.evaluate("window.notReloaded")
    hints.scroll_into_view_if_needed()
    check_here(visitor, "a problem with hints")
    picture(visitor, f"hints-{scheme}")
    visitor.reload()
    expect(hints.locator("details[open]")).to_have_count(2)
    expect(hints.get_by_role("button", name="Open hint 3 of 3")).to_be_visible()
    hints.get_by_role("link", name="give up and read the editorial").click()
    expect(visitor.get_by_role("heading", name="Give up and read the editorial?")).to_be_visible()
    check_here(visitor, "the question whether to give up")
    picture(visitor, f"give-up-{scheme}")
    visitor.get_by_role("button", name="Give up").click()
    expect(visitor).to_have_url(f"{site.url}{BASE}/editorial")
    expect(visitor.get_by_role("link", name="Discussion", exact=True)).to_have_count(0)
    check_here(visitor, "an editorial after giving up")
    picture(visitor, f"editorial-{scheme}")


def test_it_works_without_scripts(site: Site, browser: Browser) -> None:
    name = f"plain-{secrets.token_hex(3)}"
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{site.url}{BASE}")
        hints = page.get_by_role("region", name="Hints", exact=True)
        hints.get_by_role("link", name="Sign in").click()
        page.goto(f"{site.url}/accounts/signup/?next={BASE}")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("main").get_by_role("button", name="Sign up").click()
        page.goto(f"{site.url}{BASE}?language=triton")
        hints.get_by_role("button", name="Open hint 1 of 3").click()
        expect(page).to_have_url(f"{site.url}{BASE}?language=triton#hints")
        expect(hints.get_by_text("Count the elements and the threads.")).to_be_visible()
        page.locator(".prose details.fold summary").click()
        expect(page.get_by_text("One addition per twelve bytes")).to_be_visible()
        hints.get_by_role("link", name="give up and read the editorial").click()
        page.get_by_role("link", name="Cancel").click()
        page.goto(f"{site.url}{BASE}/give-up")
        page.get_by_role("button", name="Give up").click()
        expect(page.get_by_role("heading", name="Editorial", level=1)).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_likely_mistake_is_offered_folded(site: Site, browser: Browser, scheme: str) -> None:
    with set_theme(browser, scheme, phone=scheme == "dark") as context:
        page = context.new_page()
        sign_up(page, site, f"wrong-{secrets.token_hex(3)}")
        open_problem(page, site, "vector-add")
        if scheme == "dark":
            page.get_by_role("button", name="Code").click()
        write(page, "wrong_answer")
        press(page, "Submit")
        wait_for_verdict(page, "Wrong answer")
        site.manage("shell", "-c", LEARN)
        page.goto(f"{site.url}{page.get_by_role('link', name='Permalink').get_attribute('href')}")
        expect(page.get_by_text(LAST)).to_be_hidden()
        page.get_by_text("You may have made this mistake").click()
        expect(page.get_by_text(LAST)).to_be_visible()
        check_here(page, "a submission with a likely mistake")
        picture(page, f"mistake-{scheme}")
