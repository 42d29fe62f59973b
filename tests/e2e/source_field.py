"""Reads the editor of the workbench."""

import re

from playwright.sync_api import Locator, Page, expect


def editor_text(page: Page) -> str:
    """Return the source as the form would send it. Call this only when the page is at rest."""
    return str(_field(page).evaluate("area => area.value"))


def expect_source(page: Page, source: str | re.Pattern[str]) -> None:
    """Wait until the form would send `source`."""
    expect(_field(page)).to_have_value(source)


def _field(page: Page) -> Locator:
    return page.locator("textarea[name=source]")
