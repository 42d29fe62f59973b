"""Tests that solving a problem opens its editorial and discussion, and that reports of posts reach staff."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import PASSWORD, Site, open_problem, press, sign_in, sign_up, wait_for_verdict, write
from tests.e2e.soundness import check

BASE = "/problems/vector-add"
ATTACK = (
    "<script>document.title='owned'</script> [x](javascript:document.title='owned') "
    "<img src=x onerror=owned()>"
)
POST = f"The bound is $12n/B$ with **four** loads:\n\n```cuda\nfloat4 x = a4[i];\n```\n\n{ATTACK}"


def solve(page: Page, site: Site) -> None:
    open_problem(page, site, "vector-add")
    write(page, "accepted")
    press(page, "Submit")
    wait_for_verdict(page, "Accepted")


@pytest.fixture(scope="module")
def talk(site: Site, browser: Browser) -> str:
    """A thread with an answer."""
    with browser.new_context() as context:
        page = context.new_page()
        sign_up(page, site, "talker")
        solve(page, site)
        page.goto(f"{site.url}{BASE}/discussion/new")
        page.get_by_label("Title").fill("What bounds it?")
        page.get_by_label("Text").fill(POST)
        page.get_by_role("button", name="Post").click()
        page.wait_for_url(re.compile(r"/discussion/\d+"))
        address = page.url.removeprefix(site.url).partition("#")[0]
        page.get_by_label("Text").fill("Memory, of course.")
        page.get_by_role("button", name="Reply").click()
        expect(page.locator(".post")).to_have_count(2)
        return address


@pytest.fixture(scope="module")
def warden(site: Site) -> str:
    """The name of a member of staff."""
    site.manage("shell", "-c", MAKE_STAFF)
    return "moderator"


def test_it_opens_by_solving(site: Site, page: Page, talk: str) -> None:
    sign_up(page, site, "newcomer")
    page.goto(f"{site.url}{talk}")
    expect(page.get_by_role("heading", name="Solve the problem to unlock this page")).to_be_visible()
    expect(page.get_by_text("Memory, of course.")).to_have_count(0)
    solve(page, site)
    page.goto(f"{site.url}{BASE}/discussion")
    page.get_by_role("link", name="What bounds it?").click()
    expect(page.get_by_text("Memory, of course.")).to_be_visible()
    expect(page).to_have_title("What bounds it?: Vector addition · Warpcourt")
    page.get_by_role("navigation", name="Vector addition").get_by_role("link", name="Editorial").click()
    expect(page.get_by_role("heading", name="Editorial", level=1)).to_be_visible()


def test_one_previews_posts_edits_and_deletes(site: Site, page: Page, talk: str) -> None:
    sign_in(page, site, "talker")
    page.goto(f"{site.url}{BASE}/discussion")
    page.get_by_role("link", name="New thread").click()
    page.get_by_label("Title").fill("To be deleted")
    page.get_by_label("Text").fill("Some **bold** words and `code`")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("region", name="Preview").locator("strong")).to_have_text("bold")
    expect(page).to_have_url(f"{site.url}{BASE}/discussion/new")
    page.get_by_role("button", name="Post").click()
    expect(page.get_by_role("heading", name="To be deleted")).to_be_visible()
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_label("Text").fill("Other words")
    page.get_by_role("button", name="Save").click()
    post = page.locator(".post").first
    expect(post).to_contain_text("Other words")
    expect(post).to_contain_text("edited")
    post.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Post deleted.")).to_be_visible()
    expect(page.get_by_role("link", name="To be deleted")).to_have_count(0)


def test_it_works_without_scripts(site: Site, browser: Browser, talk: str) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{site.url}/accounts/login/")
        page.get_by_label("Username").fill("talker")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()
        page.goto(f"{site.url}{talk}")
        page.get_by_label("Text").fill("Without *scripts*")
        page.get_by_role("button", name="Preview").click()
        expect(page.get_by_role("region", name="Preview").locator("em")).to_have_text("scripts")
        page.get_by_role("button", name="Reply").click()
        expect(page.locator(".post em")).to_have_text("scripts")


def test_nothing_written_runs(site: Site, page: Page, talk: str) -> None:
    sign_in(page, site, "talker")
    page.goto(f"{site.url}{talk}")
    first = page.locator(".post").first
    expect(first).to_contain_text("document.title='owned'")
    expect(first.locator(".prose :is(script, img)")).to_have_count(0)
    expect(first.locator(".prose a[href^=javascript]")).to_have_count(0)
    expect(page).not_to_have_title("owned")


def test_a_report_reaches_staff_who_hide_the_post(
    site: Site, browser: Browser, page: Page, talk: str, warden: str
) -> None:
    with browser.new_context() as context:
        reader = context.new_page()
        sign_up(reader, site, "offended")
        solve(reader, site)
        reader.goto(f"{site.url}{talk}")
        reader.get_by_role("link", name="Report post").nth(1).click()
        reader.get_by_label("Reason").fill("It gives everything away")
        reader.get_by_role("button", name="Report post").click()
        expect(reader.get_by_text("Staff will review the post.")).to_be_visible()
        sign_in(page, site, warden)
        page.goto(f"{site.url}/staff")
        page.get_by_role("link", name="1 reported post").click()
        report = page.get_by_role("region", name="Report by offended")
        expect(report).to_contain_text("It gives everything away")
        report.get_by_label("Reason for hiding").fill("Too much of a hint")
        report.get_by_role("button", name="Hide").click()
        expect(page.get_by_text("Hidden by staff: Too much of a hint")).to_be_visible()
        reader.goto(f"{site.url}{talk}")
        expect(reader.get_by_text("Hidden by staff.")).to_be_visible()
        expect(reader.get_by_text("Memory, of course.")).to_have_count(0)
        page.get_by_role("button", name="Restore").click()
        reader.reload()
        expect(reader.get_by_text("Memory, of course.")).to_be_visible()
    page.goto(f"{site.url}/staff/audit")
    expect(page.get_by_role("row", name="Hid a post")).to_contain_text("Too much of a hint")


def test_who_is_banned_is_told_why(site: Site, browser: Browser, page: Page, talk: str, warden: str) -> None:
    with browser.new_context() as context:
        loud = context.new_page()
        sign_up(loud, site, "loud")
        solve(loud, site)
        sign_in(page, site, warden)
        page.goto(f"{site.url}/staff/bans?person=loud")
        page.get_by_label("Reason").fill("Advertising")
        page.get_by_role("button", name="Ban").click()
        expect(page.get_by_role("row", name="loud")).to_contain_text("Advertising")
        loud.goto(f"{site.url}{talk}")
        expect(loud.get_by_text("Advertising")).to_be_visible()
        expect(loud.get_by_role("button", name="Reply")).to_have_count(0)
        page.get_by_role("button", name="Lift ban of loud").click()
        loud.reload()
        expect(loud.get_by_role("button", name="Reply")).to_be_visible()


def test_the_pages_are_sound(site: Site, visitor: Page, talk: str) -> None:
    check(visitor, f"{site.url}{talk}")  # closed
    sign_in(visitor, site, "talker")
    for address in (f"{BASE}/editorial", f"{BASE}/discussion", f"{BASE}/discussion/new", talk):
        check(visitor, f"{site.url}{address}")
    visitor.goto(f"{site.url}{talk}")
    for name in ("Edit", "Delete"):
        check(
            visitor,
            f"{site.url}{visitor.get_by_role('link', name=name, exact=True).first.get_attribute('href')}",
        )
        visitor.goto(f"{site.url}{talk}")


MAKE_STAFF = (
    f"from web.accounts.models import User; User.objects.create_superuser('moderator', password='{PASSWORD}')"
)
