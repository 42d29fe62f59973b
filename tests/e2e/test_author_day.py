"""Tests the work of an author who has read no documents: from a template to a published problem."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.author import begin, open_tab, prove, replace, sign_up_instructor
from tests.e2e.conftest import Site
from tests.e2e.soundness import check

SLUG = "first-problem"


def take(page: Page, name: str) -> None:
    """Take a picture if AUTHOR_PICTURES names a folder."""
    if folder := os.environ.get("AUTHOR_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


@pytest.mark.timeout(300)
def test_from_a_template_to_learners_and_back(site: Site, page: Page) -> None:
    sign_up_instructor(page, site, "novice")
    begin(page, site, "Elementwise", "First problem", SLUG)
    state = page.locator(".workspace-line")
    expect(state).to_contain_text("Draft")
    take(page, "01-statement")

    open_tab(page, "Solutions")
    take(page, "02-solutions")
    page.get_by_role("button", name="Run plain.cu", exact=True).click()
    expect(page.locator(".proof-verdict")).to_contain_text("As expected", timeout=60_000)
    page.get_by_text("Compiler log").click()
    expect(page.get_by_role("region", name="Compiler log of solutions/plain.cu")).to_be_visible()
    take(page, "03-run")
    check(page, page.url)
    page.get_by_role("link", name="solutions/plain.cu").click()
    page.get_by_role("button", name="Save and run").click()
    expect(page.locator(".proof-verdict")).to_contain_text("As expected", timeout=60_000)
    take(page, "03-run-again")

    open_tab(page, "Signature")
    page.get_by_label(re.compile("^Name, argument 1$")).fill("left")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("link", name="the sources of all solutions").click()
    expect(page.get_by_text("other signature").first).to_be_visible()
    take(page, "04-sources")
    page.get_by_role("button", name="Insert the signature in all").click()
    expect(page.get_by_text("other signature")).to_have_count(0)
    take(page, "05-inserted")
    check(page, f"{site.url}/author/{SLUG}/solutions/sources")
    open_tab(page, "Signature")
    page.get_by_label(re.compile("^Name, argument 1$")).fill("a")
    page.get_by_role("button", name="Save", exact=True).click()

    prove(page, "Proof passed")
    take(page, "06-proof")
    expect(state).to_contain_text("Ready to publish")
    page.get_by_role("link", name="Publish problem").click()
    page.get_by_role("button", name="Publish").click()
    expect(state).to_contain_text("Live")
    take(page, "07-published")
    page.get_by_role("link", name="Open problem").click()
    expect(page.get_by_role("heading", name="First problem", level=1)).to_be_visible()
    page.go_back()

    _withdraw(page, site)


def _withdraw(page: Page, site: Site) -> None:
    """Break a case, then withdraw the problem, which asks first."""
    state = page.locator(".workspace-line")
    page.goto(f"{site.url}/author/{SLUG}/files/problem.toml")
    replace(page, "problem.toml", 'name = "one-block"', 'name = "One Block"')
    expect(state).to_contain_text("Live with changes")
    open_tab(page, "Cases (1 error)")
    expect(page.get_by_role("cell").get_by_role("alert")).to_have_count(1)
    take(page, "08-cases")
    open_tab(page, "Publish")
    page.get_by_role("link", name="Withdraw").click()
    take(page, "09-withdraw")
    check(page, page.url)
    page.get_by_role("button", name="Withdraw problem").click()
    expect(state).to_contain_text("Withdrawn")
    take(page, "10-withdrawn")
