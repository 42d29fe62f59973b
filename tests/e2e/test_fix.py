"""Tests a problem with a broken program: it refuses a rewrite, and accepts a correction of a few lines."""

import secrets

import pytest
from playwright.sync_api import Page, expect

from problems.loader import problems_root
from tests.e2e.conftest import Site, open_problem, press, sign_up, wait_for_verdict, write
from tests.e2e.soundness import check_here

SOLUTIONS = problems_root() / "fix-tiled-product" / "solutions"


@pytest.mark.timeout(240)
def test_few_lines_may_change(court: Site, page: Page) -> None:
    sign_up(page, court, f"fixer-{secrets.token_hex(3)}")
    open_problem(page, court, "fix-tiled-product")
    expect(page.get_by_text("At most 6 changed lines with")).to_be_visible()
    expect(page.locator(".cm-content")).to_contain_text("right for some sizes")
    write(page, (SOLUTIONS / "rewritten.cu").read_text())
    press(page, "Submit")
    wait_for_verdict(page, "Rejected")
    expect(page.get_by_text("of the given program must not change").first).to_be_visible()
    check_here(page, "a refused rewrite")
    write(page, (SOLUTIONS / "guards.cu").read_text())
    press(page, "Submit")
    wait_for_verdict(page, "Accepted")
