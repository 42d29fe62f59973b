"""Tests the primer with its three tasks, and the pages of concepts."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import PASSWORD, Site, set_theme, sign_up, sign_up_on_page
from tests.e2e.soundness import serious_violations
from web.learn.tasks import TASKS

RIGHT = {
    "index": ("int i = 0;", "int i = blockIdx.x * blockDim.x + threadIdx.x;"),
    "guard": ("c[i] =", "if (i < n) c[i] ="),
    "launch": ("int blocks = 1;", "int blocks = (n + threads - 1) / threads;"),
}
WRONG = {"index": "Wrong answer", "guard": "Illegal access", "launch": "Wrong answer"}
JUDGED_MS = 60_000


def solution(task: str) -> str:
    """The program of a task with its hole filled."""
    before, after = RIGHT[task]
    return TASKS[task].starter.replace(before, after)


def picture(page: Page, name: str) -> None:
    """Keep a picture where a person asked for them."""
    if folder := os.environ.get("LEARN_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_the_tasks_are_judged_inside_the_page(court: Site, page: Page) -> None:
    sign_up(page, court, "newcomer")
    page.goto(f"{court.url}/learn")
    for name in TASKS:
        task = page.locator(f"#task-{name}")
        task.get_by_role("button", name="Run").click()
        verdict = page.locator(f"#task-{name} .banner .verdict")
        expect(verdict).to_have_text(WRONG[name], timeout=JUDGED_MS)
        expect(task.get_by_text(re.compile(r"^Line \d+:"))).to_be_visible()
        expect(task.locator(".line.marked").first).to_be_visible()
        assert f"#task-{name}" in page.url
    assert serious_violations(page) == []
    picture(page, "failed")
    for number, name in enumerate(TASKS, start=1):
        task = page.locator(f"#task-{name}")
        task.locator(".cm-content").click()
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")
        page.keyboard.insert_text(solution(name))
        task.get_by_role("button", name="Run").click()
        expect(page.locator(f"#task-{name} .banner .verdict")).to_have_text("Accepted", timeout=JUDGED_MS)
        page.reload()
        expect(page.get_by_text(f"{number} of 3 tasks solved").first).to_be_visible()
    picture(page, "solved")


def test_a_task_works_without_scripts(court: Site, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{court.url}/accounts/signup/")
        page.get_by_label("Username").fill("scriptless-newcomer")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("main").get_by_role("button", name="Sign up").click()
        page.goto(f"{court.url}/learn")
        task = page.locator("#task-guard")
        task.get_by_role("textbox").fill(solution("guard"))
        task.get_by_role("button", name="Run").click()
        for _ in range(60):
            if task.locator(".banner").count():
                break
            page.wait_for_timeout(500)
            if task.get_by_role("link", name="Refresh").count():  # a page with a verdict has none
                task.get_by_role("link", name="Refresh").click()
        expect(task.locator(".banner .verdict")).to_have_text("Accepted")
        expect(task.get_by_role("textbox")).to_have_value(re.compile(r"if \(i < n\) c\[i\]"))


@pytest.mark.parametrize(
    "path",
    [
        "/learn",
        "/learn/shared-memory",
        "/learn/bounds",
        "/learn/findings",
        "/learn/findings/race",
        "/learn/terms",
        "/learn/days/vector-add",
    ],
)
def test_the_pages_suit_light_and_dark_screens_and_phones(site: Site, visitor: Page, path: str) -> None:
    visitor.goto(site.url + path)
    figure = "figure.drawing" if "findings" not in path and "terms" not in path else "h1"
    expect(visitor.locator(f"main {figure}").first).to_be_visible()
    assert serious_violations(visitor) == []
    assert visitor.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_newcomer_finds_the_primer(site: Site, page: Page) -> None:
    page.goto(site.url)
    page.get_by_role("link", name="New to kernels?").click()
    expect(page.get_by_role("heading", name="Your first kernel")).to_be_visible()
    page.goto(f"{site.url}/problems/vector-add")
    page.get_by_role("link", name="Learn how in ten minutes").click()
    expect(page).to_have_url(f"{site.url}/learn")
    page.goto(f"{site.url}/problems/vector-add")
    page.locator(".pane-statement").get_by_role("link", name="elementwise").click()
    expect(page.get_by_role("heading", name="Elementwise kernels")).to_be_visible()


def test_the_header_with_one_more_link_fits_every_width(site: Site, page: Page) -> None:
    sign_up_on_page(page, site, "a-rather-long-username")
    for width in (390, 740, 801, 900, 961):
        page.set_viewport_size({"width": width, "height": 600})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width


@pytest.mark.skipif("LEARN_PICTURES" not in os.environ, reason="makes pictures for a person to look at")
@pytest.mark.parametrize(("scheme", "phone"), [("light", False), ("dark", False), ("light", True)])
def test_pictures(site: Site, browser: Browser, scheme: str, phone: bool) -> None:
    with set_theme(browser, scheme, phone=phone) as context:
        page = context.new_page()
        for path in os.environ.get("LEARN_PATHS", "/learn").split(","):
            page.goto(site.url + path)
            page.wait_for_timeout(800)
            picture(page, f"{scheme}{'-phone' if phone else ''}{path.replace('/', '-')}")
