"""Tests formatting a program in the workbench: on request, in a worker, keeping the caret and the history."""

import re

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site, open_problem, sign_up, write
from tests.e2e.soundness import check_here
from tests.e2e.source_field import expect_source

UNTIDY = "void solve( ){\nint a;\n      int b;b=1;\n}\n"
TIDY = "void solve() {\n    int a;\n    int b;\n    b = 1;\n}\n"
LOAD_MS = 60_000


def expect_status(page: Page, text: str) -> None:
    """Wait until the line under the editor says `text`, aloud too."""
    expect(page.locator("[data-format-status]")).to_have_text(text, timeout=LOAD_MS)
    expect(page.locator("#announcer")).to_have_text(text)


def test_a_program_is_formatted_in_place(site: Site, page: Page) -> None:
    sign_up(page, site, "formatter")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_problem(page, site, "vector-add")
    assert not [url for url in asked if "formatter" in url or ".wasm" in url]
    write(page, UNTIDY)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    page.keyboard.press("Alt+Shift+F")
    expect_status(page, "Formatted")
    expect_source(page, TIDY)
    check_here(page, "a formatted program")
    page.keyboard.insert_text("/* here */")
    expect_source(page, re.compile(re.escape("b = 1;/* here */")))
    expect(page.locator("[data-format-status]")).to_have_text("")
    page.keyboard.press("Control+z")
    expect_source(page, TIDY)
    page.get_by_role("button", name="Format the program").click()
    expect_status(page, "Already formatted")
    page.get_by_role("textbox", name="Source").focus()
    page.keyboard.press("Control+z")
    expect_source(page, UNTIDY)
    page.keyboard.press("Control+k")
    page.keyboard.type("format")
    page.keyboard.press("Enter")
    expect_status(page, "Formatted")
    expect(page.locator("[data-draft-status]")).to_have_text("Saved")
    page.reload()
    expect(page.locator(".workbench[data-ready]")).to_be_visible()
    expect_source(page, TIDY)


def test_a_program_that_does_not_parse_is_left_as_it_is(site: Site, page: Page) -> None:
    open_problem(page, site, "vector-add")
    broken = "void solve() {\n  g(;\n}\n"
    write(page, broken)
    page.keyboard.press("Alt+Shift+F")
    expect_status(page, 'Not formatted: line 3 does not parse ("}" does not close the "(" of line 2)')
    expect_source(page, broken)
    check_here(page, "a program that does not parse")


def test_python_is_formatted_too(site: Site, page: Page) -> None:
    open_problem(page, site, "vector-add", language="triton")
    write(page, "def  solve(a,b):\n    x = 'ä'")
    page.keyboard.press("Alt+Shift+F")
    expect_status(page, "Formatted")
    expect_source(page, 'def solve(a, b):\n    x = "ä"\n')
    write(page, "x = 'ä'\ndef solve(:\n")
    page.keyboard.press("Alt+Shift+F")
    status = page.locator("[data-format-status]")
    expect(status).to_contain_text("Not formatted: line 2 does not parse (Expected a parameter")
    expect_source(page, "x = 'ä'\ndef solve(:\n")


def test_a_formatter_that_does_not_load_says_so(site: Site, page: Page) -> None:
    open_problem(page, site, "vector-add")
    page.route("**/*.wasm", lambda route: route.abort())
    write(page, UNTIDY)
    page.keyboard.press("Alt+Shift+F")
    said = "Not formatted: the formatter did not load or stopped. Check the connection and try again"
    expect_status(page, said)
    page.unroute("**/*.wasm")
    page.keyboard.press("Alt+Shift+F")
    expect_status(page, "Formatted")
