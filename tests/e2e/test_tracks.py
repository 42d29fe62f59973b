"""Tests a track from its first problem to its certificate, and another track with a planned entry."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import (
    Site,
    copy_problems,
    open_problem,
    press,
    serving,
    set_theme,
    sign_up,
    wait_for_verdict,
    write,
)
from tests.e2e.soundness import check, check_here

PAIR = """\
title = "A pair"
summary = "Two problems."
hours = 2
problems = ["vector-add", "hostile"]
prerequisites = ["C++"]
outcomes = ["Write a kernel", "Guard the end of an array"]
"""
CURRICULUM = """\
sections = [{ first_day = 1, title = "Begin" }, { first_day = 90, title = "Go on" }]
days = [
  { day = 3, slug = "vector-add", topic = "First launch", title = "Vectors", summary = "Add them." },
  { day = 99, slug = "soon", topic = "Streams", title = "Two streams", summary = "Copy and compute." },
]
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Warpcourt with a scripted judge, a track of two problems, and a day that is still to come."""
    problems: Path = tmp_path_factory.mktemp("problems")
    copy_problems(problems)
    (problems / "tracks").mkdir()
    (problems / "tracks" / "pair.toml").write_text(PAIR)
    (problems / "tracks" / "curriculum.toml").write_text(CURRICULUM)
    with serving(tmp_path_factory.mktemp("site"), target="scripted", problems_dir=str(problems)) as running:
        yield running


def solve(page: Page, site: Site, slug: str) -> None:
    open_problem(page, site, slug)
    write(page, "accepted")
    press(page, "Submit")
    wait_for_verdict(page, "Accepted")


def test_a_track_ends_with_a_certificate_that_anybody_can_check(
    site: Site, page: Page, browser: Browser
) -> None:
    sign_up(page, site, "finisher")
    solve(page, site, "vector-add")
    page.goto(f"{site.url}/tracks/hundred-days")
    expect(page.get_by_role("heading", name="Two streams")).to_be_visible()
    expect(page.locator(".stop", has_text="Two streams").get_by_role("link")).to_have_count(0)
    page.get_by_role("navigation", name="Sections of this track").get_by_role("link", name="Go on").click()
    expect(page.get_by_role("heading", name="Go on")).to_be_in_viewport()
    check_here(page, "a track with days to come")
    page.goto(f"{site.url}/tracks/pair")
    expect(page.get_by_text("About 2 hours")).to_be_visible()
    expect(page.get_by_role("link", name="Continue with")).to_be_visible()
    expect(page.get_by_role("link", name="Open your certificate")).to_have_count(0)
    page.goto(site.url)
    expect(page.get_by_text("Practised on 1 day this week, 1 this month")).to_be_visible()

    solve(page, site, "hostile")
    page.goto(f"{site.url}/tracks/pair")
    page.get_by_role("link", name="Open your certificate").click()
    expect(page.get_by_text("has solved all 2 problems")).to_be_visible()
    address = page.url
    page.emulate_media(media="print")
    expect(page.get_by_role("banner")).to_be_hidden()
    expect(page.locator(".certificate")).to_be_visible()
    page.emulate_media(media="screen")
    for scheme, phone in (("light", False), ("dark", True)):
        with set_theme(browser, scheme, phone=phone) as context:
            reader = context.new_page()
            check(reader, address)
            expect(reader.get_by_text("finisher", exact=True)).to_be_visible()
