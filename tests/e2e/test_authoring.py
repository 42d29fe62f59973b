"""Tests the steps of docs/authoring.md in a browser, with real proofs and verdicts."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.author import WITHIN_MS, begin, prove, replace, sign_up_instructor
from tests.e2e.conftest import Site, open_problem, press, sign_up, wait_for_verdict, watch, write
from tests.unit.web.authoring.tutorial import BREAKAGES, CORRECTION, SLUG
from web.config import ROOT

PLAIN = (ROOT / "problems/templates/elementwise/solutions/plain.cu").read_text()
ROUGH = """#include <cuda_runtime.h>
__global__ void multiply(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] * b[i] * 1.0000014f;
}
extern "C" void solve(const float* a, const float* b, float* c, int n) {
    multiply<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
"""


@pytest.fixture
def learner(court: Site, browser: Browser) -> Iterator[Page]:
    """Another user, in a separate browser."""
    with browser.new_context() as context:
        page = context.new_page()
        problems = watch(page)
        sign_up(page, court, "pupil")
        yield page
        assert not problems


@pytest.fixture
def teacher(court: Site, page: Page) -> Page:
    """An instructor of a minute's standing."""
    sign_up_instructor(page, court, "teacher")
    return page


def expect_findings(page: Page, lines: list[str]) -> None:
    """The report must show each of `lines`, and say with each what to do."""
    shown = page.locator(".proof-finding").all_text_contents()
    assert all("Fix:" in finding for finding in shown)
    for line in lines:
        assert any(_words(line) in _words(finding) for finding in shown), (line, shown)


def _words(text: str) -> str:
    """A finding without the marks by which a terminal and a page tell its parts apart."""
    return " ".join(re.sub(r"Fix:|[:;]", " ", text).split())


def hand_in(page: Page, site: Site, source: str, word: str) -> str:
    """Submit a program, and wait for its verdict. Returns its address."""
    open_problem(page, site, SLUG)
    write(page, source)
    press(page, "Submit")
    wait_for_verdict(page, word, within_s=WITHIN_MS // 1000)
    return f"{site.url}{page.get_by_role('link', name='Permalink').get_attribute('href')}"


@pytest.mark.timeout(1200)
def test_from_a_template_to_a_second_version(court: Site, teacher: Page, learner: Page) -> None:
    page = teacher
    begin(page, court, "Elementwise", "Product of two vectors", SLUG)
    at_once = [broken for broken in BREAKAGES if broken.at_once]
    for breakages in (at_once, [broken for broken in BREAKAGES if broken not in at_once]):
        for broken in breakages:
            replace(page, broken.file, broken.old, broken.new)
        prove(page, "Proof failed")
        expect_findings(page, [line for broken in breakages for line in broken.found])
        for broken in breakages:
            replace(page, broken.file, broken.new, broken.old)
    prove(page, "Proof passed")
    page.get_by_role("link", name="Publish problem").click()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("same files")).to_be_visible()

    address = hand_in(learner, court, ROUGH, "Wrong answer")
    hand_in(learner, court, PLAIN, "Accepted")

    replace(page, "problem.toml", *CORRECTION)
    prove(page, "Proof passed")
    page.get_by_role("link", name="Publish problem").click()
    page.get_by_role("button", name="Freeze and preview changes for 2 submissions").click()
    expect(page.get_by_role("heading", name="Make this version live?")).to_be_visible(timeout=WITHIN_MS)
    learner.goto(address)
    expect(learner.get_by_role("main").get_by_text("Wrong answer").first).to_be_visible()
    change = page.get_by_role("region", name="Verdicts").get_by_role("row", name="Wrong answer")
    expect(change).to_contain_text("Accepted")
    page.get_by_role("link", name="Apply").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("2 applied")).to_be_visible()
    learner.goto(address)
    expect(learner.get_by_role("main").get_by_text("Accepted").first).to_be_visible()
