"""Tests the workbench: running, drafts, languages, panes, and use by keyboard only."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Site, open_problem, set_theme, sign_up, wait_for_verdict, write
from tests.e2e.source_field import editor_text, expect_source


def test_a_verdict_arrives_without_reload(site: Site, page: Page) -> None:
    sign_up(page, site, "runner")
    open_problem(page, site, "vector-add")
    page.evaluate("window.notReloaded = true")
    write(page, "sleep=1.5 runtime_error")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#console .live-stage")).to_contain_text(re.compile("Queued|Picked up|Compil|worker"))
    wait_for_verdict(page, "Runtime error")
    expect(page.locator("#announcer")).to_contain_text("Runtime error")
    assert page.evaluate("window.notReloaded")


@pytest.mark.parametrize(
    ("verdict", "word"),
    [
        ("accepted", "Accepted"),
        ("compile_error", "Compile error"),
        ("illegal_access", "Illegal access"),
        ("time_limit", "Time limit"),
        ("memory_limit", "Memory limit"),
        ("output_limit", "Output limit"),
        ("rejected", "Rejected"),
        ("internal_error", "Internal error"),
        ("cancelled", "Cancelled"),
    ],
)
def test_every_verdict_has_its_word_and_icon(site: Site, page: Page, verdict: str, word: str) -> None:
    sign_up(page, site, f"meets-{verdict.replace('_', '-')}")
    open_problem(page, site, "vector-add")
    write(page, verdict)
    page.get_by_role("button", name="Run").click()
    wait_for_verdict(page, word)
    expect(page.locator(f"#console .banner use[href$='#{verdict}']")).to_have_count(1)


def test_the_draft_survives_a_reload_and_the_starter_comes_back(site: Site, page: Page) -> None:
    open_problem(page, site, "vector-add")
    starter = editor_text(page)
    write(page, "my own program")
    open_problem(page, site, "vector-add")
    expect_source(page, "my own program")
    page.get_by_role("button", name="Reset to starter code").click()
    page.get_by_role("dialog").get_by_role("button", name="Reset").click()
    expect_source(page, starter)


def test_each_language_has_its_own_draft_and_command(site: Site, page: Page) -> None:
    open_problem(page, site, "vector-add")
    write(page, "cuda draft")
    page.get_by_role("link", name="Triton").click()
    expect_source(page, re.compile("import triton"))
    expect(page.locator("#command")).to_contain_text("vector-add.py")
    expect(page).to_have_url(f"{site.url}/problems/vector-add?language=triton")
    page.get_by_role("link", name="CUDA C++").click()
    expect_source(page, "cuda draft")


def test_own_sizes_are_used_and_checked(site: Site, page: Page) -> None:
    sign_up(page, site, "sizer")
    open_problem(page, site, "vector-add")
    write(page, "accepted")
    page.get_by_text("Custom case", exact=True).click()
    page.get_by_label("n", exact=True).fill("17")
    page.get_by_role("button", name="Run").click()
    wait_for_verdict(page, "Accepted")
    page.get_by_role("link", name="Permalink").click()
    expect(page.get_by_role("complementary").get_by_text("n=17")).to_be_visible()


def test_an_empty_program_is_refused_in_words(site: Site, page: Page) -> None:
    sign_up(page, site, "emptier")
    open_problem(page, site, "vector-add")
    write(page, " ")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#console [role=alert]")).to_contain_text("empty")


def test_by_keyboard_alone(site: Site, page: Page) -> None:
    sign_up(page, site, "typist")
    open_problem(page, site, "vector-add")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    source = page.get_by_role("textbox", name="Source")
    for _ in range(60):
        page.keyboard.press("Tab")
        if source.evaluate("node => node === document.activeElement"):
            break
    expect(source).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text("wrong_answer")
    page.keyboard.press("Control+Shift+Enter")
    wait_for_verdict(page, "Wrong answer")
    page.keyboard.press("Tab")
    expect(source).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(source).not_to_be_focused()


def test_splitters_move_by_keyboard(site: Site, page: Page) -> None:
    open_problem(page, site, "vector-add")
    splitter = page.get_by_role("separator", name="Resize statement")
    before = page.locator("#statement").evaluate("node => node.offsetWidth")
    splitter.press("ArrowRight")
    assert page.locator("#statement").evaluate("node => node.offsetWidth") > before


def test_completion_knows_cuda_words(site: Site, page: Page) -> None:
    open_problem(page, site, "vector-add")
    write(page, "")
    page.keyboard.type("__sync")
    expect(page.locator(".cm-tooltip-autocomplete")).to_contain_text("__syncthreads")


def test_on_a_phone_the_result_comes_forward(site: Site, browser: Browser) -> None:
    with set_theme(browser, "light", phone=True) as context:
        page = context.new_page()
        sign_up(page, site, "walker")
        open_problem(page, site, "vector-add")
        expect(page.get_by_role("textbox", name="Source")).to_be_hidden()
        page.get_by_role("button", name="Code").click()
        write(page, "accepted")
        page.get_by_role("button", name="Submit").click()
        wait_for_verdict(page, "Accepted")
        expect(page.get_by_role("button", name="Result")).to_have_attribute("aria-pressed", "true")


def test_a_visitor_is_asked_to_sign_in_and_keeps_the_draft(site: Site, page: Page) -> None:
    open_problem(page, site, "vector-add")
    write(page, "before signing up")
    page.get_by_role("region", name="Latest result").get_by_role("link", name="sign up").click()
    page.get_by_label("Username").fill("newcomer")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    expect(page.locator(".workbench[data-ready]")).to_be_visible()
    expect_source(page, "before signing up")
