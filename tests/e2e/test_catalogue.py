"""Tests finding a problem and following a track: with the mouse, by keys, and without scripts."""

from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Site, open_problem, press, sign_up_on_page, wait_for_verdict, write

TRACK = "/tracks/hundred-days"


def test_filters_narrow_the_list_and_stand_in_the_address(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/problems")
    rows = page.locator(".problem-row")
    expect(rows).to_have_count(2)
    page.get_by_label("Difficulty").select_option("hard")
    expect(page.get_by_text("No problems match.")).to_be_visible()
    expect(page).to_have_url(f"{site.url}/problems?difficulty=hard")
    page.get_by_label("Difficulty").select_option("easy")
    expect(rows).to_have_count(2)
    page.get_by_label("Sort by").select_option("title")
    expect(page).to_have_url(f"{site.url}/problems?difficulty=easy&sort=title")
    page.keyboard.press("Tab")
    page.get_by_role("heading", name="Problems").click()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.insert_text("vector addition")  # in one event, so that the list is replaced once
    expect(page).to_have_url(f"{site.url}/problems?q=vector+addition&difficulty=easy&sort=title")
    expect(rows).to_have_count(1)
    expect(page.locator("#announcer")).to_have_text("1 problem")
    page.get_by_role("link", name="Vector addition", exact=True).click()
    expect(page).to_have_url(f"{site.url}/problems/vector-add")


def test_a_click_on_a_result_is_not_lost_when_the_search_loses_the_focus(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/problems")
    page.get_by_role("searchbox").fill("vector addition")
    expect(page).to_have_url(f"{site.url}/problems?q=vector+addition")
    page.get_by_role("link", name="Vector addition", exact=True).hover()
    page.mouse.down()
    page.wait_for_timeout(500)  # a list that is replaced now would take the link away
    page.mouse.up()
    expect(page).to_have_url(f"{site.url}/problems/vector-add")


def test_the_way_back_restores_list_and_filters(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/problems")
    page.get_by_label("Difficulty").select_option("hard")
    expect(page).to_have_url(f"{site.url}/problems?difficulty=hard")
    page.go_back()
    expect(page.locator(".problem-row")).to_have_count(2)
    expect(page.get_by_label("Difficulty")).to_have_value("")
    page.go_forward()
    expect(page.get_by_text("No problems match.")).to_be_visible()
    expect(page.get_by_label("Difficulty")).to_have_value("hard")
    page.get_by_role("main").get_by_role("link", name="Difficulty: Hard").click()
    expect(page).to_have_url(f"{site.url}/problems")


def test_the_list_works_without_scripts(site: Site, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{site.url}/problems")
        page.get_by_role("searchbox").fill("nothing like it")
        page.get_by_role("button", name="Apply").click()
        expect(page.get_by_text("No problems match.")).to_be_visible()
        page.get_by_role("link", name="Show all 2 problems").click()
        expect(page.locator(".problem-row")).to_have_count(2)


def test_a_track_leads_from_problem_to_problem(site: Site, page: Page) -> None:
    sign_up_on_page(page, site, "pathfinder")
    expect(page.get_by_text("Start with")).to_be_visible()
    page.get_by_role("navigation", name="Site").get_by_role("link", name="Tracks").click()
    page.get_by_role("link", name="A hundred days").click()
    expect(page.get_by_text("0 of 2 solved")).to_be_visible()
    page.get_by_role("link", name="Start with Vector addition").click()
    open_problem(page, site, "vector-add")
    write(page, "accepted")
    press(page, "Submit")
    wait_for_verdict(page, "Accepted")
    page.goto(f"{site.url}{TRACK}")
    expect(page.get_by_text("1 of 2 solved")).to_be_visible()
    expect(page.locator(".stop").first.get_by_text("Solved")).to_be_attached()
    expect(page.locator(".stop[aria-current=step] h2")).to_contain_text("<script>")
    expect(page.get_by_role("link", name="Continue with")).to_be_visible()
    page.goto(f"{site.url}/problems")
    page.get_by_text("Solved", exact=True).first.click()
    expect(page.locator(".problem-row")).to_have_count(1)
    expect(page).to_have_url(f"{site.url}/problems?status=solved")
    page.get_by_role("link", name="Warpcourt, home").click()
    expect(page.get_by_role("region", name="Continue")).to_contain_text("Next")
    expect(page.get_by_role("link", name="1 solved", exact=True)).to_be_visible()
