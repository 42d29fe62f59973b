"""Tests the workbench: drafts in several browsers, settings, Vim keys, panes, keys, first paint."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from tests.e2e.conftest import (
    Site,
    open_problem,
    set_theme,
    sign_in,
    sign_up,
    wait_for_verdict,
    watch,
    write,
)
from tests.e2e.soundness import serious_violations
from tests.e2e.source_field import editor_text, expect_source

WIDE = 600
MOST_SHIFT = 0.02
MOST_ASSET_BYTES = 300 * 1024
MOST_HTML_BYTES = 60 * 1024
SAVED = "Saved"
WATCH_SHIFTS = """
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
"""


@pytest.fixture
def elsewhere(browser: Browser) -> Iterator[Page]:
    """Another browser."""
    with browser.new_context(viewport={"width": 1360, "height": 850}) as context:
        yield context.new_page()


def status(page: Page) -> Any:
    """Return what the page says about the draft."""
    return page.locator("[data-draft-status]")


def source(page: Page) -> Any:
    """The editor."""
    return page.get_by_role("textbox", name="Source")


class TestDrafts:
    def test_a_draft_is_saved_and_found_in_another_browser(
        self, site: Site, page: Page, elsewhere: Page
    ) -> None:
        sign_up(page, site, "traveller")
        open_problem(page, site, "vector-add")
        write(page, "// begun here")
        expect(status(page)).to_have_text("Saved in this browser")
        expect(status(page)).to_have_text(SAVED)
        sign_in(elsewhere, site, "traveller")
        open_problem(elsewhere, site, "vector-add")
        expect_source(elsewhere, "// begun here")

    def test_a_draft_is_saved_when_the_page_is_left_at_once(
        self, site: Site, page: Page, elsewhere: Page
    ) -> None:
        sign_up(page, site, "hasty")
        open_problem(page, site, "vector-add")
        write(page, "// and gone")
        page.goto(f"{site.url}/help")
        sign_in(elsewhere, site, "hasty")
        open_problem(elsewhere, site, "vector-add")
        expect_source(elsewhere, "// and gone")

    @pytest.mark.parametrize(
        ("choice", "kept", "other"),
        [("Keep mine", "// mine", "// theirs"), ("Use server version", "// theirs", "// mine")],
    )
    def test_two_browsers_in_conflict(
        self, site: Site, page: Page, elsewhere: Page, choice: str, kept: str, other: str
    ) -> None:
        name = f"two-{choice[:4].lower()}"
        sign_up(page, site, name)
        open_problem(page, site, "vector-add")
        sign_in(elsewhere, site, name)
        open_problem(elsewhere, site, "vector-add")
        write(elsewhere, "// theirs")
        expect(status(elsewhere)).to_have_text(SAVED)
        write(page, "// mine")
        dialog = page.get_by_role("dialog", name="Draft changed elsewhere")
        expect(dialog.get_by_label("Version in this browser")).to_contain_text("// mine")
        expect(dialog.get_by_label("Version on the server")).to_contain_text("// theirs")
        dialog.get_by_role("button", name=choice).click()
        expect(status(page)).to_have_text(SAVED)
        expect_source(page, kept)
        page.get_by_role("button", name="History").click()
        history = page.get_by_role("dialog", name="History")
        expect(history.get_by_label("Selected version")).to_contain_text(other)

    def test_a_conflict_can_wait(self, site: Site, page: Page, elsewhere: Page) -> None:
        sign_up(page, site, "undecided")
        open_problem(page, site, "vector-add")
        sign_in(elsewhere, site, "undecided")
        open_problem(elsewhere, site, "vector-add")
        write(elsewhere, "// theirs")
        expect(status(elsewhere)).to_have_text(SAVED)
        write(page, "// mine")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(status(page)).to_have_text("Changed elsewhere")
        page.get_by_role("button", name="Compare").click()
        page.get_by_role("button", name="Keep mine").click()
        expect(status(page)).to_have_text(SAVED)

    def test_the_starter_and_the_way_back(self, site: Site, page: Page) -> None:
        sign_up(page, site, "returner")
        open_problem(page, site, "vector-add")
        starter = editor_text(page)
        write(page, "// worth keeping")
        expect(status(page)).to_have_text(SAVED)
        page.get_by_role("button", name="Reset to starter code").click()
        page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        expect_source(page, "// worth keeping")
        page.get_by_role("button", name="Reset to starter code").click()
        page.get_by_role("dialog").get_by_role("button", name="Reset").click()
        expect_source(page, starter)
        expect(status(page)).to_have_text(SAVED)
        page.get_by_role("button", name="History").click()
        page.get_by_role("button", name="Restore").click()
        expect_source(page, "// worth keeping")
        expect(status(page)).to_have_text(SAVED)

    def test_two_tabs_of_one_browser_are_one(self, site: Site, page: Page) -> None:
        sign_up(page, site, "tabber")
        open_problem(page, site, "vector-add")
        other = page.context.new_page()
        open_problem(other, site, "vector-add")
        write(page, "// in the first tab")
        expect(other.locator("textarea[name=source]")).to_have_value("// in the first tab")
        expect(status(other)).to_have_text(SAVED)

    def test_without_a_network_the_draft_stays_here(self, site: Site, elsewhere: Page) -> None:
        # A page whose console may tell of what cannot be reached.
        sign_up(elsewhere, site, "offline")
        open_problem(elsewhere, site, "vector-add")
        source(elsewhere).click()  # so that everything the editor needs is here
        elsewhere.wait_for_load_state("networkidle")
        elsewhere.route("**/drafts/**", lambda route: route.abort())
        write(elsewhere, "// no network")
        expect(status(elsewhere)).to_have_text("Offline; saved in this browser")
        elsewhere.unroute("**/drafts/**")
        elsewhere.evaluate("dispatchEvent(new Event('online'))")
        expect(status(elsewhere)).to_have_text(SAVED)

    def test_what_was_written_signed_out_goes_to_the_server(
        self, site: Site, page: Page, elsewhere: Page
    ) -> None:
        open_problem(page, site, "vector-add")
        write(page, "// before I came")
        expect(status(page)).to_have_text("Saved in this browser")
        sign_up(page, site, "newly-in")
        open_problem(page, site, "vector-add")
        expect_source(page, "// before I came")
        expect(status(page)).to_have_text(SAVED)
        sign_in(elsewhere, site, "newly-in")
        open_problem(elsewhere, site, "vector-add")
        expect_source(elsewhere, "// before I came")


class TestEditor:
    def test_settings_apply_at_once_and_stay(self, site: Site, page: Page) -> None:
        open_problem(page, site, "vector-add")
        choose_settings(page, {"Font size": "18", "Tab width": "2"})
        expect(page.locator(".cm-content")).to_have_css("font-size", "18px")
        write(page, "")
        page.keyboard.press("Tab")
        expect_source(page, "  ")
        page.reload()
        expect(page.locator(".workbench[data-ready]")).to_be_visible()
        expect(page.locator(".cm-content")).to_have_css("font-size", "18px")

    def test_vim_keys_come_when_asked_for_and_let_one_out(self, site: Site, page: Page) -> None:
        fetched: list[str] = []
        page.on("response", lambda response: fetched.append(response.url))
        open_problem(page, site, "vector-add")
        assert not [url for url in fetched if "/vim-" in url]
        page.get_by_role("button", name="Editor settings").click()
        page.get_by_label("Vim keys").check()
        page.keyboard.press("Escape")
        expect(page.locator(".cm-vim-panel")).to_be_visible()
        assert [url for url in fetched if "/vim-" in url]
        source(page).click()
        page.keyboard.type("ggdGix = 1")
        expect_source(page, "x = 1")
        page.keyboard.press("Escape")
        page.keyboard.type("x")
        expect_source(page, "x = ")
        expect(page.locator("[data-way-out]")).to_be_hidden()
        page.keyboard.press("Escape")
        expect(page.locator("[data-way-out]")).to_be_visible()
        page.keyboard.press("Tab")
        expect(source(page)).not_to_be_focused()
        page.get_by_role("button", name="Editor settings").click()
        page.get_by_label("Vim keys").uncheck()
        page.keyboard.press("Escape")
        expect(page.locator(".cm-vim-panel")).to_have_count(0)

    def test_escape_leaves_however_long_one_waits(self, site: Site, page: Page) -> None:
        open_problem(page, site, "vector-add")
        source(page).click()
        page.keyboard.press("Escape")
        expect(page.locator("#announcer")).to_contain_text("to leave the editor")
        page.wait_for_timeout(2500)
        page.keyboard.press("Tab")
        expect(source(page)).not_to_be_focused()

    def test_escape_closes_completions_first(self, site: Site, page: Page) -> None:
        open_problem(page, site, "vector-add")
        write(page, "")
        page.keyboard.type("__shfl")
        expect(page.locator(".cm-tooltip-autocomplete")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator(".cm-tooltip-autocomplete")).to_be_hidden()
        page.keyboard.press("Tab")
        expect(source(page)).to_be_focused()

    def test_triton_words_are_completed_with_their_meaning(self, site: Site, page: Page) -> None:
        open_problem(page, site, "vector-add", "triton")
        write(page, "")
        page.keyboard.type("tl.asso")
        expect(page.locator(".cm-tooltip-autocomplete")).to_contain_text("tl.associative_scan")
        expect(page.locator(".cm-completionInfo")).to_contain_text("function of your own")
        page.wait_for_timeout(
            200
        )  # a list that has just appeared takes no keys, lest they were meant for the text
        page.keyboard.press("Enter")
        expect_source(page, "tl.associative_scan")

    def test_search_opens_finds_and_closes(self, site: Site, page: Page) -> None:
        open_problem(page, site, "vector-add")
        write(page, "alpha beta alpha")
        page.keyboard.press("Control+f")
        expect(page.get_by_placeholder("Find")).to_be_focused()
        page.keyboard.type("alpha")
        expect(page.locator(".cm-searchMatch")).to_have_count(2)
        page.keyboard.press("Escape")
        expect(page.locator(".cm-search")).to_have_count(0)
        expect(source(page)).to_be_focused()


class TestKeys:
    def test_from_anywhere_by_keyboard_alone(self, site: Site, page: Page) -> None:
        sign_up(page, site, "keyboarder")
        open_problem(page, site, "vector-add")
        write(page, "wrong_answer")
        page.keyboard.press("Escape")
        page.keyboard.press("Tab")
        page.keyboard.press("Control+Enter")
        wait_for_verdict(page, "Wrong answer")
        expect(page.locator("#console .banner")).to_contain_text("run")
        page.get_by_role("link", name="Statement").focus()
        page.keyboard.press("Control+Shift+Enter")
        expect(page.locator("#console .banner")).to_contain_text("submit")

    def test_a_question_mark_shows_the_keys(self, site: Site, page: Page) -> None:
        open_problem(page, site, "vector-add")
        dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
        page.get_by_role("heading", name="Vector addition").click()
        page.keyboard.press("?")
        expect(dialog).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        page.get_by_role("button", name="Keyboard shortcuts").click()
        expect(dialog).to_contain_text("Submit")
        dialog.get_by_role("button", name="Close").click()
        write(page, "")
        page.keyboard.type("what?")
        expect(dialog).to_be_hidden()
        expect_source(page, "what?")

    def test_seed_and_sizes_are_checked_before_they_are_sent(self, site: Site, page: Page) -> None:
        sign_up(page, site, "seeder")
        open_problem(page, site, "vector-add")
        write(page, "accepted")
        page.get_by_text("Custom case", exact=True).click()
        page.get_by_label("seed").fill("not a number")
        page.get_by_role("button", name="Run").click()
        expect(page.get_by_label("seed")).to_be_focused()
        page.get_by_label("seed").fill("42")
        page.get_by_role("button", name="Run").click()
        wait_for_verdict(page, "Accepted")

    def test_values_of_ones_own(self, site: Site, page: Page) -> None:
        sign_up(page, site, "valuer")
        open_problem(page, site, "vector-add")
        write(page, "accepted")
        panel = page.locator("[data-own-values]")
        expect(panel).to_be_hidden()
        page.get_by_text("Custom case", exact=True).click()
        panel.get_by_text("Custom values").click()
        panel.get_by_role("button", name="Use the sample's values").click()
        first, size = page.get_by_label("a", exact=True), page.get_by_label("n", exact=True)
        sample = first.input_value()
        assert sample
        expect(size).to_have_value(str(len(sample.split(","))))
        first.fill("[1, 2, inf]")
        expect(size).to_have_value("3")
        assert not serious_violations(page)
        page.get_by_role("button", name="Run").click()
        alert = page.locator("#console [role=alert]")
        expect(alert).to_contain_text("b: ")
        expect(alert).to_contain_text("but its shape with n = 3 is 3")
        page.get_by_label("b", exact=True).fill("")
        first.fill("1 2 inf")
        page.get_by_role("button", name="Run").click()
        wait_for_verdict(page, "Accepted")
        page.get_by_role("tab", name="Environment").click()
        expect(page.get_by_role("tabpanel", name="Environment")).to_contain_text("1, 2, inf")
        panel.get_by_role("button", name="Clear").click()
        expect(first).to_have_value("")

    def test_the_line_for_the_terminal_can_be_copied(self, site: Site, page: Page) -> None:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        open_problem(page, site, "vector-add")
        page.locator("[data-copy=command]").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == "warpcourt submit vector-add.cu --watch"


class TestPanes:
    @pytest.mark.parametrize(
        ("name", "keys", "now"),
        [
            ("Resize statement", ["ArrowLeft", "ArrowLeft"], "36"),
            ("Resize statement", ["End"], "75"),
            ("Resize editor", ["Home"], "20"),
            ("Resize editor", ["ArrowDown"], "62"),
        ],
    )
    def test_by_keyboard_and_remembered(
        self, site: Site, page: Page, name: str, keys: list[str], now: str
    ) -> None:
        open_problem(page, site, "vector-add")
        splitter = page.get_by_role("separator", name=name)
        for key in keys:
            splitter.press(key)
        expect(splitter).to_have_attribute("aria-valuenow", now)
        box = splitter.bounding_box()
        page.reload()
        expect(page.locator(".workbench[data-ready]")).to_be_visible()
        expect(splitter).to_have_attribute("aria-valuenow", now)
        assert splitter.bounding_box() == box

    def test_by_mouse(self, site: Site, page: Page) -> None:
        open_problem(page, site, "vector-add")
        splitter = page.get_by_role("separator", name="Resize statement")
        box = splitter.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 200)
        page.mouse.down()
        page.mouse.move(900, box["y"] + 220, steps=4)
        page.mouse.up()
        after = splitter.bounding_box()
        assert after is not None
        assert abs(after["x"] - 900) < 8

    def test_tabs_on_a_phone(self, site: Site, browser: Browser) -> None:
        with set_theme(browser, "light", phone=True) as context:
            page = context.new_page()
            open_problem(page, site, "vector-add")
            panes = {"Problem": "#statement", "Code": ".editor", "Result": "#console"}
            for name in panes:
                page.get_by_role("button", name=name, exact=True).click()
                for other, selector in panes.items():
                    expect(page.locator(selector)).to_be_visible(visible=other == name)
                wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
                assert page.evaluate(wide) == 0


class TestFirstPaint:
    @pytest.mark.parametrize("phone", [False, True], ids=["desk", "phone"])
    def test_nothing_moves(self, site: Site, browser: Browser, phone: bool) -> None:
        with set_theme(browser, "light", phone=phone) as context:
            page = context.new_page()
            page.add_init_script(WATCH_SHIFTS)
            open_problem(page, site, "vector-add")
            page.wait_for_timeout(700)
            assert page.evaluate("window.shift") < MOST_SHIFT

    def test_nothing_moves_with_panes_as_they_were_left(self, site: Site, page: Page) -> None:
        open_problem(page, site, "vector-add")
        page.get_by_role("separator", name="Resize statement").press("Home")
        page.get_by_role("separator", name="Resize editor").press("End")
        page.add_init_script(WATCH_SHIFTS)
        page.reload()
        expect(page.locator(".workbench[data-ready]")).to_be_visible()
        page.wait_for_timeout(700)
        assert page.evaluate("window.shift") < MOST_SHIFT

    def test_the_first_view_is_light(self, site: Site, page: Page) -> None:
        responses: list[Response] = []
        # Playwright marks what it calls, and a list's own method cannot be marked.
        page.on("response", lambda response: responses.append(response))  # noqa: PLW0108
        open_problem(page, site, "vector-add")
        page.wait_for_load_state("networkidle")
        sizes = {response.url: response.request.sizes()["responseBodySize"] for response in responses}
        assets = {url: size for url, size in sizes.items() if "/static/" in url}
        assert any("/editor-" in url for url in assets)
        assert sum(assets.values()) < MOST_ASSET_BYTES, assets
        page_size = next(size for url, size in sizes.items() if "/problems/vector-add" in url)
        assert page_size < MOST_HTML_BYTES


class TestStatement:
    def test_formulas_and_anchors(self, site: Site, page: Page) -> None:
        open_problem(page, site, "vector-add")
        expect(page.locator(".prose math").first).to_be_visible()
        heading = page.get_by_role("heading", name="Constraints")
        heading.hover()
        heading.get_by_role("link").click()
        expect(page).to_have_url(f"{site.url}/problems/vector-add?language=cuda#s-constraints")


def choose_settings(page: Page, chosen: dict[str, str]) -> None:
    """Choose in the settings dialog, by label."""
    page.get_by_role("button", name="Editor settings").click()
    for label, value in chosen.items():
        page.get_by_label(label).select_option(value)
    page.keyboard.press("Escape")


def test_dialogs_are_accessible(site: Site, visitor: Page) -> None:
    problems = watch(visitor)
    open_problem(visitor, site, "vector-add")
    size = visitor.viewport_size
    if size and size["width"] < WIDE:  # on a phone the statement is in front
        visitor.get_by_role("button", name="Code").click()
    for name in ("History", "Reset to starter code", "Editor settings", "Keyboard shortcuts"):
        visitor.get_by_role("button", name=name).click()
        expect(visitor.get_by_role("dialog")).to_be_visible()
        visitor.wait_for_timeout(150)
        assert serious_violations(visitor) == [], name
        visitor.keyboard.press("Escape")
    assert problems == []
