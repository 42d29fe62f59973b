"""Tests every authoring page: no errors, accessible, and no typed text is lost."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.author import begin, open_tab, prove, sign_up_instructor
from tests.e2e.conftest import Site, set_theme, sign_in
from tests.e2e.soundness import check, cut_tables
from web.authoring.tabs import TABS

SLUG = "sum-of-rows"
PLACES = (
    "",
    "/new",
    "/import",
    *(f"/{SLUG}/{tab.name}" for tab in TABS),
    f"/{SLUG}/signature/cuda",
    f"/{SLUG}/solutions/plain.cu",
    f"/{SLUG}/solutions/sources",
    f"/{SLUG}/publish/withdraw",
    f"/{SLUG}/files/statement.md",
    f"/{SLUG}/new-file",
    f"/{SLUG}/delete-file/statement.md",
    f"/{SLUG}/people/reader/remove",
    f"/{SLUG}/comments/statement.md",
    f"/{SLUG}/history/1",
    f"/{SLUG}/versions/1",
    f"/{SLUG}/clone",
)

READER = f"""
from web.accounts.models import User
from web.authoring.models import Membership, Role, Workspace
reader = User.objects.create_user("reader")
Membership.objects.create(workspace=Workspace.objects.get(slug="{SLUG}"), user=reader, role=Role.VIEWER)
"""


@pytest.fixture(scope="module")
def writer(site: Site, browser: Browser) -> str:
    """The name of an instructor, with a problem that is proved and published."""
    with browser.new_context() as context:
        page = context.new_page()
        sign_up_instructor(page, site, "writer")
        begin(page, site, "Reduction", "Sum of rows", SLUG)
        prove(page, "Proof passed")
        page.get_by_role("link", name="Publish problem").click()
        page.get_by_role("button", name="Publish").click()
        expect(page.get_by_text("same files")).to_be_visible()
        site.manage("shell", "-c", READER)
    return "writer"


@pytest.mark.timeout(300)
def test_the_pages_are_sound(site: Site, visitor: Page, writer: str) -> None:
    sign_in(visitor, site, writer)
    for place in PLACES:
        check(visitor, f"{site.url}/author{place}")


def test_no_column_is_cut_on_a_phone(site: Site, browser: Browser, writer: str) -> None:
    with set_theme(browser, "dark", phone=True) as context:
        page = context.new_page()
        sign_in(page, site, writer)
        tabs = ("signature", "cases", "formulas", "proof", "people", "files", "history")
        for tab in ("", *(f"/{SLUG}/{tab}" for tab in tabs)):
            page.goto(f"{site.url}/author{tab}")
            expect(page.locator(".table-wrap").first).to_be_visible()
            assert cut_tables(page) == [], tab
        expect(page.get_by_text("Created from the template")).to_be_visible()  # the note of a revision


def test_who_is_signed_out_keeps_what_was_typed(site: Site, page: Page, writer: str) -> None:
    sign_in(page, site, writer)
    page.goto(f"{site.url}/author/{SLUG}/statement")
    other = page.context.new_page()
    other.goto(f"{site.url}/accounts/logout/")
    other.get_by_role("main").get_by_role("button", name="Sign out").click()
    summary = page.get_by_label("Summary")
    summary.fill("Add up each row by itself.")
    status = page.locator("[data-save-status]")
    expect(status).to_contain_text("You are signed out")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(summary).to_have_value("Add up each row by itself.")
    sign_in(other, site, writer)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(status).to_have_text("Saved")
    open_tab(page, "Signature")
    open_tab(page, "Statement")
    expect(summary).to_have_value("Add up each row by itself.")
