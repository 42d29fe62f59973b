"""Tests leaderboards and the ranking in a browser: choosing, paging, own place, with and without scripts."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Site, open_problem, sign_in, sign_up, wait_for_verdict, write
from tests.e2e.soundness import check

BOARD = "/problems/vector-add/leaderboard"
# A crowd whose submissions were timed, on both versions of the problem, and a baseline among them.
CROWD = """
from datetime import timedelta
from django.utils import timezone
from web.accounts.models import User
from web.catalog.models import Problem
from web.leaderboards.models import Baseline
from web.submissions.models import Job, Report, Submission

problem = Problem.objects.get(slug="vector-add")

def time(user, score_us, days, version=problem.version):
    when = timezone.now() - timedelta(days=days)
    made = Submission.objects.create(
        user=user, problem=problem, version=version, language="cuda", mode="submit", created=when,
        source="// the program of " + user.username, shared=True,
    )
    Job.objects.create(submission=made, state="done")
    Report.objects.create(
        submission=made, attempt=1, verdict="accepted", version=version, gpu_model="NVIDIA H200",
        driver="580", toolkit="nvcc 13.0", ranked=True, score_us=score_us, score_low_us=score_us * 0.999,
        finished=when, score_high_us=score_us * 1.001, roofline_percent=50, body={"verdict": "accepted"},
    )
    return made

for number in range(60):
    user = User.objects.create_user(f"runner-{number:02}")
    time(user, 20.0 + number, days=60 - number)
    if number < 3:
        time(user, 30.0 + number, days=90, version="feedfacefeedface")
time(User.objects.get(username="runner-07"), 15.5, days=2)
site = User.objects.create_user("site:baselines", is_active=False)
plain = time(site, 24.5, days=60)
Baseline.objects.create(problem=problem, submission=plain, kind="reference", label="Plain kernel")
"""


@pytest.fixture(scope="module")
def crowd(site: Site) -> Site:
    """The site with many scores on the board of vector-add."""
    site.manage("shell", "-c", CROWD)
    site.manage("recount")
    return site


def test_pages_are_accessible_in_every_look(crowd: Site, visitor: Page) -> None:
    earlier = f"{BOARD}?gpu=NVIDIA+H200&language=cuda&version=feedface"
    for path in (BOARD, f"{BOARD}?language=triton", earlier, "/problems/hostile/leaderboard", "/ranking"):
        check(visitor, f"{crowd.url}{path}")


def test_a_score_of_ones_own_takes_its_place(crowd: Site, page: Page) -> None:
    sign_up(page, crowd, "newcomer")
    open_problem(page, crowd, "vector-add")
    write(page, "score=78.45/0.05")
    page.get_by_role("button", name="Submit", exact=True).click()
    wait_for_verdict(page, "Accepted")
    page.goto(f"{crowd.url}{BOARD}?gpu=NVIDIA+H200&language=cuda")
    pinned = page.locator(".pinned tr")
    expect(pinned).to_contain_text("newcomer")
    expect(page.locator(".board-facts")).to_contain_text("place")
    pinned.get_by_role("link", name="show").click()
    expect(page.locator(".pinned")).to_have_count(0)
    mine = page.locator("tr.mine")
    expect(mine).to_contain_text("78.45 µs")
    mine.get_by_role("link", name="source by newcomer").click()
    expect(page).to_have_url(re.compile(r"/s/\w+$"))


def test_choices_and_pages_change_the_board_and_the_address_alone(crowd: Site, page: Page) -> None:
    page.goto(f"{crowd.url}{BOARD}?gpu=NVIDIA+H200&language=cuda")
    page.evaluate("window.notReloaded = true")
    expect(page.locator(".board tbody th").first).to_contain_text("runner-07")
    page.get_by_role("link", name="Next").click()
    expect(page).to_have_url(re.compile("after="))
    expect(page.locator(".board tbody th").last).to_contain_text("runner-59")
    page.get_by_role("link", name="First", exact=True).click()
    expect(page.locator(".board tbody th").first).to_contain_text("runner-07")
    page.get_by_role("link", name="Triton").click()
    expect(page).to_have_url(re.compile("language=triton"))
    expect(page.locator("#language-triton")).to_be_focused()
    expect(page.locator("#announcer")).not_to_be_empty()
    assert page.evaluate("window.notReloaded")
    page.go_back()
    expect(page.locator(".board tbody th").first).to_contain_text("runner-07")


def test_an_earlier_version_can_be_chosen_by_keyboard(crowd: Site, page: Page) -> None:
    page.goto(f"{crowd.url}{BOARD}?gpu=NVIDIA+H200&language=cuda")
    page.locator("#versions").focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="feedfacefeed").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("don't count for the current version")).to_be_visible()
    expect(page.locator(".board tbody tr")).to_have_count(3)
    page.get_by_role("link", name="Show current version").click()
    expect(page.locator(".board tbody th").first).to_contain_text("runner-07")


def test_a_baseline_stands_between_people(crowd: Site, page: Page) -> None:
    page.goto(f"{crowd.url}{BOARD}?gpu=NVIDIA+H200&language=cuda")
    row = page.get_by_role("row", name="Plain kernel")
    expect(row).to_contain_text("reference")
    expect(row).to_contain_text("24.50 µs")
    above = row.locator("xpath=preceding-sibling::tr[1]")
    expect(above).to_contain_text("24.00 µs")


def test_records_over_time_can_be_seen_and_read(crowd: Site, page: Page) -> None:
    page.goto(f"{crowd.url}{BOARD}?gpu=NVIDIA+H200&language=cuda")
    chart = page.get_by_role("img", name="Best score over time")
    expect(chart).to_be_visible()
    page.get_by_text("Best score over time as a table").click()
    table = page.get_by_role("region", name="Best score over time")
    expect(table).to_contain_text("15.50 µs")
    expect(table).to_contain_text("Plain kernel")


def test_the_program_of_another_opens_after_solving(crowd: Site, page: Page) -> None:
    sign_in(page, crowd, "newcomer")
    page.goto(f"{crowd.url}{BOARD}?gpu=NVIDIA+H200&language=cuda")
    page.locator(".board").get_by_role("link", name="source by runner-07").click()
    expect(page.get_by_role("code").get_by_text("// the program of runner-07")).to_be_visible()


def test_without_scripts_the_links_work(crowd: Site, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{crowd.url}{BOARD}?gpu=NVIDIA+H200&language=cuda")
        page.get_by_role("link", name="Next").click()
        expect(page.locator(".board tbody th").last).to_contain_text("runner-59")
        page.get_by_role("link", name="Triton").click()
        expect(page.get_by_text("No scores on the current version")).to_be_visible()
        page.get_by_role("link", name="Ranking").click()
        expect(page.locator(".board tbody tr").first).to_contain_text("runner-07")


def test_the_ranking_tells_points_and_how_they_are_made(crowd: Site, page: Page) -> None:
    page.goto(crowd.url)
    page.get_by_role("link", name="Ranking").click()
    first = page.locator(".board tbody tr").first
    expect(first).to_contain_text("100.0")
    page.evaluate("window.notReloaded = true")
    page.get_by_role("link", name="Next").click()
    expect(page).to_have_url(re.compile("after="))
    expect(page.locator(".board tbody th").last).to_contain_text("runner-59")
    assert page.evaluate("window.notReloaded")
    expect(page.get_by_role("heading", name="How points work")).to_be_visible()


def test_nothing_is_ranked_where_nothing_is_timed(crowd: Site, page: Page) -> None:
    page.goto(f"{crowd.url}/problems/hostile/leaderboard")
    expect(page.get_by_text("Without a GPU, nothing is ranked")).to_be_visible()


def test_staff_set_a_baseline(crowd: Site, page: Page) -> None:
    make = (
        "from web.accounts.models import User; "
        "User.objects.create_superuser('marshal', password='correct horse battery')"
    )
    crowd.manage("shell", "-c", make)
    sign_in(page, crowd, "marshal")
    page.goto(f"{crowd.url}{BOARD}?gpu=NVIDIA+H200&language=cuda")
    link = page.locator(".board").get_by_role("link", name="source by runner-03").get_attribute("href")
    page.get_by_label("Submission").fill((link or "").removeprefix("/s/"))
    page.get_by_label("Label").fill("Grid stride")
    page.get_by_role("button", name="Use as baseline").click()
    expect(page.get_by_text("Grid stride is a baseline.")).to_be_visible()
    page.get_by_role("button", name="Remove Grid stride").click()
    expect(page.get_by_text("Grid stride is no longer a baseline.")).to_be_visible()
