"""What every page must be: without errors, no wider than the screen, and usable by everybody."""

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # ships no types
from playwright.sync_api import Page, expect

from tests.e2e.conftest import watch

_AXE = Axe()
_OPTIONS = {
    "resultTypes": ["violations"],
    "preload": False,  # of style sheets and media, for rules that are not among these
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}


def check(page: Page, url: str) -> None:
    """Open `url` and look for errors, overflow and serious violations of accessibility."""
    problems = watch(page)
    page.goto(url)
    if page.locator(".workbench").count():
        expect(page.locator(".workbench[data-ready]")).to_be_visible()
    assert problems == [], url
    check_here(page, url)


def check_here(page: Page, what: str) -> None:
    """Look for overflow and serious violations of accessibility on the page as it is. `what` names it."""
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width == 0, f"{what} is {width} pixels too wide"
    assert serious_violations(page) == [], what


def heading_faults(page: Page) -> list[str]:
    """The headings of the page that skip a level, a line for each."""
    found = _AXE.run(page, options={"runOnly": ["heading-order"]}).response["violations"]
    return [str(node["target"]) for violation in found for node in violation["nodes"]]


def serious_violations(page: Page) -> list[str]:
    """What keeps somebody from using the page, a line for each element."""
    return [
        f"{violation['id']}: {node['target']} {node.get('failureSummary', '')}"
        for violation in _AXE.run(page, options=_OPTIONS).response["violations"]
        if violation["impact"] in {"serious", "critical"}
        for node in violation["nodes"]
    ]
