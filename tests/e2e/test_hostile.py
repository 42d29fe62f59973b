"""Texts that try to run as scripts are shown as texts."""

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site, open_problem, press, sign_up, wait_for_verdict, write

ATTACK = (
    "</textarea></script><script>document.title='owned'</script>"
    "<img src=x onerror=\"document.title='owned'\"> accepted"
)


def not_owned(page: Page) -> None:
    """Nothing ran: the title is the page's own, and no element came from the text."""
    page.wait_for_timeout(200)
    assert page.title() != "owned"
    assert page.locator("img").count() == 0
    assert page.locator("[onerror]").count() == 0
    assert page.locator("a[href^='javascript:']").count() == 0


def test_a_hostile_problem_is_inert(site: Site, page: Page) -> None:
    for path in ("/", "/problems", "/problems/hostile", "/problems/hostile/leaderboard"):
        page.goto(f"{site.url}{path}")
        expect(page.get_by_text("<script>").first).to_be_visible()
        not_owned(page)


def test_a_hostile_program_is_inert(site: Site, page: Page) -> None:
    sign_up(page, site, "mallory")
    open_problem(page, site, "hostile")
    write(page, ATTACK)
    press(page, "Submit")
    wait_for_verdict(page, "Accepted")
    not_owned(page)
    page.get_by_role("link", name="Permalink").click()
    expect(page.locator(".source")).to_contain_text("<script>")
    not_owned(page)
    open_problem(page, site, "hostile")
    not_owned(page)


def test_hostile_filters_are_inert(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/problems?q=%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&tag=%3Cscript%3E")
    not_owned(page)
