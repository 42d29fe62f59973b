"""Takes pictures of every page: `FILM=FOLDER pytest tests/e2e/test_film.py`.

A learner, an author and a member of staff use the real site. Then each page is opened on a desktop in both
colour schemes, and on a phone in the light scheme. Each must have no errors, no overflow and no serious
violation of accessibility, and the content security policy must refuse nothing.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.author import begin, make_instructor, prove
from tests.e2e.conftest import (
    PASSWORD,
    Site,
    open_problem,
    press,
    set_theme,
    sign_in,
    sign_up,
    wait_for_verdict,
    write,
)
from tests.e2e.soundness import check
from web.config import ROOT

WITHIN_S = 300
BASE = "/problems/vector-add"
SLUG = "filmed-problem"
SOLUTIONS = ROOT / "problems" / "vector-add" / "solutions"
WRONG = "a[i] + b[i]", "a[i] - b[i]"
VIEWS = (("light", False), ("dark", False), ("light", True))
STAFF = f"""
from web.accounts.models import User
User.objects.create_superuser("warden", password="{PASSWORD}")
"""
VISITOR = (
    "/",
    "/problems",
    "/problems?q=nothing",
    BASE,
    f"{BASE}/leaderboard",
    "/learn",
    "/learn/shared-memory",
    "/learn/findings",
    "/learn/findings/race",
    "/learn/terms",
    "/learn/days/async-pipeline-gemm",
    "/quizzes",
    "/tracks",
    "/tracks/hundred-days",
    "/ranking",
    "/help",
    "/api/v1/docs",
    "/accounts/login/",
    "/accounts/signup/",
    "/accounts/password/reset/",
    "/no-such-page",
)
LEARNER = (
    "/",
    "/problems",
    BASE,
    "/problems/softmax",
    "/problems/write-the-tests",
    "/problems/host-saxpy",
    "/problems/fix-the-stopwatch",
    "/quizzes/device-arithmetic",
    "/submissions",
    f"{BASE}/leaderboard",
    f"{BASE}/editorial",
    f"{BASE}/solutions",
    f"{BASE}/discussion",
    f"{BASE}/questions",
    f"{BASE}/questions/new",
    f"{BASE}/note",
    "/problems/softmax/editorial",
    "/problems/softmax/discussion",
    "/u/learner",
    "/tracks/hundred-days",
    "/notifications",
    "/account",
    "/account/profile",
    "/account/tokens",
    "/account/notifications",
    "/account/data",
)
AUTHOR = ("/author", "/author/new", "/author/import", "/inbox", BASE, f"{BASE}/questions")


@pytest.fixture(scope="module")
def film() -> Path:
    folder = os.environ.get("FILM")
    if not folder:
        pytest.skip("set FILM to a folder to take a picture of every page")
    Path(folder).mkdir(parents=True, exist_ok=True)
    return Path(folder)


@pytest.fixture(params=VIEWS, ids=["light", "dark", "phone"])
def view(request: pytest.FixtureRequest, browser: Browser) -> Iterator[tuple[str, Page]]:
    """The name of a view, and a page of a visitor who sees the site so."""
    scheme, phone = request.param
    with set_theme(browser, scheme, phone=phone) as context:
        yield "phone" if phone else scheme, context.new_page()


@pytest.fixture(scope="module")
def used(film: Path, court: Site, browser: Browser) -> Mapping[str, tuple[str, ...]]:
    """The pages that exist because a learner and an author have used the site, by role."""
    with browser.new_context() as context:
        page = context.new_page()
        sign_up(page, court, "learner")
        plain = (SOLUTIONS / "plain.cu").read_text()
        broken = (SOLUTIONS / "no-guard.cu").read_text()
        wrong = judge(page, court, plain.replace(*WRONG), "Submit", "Wrong answer")
        illegal = judge(page, court, broken, "Submit", "Illegal access")
        uncompiled = judge(page, court, plain.replace(";", "", 1), "Submit", "Compile error")
        run = judge(page, court, plain.replace(*WRONG), "Run", "Wrong answer")
        page.screenshot(path=film / "light-workbench-run.png")
        accepted = judge(page, court, plain, "Submit", "Accepted")
        page.screenshot(path=film / "light-workbench-accepted.png")
        page.goto(f"{court.url}{wrong}")
        page.get_by_role("link", name="Ask the instructors").click()
        page.get_by_label("Text").fill("Why is it **wrong**?")
        page.get_by_role("button", name="Send question").click()
        page.goto(f"{court.url}{BASE}/questions/new")
        page.get_by_label("Title").fill("Where do I begin?")
        page.get_by_label("Text").fill("My kernel adds only the first block.")
        page.get_by_role("button", name="Post").click()
        page.wait_for_url(re.compile(r"/questions/\d+"))
        question = page.url.removeprefix(court.url)
    with browser.new_context() as context:
        page = context.new_page()
        sign_up(page, court, "author")
        make_instructor(court, "author")
        begin(page, court, "Elementwise", "Filmed problem", SLUG)
        tabs = page.get_by_role("navigation", name="Problem sections").get_by_role("link")
        sections = tuple(tab.get_attribute("href") or "" for tab in tabs.all())
        prove(page, re.compile("Proof (passed|failed)"))  # either is a page
    court.manage("shell", "-c", STAFF)
    with browser.new_context() as context:
        page = context.new_page()
        sign_in(page, court, "warden")
        page.goto(f"{court.url}/staff")
        places = page.get_by_role("navigation", name="Staff").get_by_role("link")
        menu = tuple(place.get_attribute("href") or "" for place in places.all())
    return {
        "learner": (
            *(*LEARNER, wrong, illegal, uncompiled, run, f"{run}/replay", accepted),
            *(f"{wrong}/diff", question),
        ),
        "author": (*AUTHOR, *sections, f"{wrong}/questions"),
        "warden": (
            *menu,
            "/staff/rejudges/new?problem=vector-add",
            "/staff/tracks/new",
            "/staff/tracks/hundred-days",
            "/staff/users/learner",
        ),
    }


@pytest.mark.timeout(900)
def test_pages_of_visitors(film: Path, court: Site, view: tuple[str, Page]) -> None:
    for path in VISITOR:
        take(film, court, view, "visitor", path)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("role", ["learner", "author", "warden"])
def test_pages_of_users(
    film: Path, court: Site, used: Mapping[str, tuple[str, ...]], view: tuple[str, Page], role: str
) -> None:
    sign_in(view[1], court, role)
    for path in used[role]:
        take(film, court, view, role, path)


def judge(page: Page, court: Site, source: str, button: str, word: str) -> str:
    """Judge a source and return the address of the submission."""
    open_problem(page, court, "vector-add")
    write(page, source)
    press(page, button)
    wait_for_verdict(page, word, within_s=WITHIN_S)
    return page.get_by_role("link", name="Permalink").get_attribute("href") or ""


def take(film: Path, court: Site, view: tuple[str, Page], role: str, path: str) -> None:
    """Open a page, check it and take a picture of all of it."""
    name, page = view
    if path.startswith("/admin"):
        page.goto(f"{court.url}{path}")  # Django's own pages
        expect(page.locator("#content")).to_be_visible()
    else:
        check(page, f"{court.url}{path}")
    place = re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-") or "home"
    page.screenshot(path=film / f"{name}-{role}-{place}.png", full_page=True)
