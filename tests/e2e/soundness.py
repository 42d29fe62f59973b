"""Checks that a page has no errors, is not wider than the screen, and is accessible."""

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # ships no types
from playwright.sync_api import Page, expect

from tests.e2e.conftest import watch

_AXE = Axe()
_OPTIONS = {
    "resultTypes": ["violations"],
    # Disables preloading of style sheets and media, which only rules outside this list need.
    "preload": False,
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}


def check(page: Page, url: str) -> None:
    """Open `url` and check for errors, overflow and serious accessibility violations."""
    problems = watch(page)
    page.goto(url)
    if page.locator(".workbench").count():
        expect(page.locator(".workbench[data-ready]")).to_be_visible()
    assert problems == [], url
    check_here(page, url)


def check_here(page: Page, what: str) -> None:
    """Check the current page for overflow and serious accessibility violations. `what` names the page."""
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width == 0, f"{what} is {width} pixels too wide"
    assert serious_violations(page) == [], what


def cut_tables(page: Page) -> list[str]:
    """Return the name of each table that is wider than its frame."""
    found: list[str] = page.locator(".table-wrap").evaluate_all(
        "wraps => wraps.filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.ariaLabel)"
    )
    return found


def heading_faults(page: Page) -> list[str]:
    """Return one line for each heading of the page that skips a level."""
    found = _AXE.run(page, options={"runOnly": ["heading-order"]}).response["violations"]
    return [str(node["target"]) for violation in found for node in violation["nodes"]]


def serious_violations(page: Page) -> list[str]:
    """Wait for the widgets, and return one line for each element with a serious accessibility violation."""
    expect(page.locator("[data-widget]:not([data-mounted=done])")).to_have_count(0)
    return [
        f"{violation['id']}: {node['target']} {node.get('failureSummary', '')}"
        for violation in _AXE.run(page, options=_OPTIONS).response["violations"]
        if violation["impact"] in {"serious", "critical"}
        for node in violation["nodes"]
    ]
