"""The actions of an instructor in the browser, step by step."""

import re

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site, sign_up

WITHIN_MS = 300_000
_INSTRUCTOR = """
from web.accounts.models import User
User.objects.filter(username="{username}").update(is_instructor=True)
"""


def sign_up_instructor(page: Page, site: Site, username: str) -> None:
    """Sign up a new user, and give the user the role of an instructor."""
    sign_up(page, site, username)
    make_instructor(site, username)


def make_instructor(site: Site, username: str) -> None:
    """Give a user the role of an instructor, as staff do."""
    site.manage("shell", "-c", _INSTRUCTOR.format(username=username))


def begin(page: Page, site: Site, kind: str, title: str, slug: str) -> None:
    """Create a problem from a template."""
    page.goto(f"{site.url}/author")
    page.get_by_role("link", name="New problem").first.click()
    page.get_by_role("radio", name=kind).check()
    page.get_by_label("Title").fill(title)
    page.get_by_label("Name").fill(slug)
    page.get_by_role("button", name="Create problem").click()
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()


def open_tab(page: Page, name: str) -> None:
    tabs = page.get_by_role("navigation", name="Problem sections")
    tabs.get_by_role("link", name=name, exact=True).click()


def replace(page: Page, file: str, old: str, new: str) -> None:
    """Change a file as text, on the tab of files."""
    open_tab(page, "Files")
    page.get_by_role("link", name=file, exact=True).click()
    editor = page.get_by_role("textbox", name=file, exact=True)
    text = page.locator("textarea[name=text]")  # it contains the text of the editor
    expect(editor).to_have_class(re.compile("cm-content"))
    changed = text.input_value().replace(old, new, 1)
    assert changed != text.input_value(), f"{file} has no {old!r}"
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(changed)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved as revision")).to_be_visible()
    expect(text).to_have_value(changed)


def prove(page: Page, outcome: str | re.Pattern[str]) -> None:
    """Press the button, and wait for the report without reloading the page."""
    open_tab(page, "Proof")
    button = page.get_by_role("button", name="Prove revision")
    _, _, revision = (button.text_content() or "").partition("Prove r")
    button.click()
    verdict = page.locator(".proof-verdict").filter(has_text=f"R{revision},")
    expect(verdict).to_contain_text(outcome, timeout=WITHIN_MS)
