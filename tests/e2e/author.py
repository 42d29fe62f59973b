"""What an instructor does in the browser, move by move."""

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site, sign_up

WITHIN_MS = 300_000
_INSTRUCTOR = """
from web.accounts.models import User
User.objects.filter(username="{username}").update(is_instructor=True)
"""


def sign_up_instructor(page: Page, site: Site, username: str) -> None:
    """Sign a new person up, whom staff then make an instructor."""
    sign_up(page, site, username)
    site.manage("shell", "-c", _INSTRUCTOR.format(username=username))


def begin(page: Page, site: Site, kind: str, title: str, slug: str) -> None:
    """Begin a problem from a template."""
    page.goto(f"{site.url}/author")
    page.get_by_role("link", name="New problem").first.click()
    page.get_by_role("radio", name=kind).check()
    page.get_by_label("Title").fill(title)
    page.get_by_label("Name").fill(slug)
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()


def open_tab(page: Page, name: str) -> None:
    tabs = page.get_by_role("navigation", name="Parts of the problem")
    tabs.get_by_role("link", name=name, exact=True).click()


def replace(page: Page, file: str, old: str, new: str) -> None:
    """Change a file as text, on the tab of files."""
    open_tab(page, "Files")
    page.get_by_role("link", name=file, exact=True).click()
    field = page.get_by_label(file, exact=True)
    text = field.input_value()
    assert old in text
    field.fill(text.replace(old, new, 1))
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_label(file, exact=True)).to_have_value(text.replace(old, new, 1))


def prove(page: Page, outcome: str) -> None:
    """Press the button, and watch until the report is there. Nobody reloads the page."""
    open_tab(page, "Proof")
    button = page.get_by_role("button", name="Prove revision")
    _, _, revision = (button.text_content() or "").partition("Prove r")
    button.click()
    verdict = page.locator(".proof-verdict").filter(has_text=f"R{revision},")
    expect(verdict).to_contain_text(outcome, timeout=WITHIN_MS)
