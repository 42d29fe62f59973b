"""The palette, notes, bookmarks, commands and full screen, by keyboard and without a mouse."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import PASSWORD, Site, open_problem, sign_up, wait_for_verdict, write
from tests.e2e.soundness import serious_violations
from tests.e2e.source_field import expect_source

ROWS_PX = (40, 48)
SMALL_TEXTS = """
  [...document.querySelectorAll("body *")]
    .filter((node) => node.checkVisibility() && !node.closest("math, svg, sup, sub, .visually-hidden"))
    .filter((node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
    .filter((node) => parseFloat(getComputedStyle(node).fontSize) < 12.99)
    .map((node) => `${node.tagName}.${node.className}: ${node.textContent.trim().slice(0, 40)}`)
"""


def test_the_palette_leads_to_problems_and_pages(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/help")
    palette = page.get_by_role("dialog", name="Go to a problem or page")
    page.keyboard.press("Control+k")
    expect(palette.get_by_role("combobox")).to_be_focused()
    expect(palette.get_by_role("option", name="Vector addition")).to_be_visible()
    assert serious_violations(page) == []
    page.keyboard.press("Escape")
    expect(palette).to_be_hidden()
    page.get_by_role("button", name="Go to a problem or page").click()
    page.keyboard.type("rank")
    expect(palette.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{site.url}/ranking")
    page.keyboard.press("Control+k")
    page.keyboard.type("vector")
    option = palette.get_by_role("option", name="Vector addition")
    expect(option).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{site.url}/problems/vector-add")
    expect(page.locator(".workbench[data-ready]")).to_be_visible()
    page.get_by_role("textbox", name="Source").click()
    page.keyboard.press("Control+k")
    expect(palette.get_by_role("combobox")).to_be_focused()
    page.keyboard.type("nothing like this")
    expect(palette.get_by_text("Nothing matches.")).to_be_visible()


def test_notes_save_themselves_and_bookmarks_are_listed(site: Site, page: Page) -> None:
    sign_up(page, site, "noter")
    open_problem(page, site, "vector-add")
    page.keyboard.press("Alt+Shift+O")
    expect(page.get_by_role("textbox", name="Notes")).to_be_focused()
    page.keyboard.type("Mind the rest.")
    expect(page.locator("[data-note-status]")).to_have_text("Saved")
    page.keyboard.press("Alt+Shift+B")
    bookmark = page.get_by_role("button", name="Bookmark")
    expect(bookmark).to_have_attribute("aria-pressed", "true")
    assert serious_violations(page) == []
    page.reload()
    expect(page.get_by_role("textbox", name="Notes")).to_have_value("Mind the rest.")
    expect(bookmark).to_have_attribute("aria-pressed", "true")
    page.goto(f"{site.url}/problems?status=bookmarked")
    expect(page.locator(".problem-row")).to_have_count(1)


def test_notes_and_bookmarks_work_without_scripts(site: Site, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{site.url}/accounts/signup/")
        page.get_by_label("Username").fill("plain-noter")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("main").get_by_role("button", name="Sign up").click()
        page.goto(f"{site.url}/problems/vector-add")
        page.locator("#note summary").click()
        page.get_by_role("textbox", name="Notes").fill("By hand.")
        page.locator("#note").get_by_role("button", name="Save").click()
        expect(page.get_by_text("Note saved.")).to_be_visible()
        page.get_by_role("button", name="Bookmark").click()
        expect(page.get_by_role("button", name="Bookmark")).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_role("textbox", name="Notes")).to_have_value("By hand.")


def test_the_editor_alone_and_back(site: Site, page: Page) -> None:
    open_problem(page, site, "vector-add")
    page.keyboard.press("Alt+Shift+Z")
    expect(page.locator("#statement")).to_be_hidden()
    expect(page.locator(".masthead")).to_be_hidden()
    page.keyboard.press("Alt+Shift+Z")
    expect(page.locator("#statement")).to_be_visible()


def test_the_keys_lead_to_neighbours_and_are_listed(site: Site, page: Page) -> None:
    open_problem(page, site, "vector-add")
    page.keyboard.press("Alt+Shift+N")
    expect(page).to_have_url(f"{site.url}/problems/hostile")
    expect(page.locator(".workbench[data-ready]")).to_be_visible()
    page.keyboard.press("Alt+Shift+P")
    expect(page).to_have_url(f"{site.url}/problems/vector-add")
    expect(page.locator(".workbench[data-ready]")).to_be_visible()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    for action in (
        "Save the draft",
        "Go to a problem or page",
        "Open notes",
        "Format the program",
        "full screen",
    ):
        expect(dialog).to_contain_text(action)


def test_a_skip_link_leads_into_the_editor(site: Site, page: Page) -> None:
    open_problem(page, site, "vector-add")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to editor")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Source")).to_be_focused()


def test_the_history_lists_submissions_with_their_verdicts(site: Site, page: Page) -> None:
    sign_up(page, site, "historian")
    open_problem(page, site, "vector-add")
    write(page, "wrong_answer // first")
    page.get_by_role("button", name="Run").click()
    wait_for_verdict(page, "Wrong answer")
    write(page, "accepted // second")
    page.get_by_role("button", name="Submit").click()
    wait_for_verdict(page, "Accepted")
    page.get_by_role("button", name="History").click()
    dialog = page.get_by_role("dialog", name="History")
    rows = dialog.get_by_role("button", name=re.compile("Accepted|Wrong answer"))
    expect(rows).to_have_count(2)
    assert serious_violations(page) == []
    rows.nth(1).click()
    expect(dialog.get_by_label("Selected version")).to_contain_text("first")
    dialog.get_by_role("button", name="Restore").click()
    expect_source(page, "wrong_answer // first")


def test_outputs_are_shown_by_case_with_a_map(site: Site, visitor: Page) -> None:
    size = visitor.viewport_size
    sign_up(visitor, site, f"looker{size['width'] if size else 0}")
    open_problem(visitor, site, "vector-add")
    if visitor.get_by_role("button", name="Code", exact=True).is_visible():
        visitor.get_by_role("button", name="Code", exact=True).click()
    write(visitor, "wrong_answer mismatches outputs")
    visitor.get_by_role("button", name="Run").click()
    wait_for_verdict(visitor, "Wrong answer")
    expect(visitor.locator("#console .banner")).to_contain_text("expected 0.5")
    expect(visitor.get_by_role("img", name=re.compile("Map of the wrong elements of c"))).to_be_visible()
    expect(visitor.get_by_role("region", name="Elements of c in sample")).to_contain_text("wrong, expected")
    assert serious_violations(visitor) == []


def test_lists_are_dense_and_no_text_is_small(site: Site, page: Page) -> None:
    sign_up(page, site, "reader")
    open_problem(page, site, "vector-add")
    write(page, "wrong_answer mismatches outputs log prints launches")
    page.get_by_role("button", name="Run").click()
    wait_for_verdict(page, "Wrong answer")
    assert page.evaluate(SMALL_TEXTS) == []
    for address, rows in (("problems", ".problem-row"), ("submissions", "table.submissions tbody tr")):
        page.goto(f"{site.url}/{address}")
        height = page.locator(rows).first.evaluate("row => row.getBoundingClientRect().height")
        assert ROWS_PX[0] <= height <= ROWS_PX[1], address
    for address in (
        "",
        "problems",
        "submissions",
        "tracks",
        "ranking",
        "help",
        "problems/vector-add/leaderboard",
    ):
        page.goto(f"{site.url}/{address}")
        assert page.evaluate(SMALL_TEXTS) == [], address
