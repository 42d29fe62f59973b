"""Tests every page in both colour schemes, on desktop and phone: no errors, no overflow, accessible."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Site, open_problem, press, sign_in, sign_up, wait_for_verdict, write
from tests.e2e.soundness import check, check_here

PUBLIC = (
    "/",
    "/problems",
    "/problems/vector-add",
    "/problems/vector-add/leaderboard",
    "/help",
    "/api/v1/docs",
)
LISTS = ("/problems?q=nothing&tag=bandwidth&sort=x", "/tracks", "/tracks/hundred-days")
FORMS = (
    "/accounts/login/",
    "/accounts/signup/",
    "/accounts/password/reset/",
    "/no-such-page",
    "/problems/vector-add/note",
)
PRIVATE = ("/", "/problems", "/problems/vector-add", "/submissions", "/account", "/accounts/password/change/")
PERSON = "reader"


@pytest.fixture(scope="module")
def permalink(site: Site, browser: Browser) -> str:
    """A person's judged submission."""
    with browser.new_context() as context:
        page = context.new_page()
        sign_up(page, site, PERSON)
        open_problem(page, site, "vector-add")
        write(page, "wrong_answer\n\n// after an empty line")
        press(page, "Submit")
        wait_for_verdict(page, "Wrong answer")
        return page.get_by_role("link", name="Permalink").get_attribute("href") or ""


@pytest.fixture(scope="module")
def timed(site: Site, browser: Browser, permalink: str) -> str:
    """A submission of the same person that was timed, and disturbed before."""
    with browser.new_context() as context:
        page = context.new_page()
        sign_in(page, site, PERSON)
        open_problem(page, site, "vector-add")
        write(page, "score=12.5 disturbed")
        press(page, "Submit")
        wait_for_verdict(page, "Accepted")
        return page.get_by_role("link", name="Permalink").get_attribute("href") or ""


def test_public_pages(site: Site, visitor: Page) -> None:
    for path in (*PUBLIC, *LISTS, *FORMS):
        check(visitor, f"{site.url}{path}")


def test_pages_of_a_person(site: Site, visitor: Page, permalink: str) -> None:
    sign_in(visitor, site, PERSON)
    for path in (*PRIVATE, *LISTS, permalink):
        check(visitor, f"{site.url}{path}")


def test_pages_with_figures(site: Site, visitor: Page, timed: str) -> None:
    sign_in(visitor, site, PERSON)
    board = "/problems/vector-add/leaderboard"
    for path in (timed, f"{timed}/listings/ptx", board, f"{board}?gpu=NVIDIA+B200"):
        check(visitor, f"{site.url}{path}")


def test_from_a_score_to_its_place_and_its_listing(site: Site, page: Page, timed: str) -> None:
    sign_in(page, site, PERSON)
    page.goto(f"{site.url}{timed}")
    expect(page.get_by_text("first run was disturbed")).to_be_visible()
    page.get_by_role("tab", name="PTX / SASS").click()
    expect(page.get_by_text("<b>not bold</b>")).to_be_visible()
    page.get_by_role("link", name="open as a page").click()
    expect(page.get_by_text("<b>not bold</b>")).to_be_visible()
    page.go_back()
    page.get_by_role("tab", name="Result").click()
    page.get_by_role("link", name="Leaderboard").click()
    expect(page.get_by_role("row", name=PERSON).first).to_contain_text("12.50 µs")
    page.get_by_role("link", name="Triton").click()
    expect(page.get_by_text("No scores on the current version")).to_be_visible()


def test_a_page_that_is_missing_helps(site: Site, page: Page) -> None:
    answer = page.goto(f"{site.url}/s/nothing")
    assert answer is not None
    assert answer.status == 404
    expect(page.get_by_role("main").get_by_role("link", name="Problems")).to_be_visible()


def test_the_api_page_shows_calls_to_copy(site: Site, page: Page) -> None:
    check(page, f"{site.url}/api/v1/docs")
    page.get_by_text("/api/v1/submissions", exact=True).first.click()
    expect(page.get_by_label("Submit or run a source with curl")).to_contain_text(f"{site.url}/api/v1/sub")
    check_here(page, "the API with an operation open")


def test_the_admin_works_under_the_policy(site: Site, page: Page, tmp_path: Path) -> None:
    site.manage("shell", "-c", MAKE_STAFF)
    sign_in(page, site, "warden")
    for path in ("/admin/", "/admin/catalog/problem/", "/admin/submissions/submission/"):
        page.goto(f"{site.url}{path}")
        expect(page.locator("#content")).to_be_visible()


def test_the_chosen_scheme_is_remembered(site: Site, page: Page) -> None:
    page.goto(site.url)
    button = page.get_by_role("button", name="Theme")
    button.click()
    button.click()
    expect(button).to_have_accessible_name("Theme: dark")
    page.goto(f"{site.url}/help")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).colorScheme") == "dark"


def test_the_list_narrows_while_one_types(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/problems")
    page.get_by_role("searchbox").fill("vector add")
    expect(page.locator(".problem-row")).to_have_count(1)
    expect(page).to_have_url(f"{site.url}/problems?q=vector+add")
    page.get_by_role("searchbox").fill("nothing like it")
    expect(page.get_by_text("No problems match.")).to_be_visible()
    page.go_back()
    expect(page.locator(".problem-row")).to_have_count(1)


MAKE_STAFF = (
    "from web.accounts.models import User; "
    "User.objects.create_superuser('warden', password='correct horse battery')"
)
