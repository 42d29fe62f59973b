"""What a learner does, judged for real: wrong, illegal and right programs, then the leaderboard."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site, open_problem, sign_up, wait_for_verdict, write
from web.config import ROOT

SOLUTIONS = ROOT / "problems" / "vector-add" / "solutions"
# The first judgement on a machine builds the runtime, which takes a while on two cores.
WITHIN_S = 300


def hand_in(page: Page, name: str, *, button: str = "Submit") -> None:
    """Put a shipped solution into the editor and hand it in."""
    write(page, (SOLUTIONS / name).read_text())
    page.get_by_role("button", name=button).click()


@pytest.mark.timeout(600)
def test_from_sign_up_to_the_leaderboard(court: Site, page: Page) -> None:
    sign_up(page, court, "learner")
    page.get_by_role("link", name="Vector addition").click()
    expect(page.locator(".workbench[data-ready]")).to_be_visible()
    expect(page.locator(".prose math").first).to_be_visible()
    page.evaluate("window.notReloaded = true")

    hand_in(page, "off-by-one.cu", button="Run")
    wait_for_verdict(page, "Wrong answer", within_s=WITHIN_S)
    expect(page.locator("#console .mismatch-got").first).to_be_visible()

    hand_in(page, "no-guard.cu")
    wait_for_verdict(page, "Illegal access", within_s=WITHIN_S)
    line = page.locator("#console .banner .line-link").first
    number = (line.text_content() or "").removeprefix("line ").strip()
    line.click()
    expect(page.locator(".cm-activeLineGutter").first).to_have_text(number)
    expect(page.locator(".cm-lintRange-error")).not_to_have_count(0)

    hand_in(page, "plain.cu")
    wait_for_verdict(page, "Accepted", within_s=WITHIN_S)
    assert page.evaluate("window.notReloaded")

    page.get_by_role("link", name="Leaderboard").click()
    expect(page.get_by_role("row", name="learner")).to_contain_text("CUDA C++")
    expect(page.get_by_text("Nothing is ranked without a GPU")).to_be_visible()


@pytest.mark.timeout(600)
def test_triton_is_judged_too(court: Site, page: Page) -> None:
    sign_up(page, court, "tritonic")
    open_problem(page, court, "vector-add", "triton")
    hand_in(page, "plain.py")
    wait_for_verdict(page, "Accepted", within_s=WITHIN_S)
