"""Tests the usual steps of a learner and of an author without JavaScript, and with the keyboard only."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.author import make_instructor
from tests.e2e.conftest import PASSWORD, Site

MOST_TABS = 120
WITHIN_S = 60
Role = Literal["link", "button"]


@dataclass(frozen=True, slots=True)
class Visitor:
    """A browser without scripts, which is clicked, or one with scripts, of which only keys are pressed."""

    page: Page
    keys: bool

    @property
    def name(self) -> str:
        """A part of the names of what the visitor makes."""
        return "keys" if self.keys else "plain"

    def fill(self, label: str, text: str) -> None:
        """Write `text` into the field `label`."""
        field = self.page.get_by_label(label, exact=True).locator("visible=true")
        if not self.keys:
            field.fill(text)
            return
        self._reach(field)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Delete")
        self.page.keyboard.insert_text(text)
        if field.evaluate("node => node.isContentEditable"):  # the editor keeps Tab until Escape
            self.page.keyboard.press("Escape")

    def press(self, role: Role, name: str) -> None:
        """Press a button or follow a link of the main part."""
        wanted = self.page.get_by_role("main").get_by_role(role, name=name, exact=True).first
        if not self.keys:
            wanted.click()
            return
        self._reach(wanted)
        self.page.keyboard.press("Enter")

    def wait_for(self, text: str) -> None:
        """Wait for `text`. Without scripts the visitor reloads the page."""
        found = self.page.get_by_role("main").get_by_text(text).first
        for _ in range(0 if self.keys else 2 * WITHIN_S):
            if found.is_visible():
                break
            self.page.wait_for_timeout(500)
            self.page.reload()
        expect(found).to_be_visible(timeout=1000 * WITHIN_S)

    def _reach(self, wanted: Locator) -> None:
        expect(wanted).to_be_visible()
        for _ in range(MOST_TABS):
            if wanted.evaluate("node => node === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        expect(wanted, "the Tab key does not lead there").to_be_focused()


@pytest.fixture(params=["without scripts", "with keys"])
def visitor(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Visitor]:
    keys = request.param == "with keys"
    with browser.new_context(java_script_enabled=keys) as context:
        yield Visitor(context.new_page(), keys)


def sign_up(visitor: Visitor, site: Site, username: str) -> None:
    visitor.page.goto(f"{site.url}/accounts/signup/")
    visitor.fill("Username", username)
    visitor.fill("Password", PASSWORD)
    visitor.press("button", "Sign up")
    expect(visitor.page.locator(".masthead").get_by_text(username)).to_be_visible()


def test_a_learner_reads_submits_and_asks(site: Site, visitor: Visitor) -> None:
    page = visitor.page
    sign_up(visitor, site, f"learner-{visitor.name}")
    page.goto(f"{site.url}/problems")
    visitor.press("link", "Vector addition")
    expect(page.get_by_role("heading", name="Vector addition", level=1)).to_be_visible()
    visitor.fill("Source", "wrong_answer")
    visitor.press("button", "Submit")
    visitor.wait_for("Wrong answer")
    page.goto(f"{site.url}/problems/vector-add")
    visitor.press("link", "Questions")
    visitor.press("link", "Ask a question")
    visitor.fill("Title", "Where do I begin?")
    visitor.fill("Text", "My program is *wrong*.")
    visitor.press("button", "Post")
    expect(page.locator(".post em")).to_have_text("wrong")


def test_an_author_creates_proves_and_publishes(site: Site, visitor: Visitor) -> None:
    page, slug = visitor.page, f"by-{visitor.name}"
    sign_up(visitor, site, f"author-{visitor.name}")
    make_instructor(site, f"author-{visitor.name}")
    page.goto(f"{site.url}/author")
    visitor.press("link", "New problem")
    visitor.fill("Title", "Made by other means")
    visitor.fill("URL name", slug)
    visitor.press("button", "Create problem")
    expect(page.get_by_role("heading", name="Made by other means", level=1)).to_be_visible()
    visitor.press("link", "Proof")
    visitor.press("button", "Prove revision 1")
    visitor.wait_for("Proof passed")
    visitor.press("link", "Publish problem")
    visitor.press("button", "Publish")
    expect(page.get_by_text("same files")).to_be_visible()
    page.goto(f"{site.url}/problems/{slug}")
    expect(page.get_by_role("heading", name="Made by other means", level=1)).to_be_visible()
