"""Tests a learner with the real judge: wrong, illegal and correct programs, then the leaderboard."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site, open_problem, sign_up, sign_up_on_page, wait_for_verdict, write
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
    sign_up_on_page(page, court, "learner")
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

    page.get_by_text("Custom case", exact=True).click()
    page.get_by_text("Custom values").click()
    page.get_by_label("a", exact=True).fill("1, 2.5, inf")
    page.get_by_label("b", exact=True).fill("0 nan -1")
    page.get_by_role("button", name="Run").click()
    panel = page.locator("#console .outputs")
    expect(panel).to_contain_text("n = 3", timeout=1000 * WITHIN_S)
    for name, row in (
        ("Elements of a", "1 2.5 inf"),
        ("Elements of b", "0 nan -1"),
        ("Elements of c", "1 nan inf"),
    ):
        cells = panel.get_by_role("region", name=f"{name} in custom", exact=True).locator("tbody td")
        expect(cells).to_have_text(row.split())

    page.get_by_role("link", name="Leaderboard").click()
    expect(page.get_by_role("row", name="learner")).to_contain_text("CUDA C++")
    expect(page.get_by_text("Without a GPU, nothing is ranked")).to_be_visible()


@pytest.mark.timeout(600)
def test_triton_is_judged_too(court: Site, page: Page) -> None:
    sign_up(page, court, "tritonic")
    open_problem(page, court, "vector-add", "triton")
    hand_in(page, "plain.py")
    wait_for_verdict(page, "Accepted", within_s=WITHIN_S)


@pytest.mark.timeout(600)
def test_a_compile_error_is_told_in_the_banner_and_in_the_editor(court: Site, page: Page) -> None:
    sign_up(page, court, "misspeller")
    open_problem(page, court, "vector-add")
    source = (SOLUTIONS / "plain.cu").read_text()
    write(page, source.replace("threadIdx", "threadidx"))
    page.get_by_role("button", name="Submit", exact=True).click()
    wait_for_verdict(page, "Compile error", within_s=WITHIN_S)
    banner = page.locator("#console .banner")
    expect(banner).to_contain_text('Identifier "threadidx" is undefined. Did you mean "threadIdx"?')
    expect(page.locator(".cm-lintRange-error")).to_have_count(1)
    expect(page.locator(".cm-lintRange-error")).to_contain_text("threadidx")
    banner.get_by_role("link", name="line 5").click()
    expect(page.locator(".cm-activeLineGutter").first).to_have_text("5")

    write(page, source.replace("solve(", "Solve("))
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(banner).to_contain_text(
        "does not define solve; it defines Solve on line 11", timeout=WITHIN_S * 1000
    )
    page.get_by_role("link", name="Permalink").click()
    expect(page.locator(".banner")).to_contain_text("void solve(const float* a, const float* b")
    banner_line = page.locator(".banner").get_by_role("link", name="line 11")
    expect(banner_line).to_have_attribute("href", re.compile(r"/s/\w+#L11$"))
    expect(page.locator("#L11.marked")).to_be_visible()
