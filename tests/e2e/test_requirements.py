"""Tests a problem that requires a technique: it refuses the correct starter and accepts another layout."""

import secrets

import pytest
from playwright.sync_api import Page, expect

from problems.loader import problems_root
from tests.e2e.conftest import Site, open_problem, press, sign_up, wait_for_verdict, write
from tests.e2e.soundness import check_here

SOLUTIONS = problems_root() / "conflict-free-transpose" / "solutions"


@pytest.mark.timeout(240)
def test_a_right_program_must_use_the_technique(court: Site, page: Page) -> None:
    sign_up(page, court, f"padder-{secrets.token_hex(3)}")
    open_problem(page, court, "conflict-free-transpose")
    expect(page.get_by_role("heading", name="Requirements")).to_be_visible()
    press(page, "Run")  # the starter
    wait_for_verdict(page, "Requirement missed")
    expect(page.get_by_role("region", name="Requirements")).to_contain_text("16.5")
    check_here(page, "a missed requirement")
    write(page, (SOLUTIONS / "swizzled.cu").read_text())
    press(page, "Submit")
    wait_for_verdict(page, "Accepted")
    expect(page.get_by_role("region", name="Requirements").get_by_text("Met")).to_have_count(2)
