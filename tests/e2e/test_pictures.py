"""Pictures of real judgements for the documents: `SCREENSHOTS=1 pytest tests/e2e/test_pictures.py`."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.author import begin, open_tab, prove, replace, sign_up_instructor
from tests.e2e.conftest import Site, open_problem, set_theme, sign_up, wait_for_verdict, watch, write
from web.config import ROOT

PICTURES = ROOT / "docs" / "images"
SOLUTIONS = ROOT / "problems" / "vector-add" / "solutions"
WITHIN_S = 300
LAX = ("tolerance = { relative = 2e-5 }", "tolerance = { relative = 2e-2 }")


@pytest.fixture
def pictures() -> Path:
    if "SCREENSHOTS" not in os.environ:
        pytest.skip("set SCREENSHOTS to take the pictures of the documents")
    PICTURES.mkdir(parents=True, exist_ok=True)
    return PICTURES


@pytest.mark.timeout(600)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_of_the_product(court: Site, browser: Browser, pictures: Path, scheme: str) -> None:
    with set_theme(browser, scheme, phone=False) as context:
        page = context.new_page()
        problems = watch(page)
        name = f"ada-{scheme}"

        def take(picture: str, path: str = "", *, full_page: bool = False) -> None:
            if path:
                page.goto(f"{court.url}{path}")
            page.screenshot(path=pictures / f"{picture}-{scheme}.png", full_page=full_page)

        take("home", "/")
        sign_up(page, court, name)
        judge(page, court, "plain.cu", "Accepted")
        judge(page, court, "no-guard.cu", "Illegal access")
        take("problem")
        page.get_by_role("link", name="Permalink").click()
        expect(page.get_by_role("heading", name="Source")).to_be_visible()
        take("submission", full_page=True)
        for picture, path in (
            ("problems", "/problems"),
            ("tracks", "/tracks"),
            ("leaderboard", "/problems/vector-add/leaderboard"),
            ("discussion", "/problems/vector-add/discussion"),
            ("profile", f"/u/{name}"),
            ("account", "/account"),
            ("help", "/help"),
        ):
            take(picture, path)
        assert problems == []


@pytest.mark.timeout(600)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_of_authoring(court: Site, browser: Browser, pictures: Path, scheme: str) -> None:
    with set_theme(browser, scheme, phone=False) as context:
        page = context.new_page()
        problems = watch(page)
        sign_up_instructor(page, court, f"grace-{scheme}")
        begin(page, court, "Matrix", "Matrix times vector", f"matrix-times-vector-{scheme}")
        for tab in ("Statement", "Signature", "Cases"):
            open_tab(page, tab)
            page.screenshot(path=pictures / f"author-{tab.lower()}-{scheme}.png")
        replace(page, "problem.toml", *LAX)
        prove(page, "The proof does not hold")
        page.screenshot(path=pictures / f"author-proof-{scheme}.png")
        assert problems == []


@pytest.mark.timeout(600)
def test_a_picture_on_a_phone(court: Site, browser: Browser, pictures: Path) -> None:
    with set_theme(browser, "light", phone=True) as context:
        page = context.new_page()
        open_problem(page, court, "vector-add")
        page.screenshot(path=pictures / "problem-phone.png")


def judge(page: Page, court: Site, file: str, word: str) -> None:
    """Submit a file of the shipped solutions and wait for its verdict."""
    open_problem(page, court, "vector-add")
    write(page, (SOLUTIONS / file).read_text())
    page.get_by_role("button", name="Submit").click()
    wait_for_verdict(page, word, within_s=WITHIN_S)
