"""Takes pictures of real judgements for the documents: `SCREENSHOTS=1 pytest tests/e2e/test_pictures.py`."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.author import begin, open_tab, prove, replace, sign_up_instructor
from tests.e2e.conftest import (
    PASSWORD,
    Site,
    open_problem,
    press,
    set_theme,
    sign_in,
    sign_up,
    wait_for_verdict,
    watch,
    write,
)
from web.config import ROOT

PICTURES = ROOT / "docs" / "images"
SOLUTIONS = ROOT / "problems" / "vector-add" / "solutions"
WITHIN_S = 300
SUPERUSER = f"""
from web.accounts.models import User
User.objects.create_superuser("operator", password="{PASSWORD}")
"""
LAX = ("tolerance = { relative = 2e-5 }", "tolerance = { relative = 2e-2 }")


@pytest.fixture
def pictures() -> Path:
    if "SCREENSHOTS" not in os.environ:
        pytest.skip("set SCREENSHOTS to take the pictures of the documents")
    PICTURES.mkdir(parents=True, exist_ok=True)
    return PICTURES


@pytest.mark.timeout(600)
def test_pictures_of_the_product(court: Site, browser: Browser, pictures: Path) -> None:
    with set_theme(browser, "light", phone=False) as context:
        page = context.new_page()
        problems = watch(page)

        def take(picture: str, path: str = "", *, full_page: bool = False) -> None:
            if path:
                page.goto(f"{court.url}{path}")
            page.screenshot(path=pictures / f"{picture}-light.png", full_page=full_page)

        take("home", "/")
        sign_up(page, court, "ada")
        judge(page, court, "plain.cu", "Accepted")
        judge(page, court, "no-guard.cu", "Illegal access")
        take("problem")
        page.get_by_role("link", name="Permalink").click()
        expect(page.get_by_role("heading", name="Source", exact=True)).to_be_visible()
        take("submission", full_page=True)
        for picture, path in (
            ("learn", "/learn"),
            ("concept", "/learn/shared-memory"),
            ("problems", "/problems"),
            ("tracks", "/tracks"),
            ("reading", "/learn/days/async-pipeline-gemm"),
            ("quiz", "/quizzes/device-arithmetic"),
            ("leaderboard", "/problems/vector-add/leaderboard"),
            ("discussion", "/problems/vector-add/discussion"),
            ("profile", "/u/ada"),
            ("account", "/account"),
            ("help", "/help"),
            ("api", "/api/v1/docs"),
        ):
            take(picture, path)
        assert problems == []


@pytest.mark.timeout(600)
def test_a_picture_of_a_replay(court: Site, browser: Browser, pictures: Path) -> None:
    with set_theme(browser, "light", phone=False) as context:
        page = context.new_page()
        sign_up(page, court, "ada-replay")
        open_problem(page, court, "conflict-free-transpose")
        press(page, "Run")
        wait_for_verdict(page, "Requirement missed", within_s=WITHIN_S)
        run = page.get_by_role("link", name="Permalink").get_attribute("href")
        page.goto(f"{court.url}{run}/replay")
        page.get_by_role("button", name="Next event").click()
        page.screenshot(path=pictures / "replay-light.png")


@pytest.mark.timeout(600)
def test_a_picture_in_dark(court: Site, browser: Browser, pictures: Path) -> None:
    with set_theme(browser, "dark", phone=False) as context:
        page = context.new_page()
        sign_up(page, court, "ada-dark")
        judge(page, court, "no-guard.cu", "Illegal access")
        page.screenshot(path=pictures / "problem-dark.png")


@pytest.mark.timeout(600)
def test_pictures_of_authoring(court: Site, browser: Browser, pictures: Path) -> None:
    with set_theme(browser, "light", phone=False) as context:
        page = context.new_page()
        problems = watch(page)
        sign_up_instructor(page, court, "grace")
        begin(page, court, "Matrix", "Matrix times vector", "matrix-times-vector-light")
        for tab in ("Statement", "Signature", "Cases"):
            open_tab(page, tab)
            page.screenshot(path=pictures / f"author-{tab.lower()}-light.png")
        replace(page, "problem.toml", *LAX)
        prove(page, "Proof failed")
        page.screenshot(path=pictures / "author-proof-light.png")
        assert problems == []


@pytest.mark.timeout(600)
def test_a_picture_for_operators(court: Site, browser: Browser, pictures: Path) -> None:
    court.manage("shell", "-c", SUPERUSER)
    with set_theme(browser, "light", phone=False) as context:
        page = context.new_page()
        sign_in(page, court, "operator")
        page.goto(f"{court.url}/staff")
        page.screenshot(path=pictures / "staff-light.png")


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
    press(page, "Submit")
    wait_for_verdict(page, word, within_s=WITHIN_S)
