"""Tests replays of runs: playing, stepping, by keyboard, as tables, and next to another run."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import (
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
from tests.e2e.soundness import check_here
from web.config import ROOT

PERSON = "replayer"
SLUG = "conflict-free-transpose"
SOLUTIONS = ROOT / "problems" / SLUG / "solutions"
WITHIN_S = 60
CONFLICTS = "no-padding.cu"
PADDED = "padded.cu"
BROKEN = "no-guard.cu"
RACY = "missing-barrier.cu"


def run(page: Page, site: Site, program: str, verdict: str) -> str:
    """Run a program of the problem and return the path of its page."""
    open_problem(page, site, SLUG)
    write(page, (SOLUTIONS / program).read_text())
    press(page, "Run")
    wait_for_verdict(page, verdict, within_s=WITHIN_S)
    return page.get_by_role("link", name="Permalink").get_attribute("href") or ""


@pytest.fixture(scope="module")
def runs(court: Site, browser: Browser) -> dict[str, str]:
    """The pages of runs of four programs."""
    with browser.new_context() as context:
        page = context.new_page()
        sign_up(page, court, PERSON)
        verdicts = {
            CONFLICTS: "Requirement missed",
            PADDED: "Accepted",
            BROKEN: "Illegal access",
            RACY: "Wrong answer",
        }
        return {program: run(page, court, program, verdict) for program, verdict in verdicts.items()}


@pytest.fixture
def player(court: Site, page: Page, runs: dict[str, str]) -> Page:
    """The replay of the program with bank conflicts."""
    sign_in(page, court, PERSON)
    page.goto(f"{court.url}{runs[CONFLICTS]}")
    page.get_by_role("link", name="Replay").click()
    expect(page.locator(".replay[data-ready]")).to_be_visible()
    return page


def where(page: Page) -> int:
    """The number of the step."""
    found = re.match(r"Step (\d+) of \d+", page.locator("[data-where]").inner_text())
    assert found
    return int(found[1])


@pytest.mark.timeout(600)
def test_a_run_leads_to_its_replay_and_every_step_has_a_table(player: Page) -> None:
    expect(player.get_by_role("heading", name="Replay")).to_be_visible()
    assert where(player) == 1
    rows = player.locator("[data-step-rows] tr")
    expect(rows.first).to_contain_text("reads global memory")
    player.get_by_role("button", name="Next", exact=True).click()
    assert where(player) == 2
    expect(rows.first).to_contain_text("writes shared memory")
    player.get_by_role("button", name="Last").click()
    expect(rows.first).to_contain_text("writes global memory")
    player.get_by_role("button", name="First").click()
    assert where(player) == 1


def test_next_event_finds_the_bank_conflict(player: Page) -> None:
    player.locator("[data-event]").select_option("bank conflict")
    player.get_by_role("button", name="Next event").click()
    expect(player.locator("[data-step-rows] tr").first).to_contain_text("32 wavefronts, 1 needed")
    for _ in range(3):  # of four rows of the tile for each thread
        player.get_by_role("button", name="Next event").click()
        expect(player.locator("[data-message]")).to_be_empty()
    player.get_by_role("button", name="Next event").click()
    expect(player.locator("[data-message]")).to_contain_text("no later event")


def test_the_keyboard_steps_scrubs_and_plays(player: Page) -> None:
    slider = player.get_by_role("slider", name="Step")
    slider.focus()
    player.keyboard.press("ArrowRight")
    player.keyboard.press("ArrowRight")
    assert where(player) == 3
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^Step 3 of .* Warp 0"))
    player.keyboard.press("Home")
    assert where(player) == 1
    player.get_by_label("Speed").select_option("30 steps/s")
    player.get_by_role("button", name="Play").focus()
    player.keyboard.press("Enter")
    expect(player.get_by_role("button", name="Pause")).to_be_visible()
    expect(player.get_by_role("button", name="Play")).to_be_visible()  # at the end
    expect(player.locator("[data-step-rows] tr").first).to_contain_text("writes global memory")
    player.locator("[data-player]").focus()
    player.keyboard.press("Home")
    player.keyboard.press("ArrowRight")
    assert where(player) == 2


def test_a_finding_leads_to_its_step(court: Site, page: Page, runs: dict[str, str]) -> None:
    sign_in(page, court, PERSON)
    page.goto(f"{court.url}{runs[BROKEN]}/replay")
    expect(page.locator(".replay[data-ready]")).to_be_visible()
    page.locator("[data-show]").first.click()
    expect(page.locator(".replay-mark[data-kind]").first).to_be_visible()


def open_races(court: Site, page: Page, runs: dict[str, str]) -> None:
    """Open the replay of the program with data races."""
    sign_in(page, court, PERSON)
    page.goto(f"{court.url}{runs[RACY]}/replay")
    expect(page.locator(".replay[data-ready]")).to_be_visible()


def test_the_keyboard_jumps_to_data_races(court: Site, page: Page, runs: dict[str, str]) -> None:
    open_races(court, page, runs)
    told = page.locator("[data-races-told]")
    expect(told).to_contain_text("in this block. In the player, R goes to the next one")
    page.locator("[data-player]").focus()
    if not told.inner_text().startswith("Race on"):
        page.keyboard.press("r")
    expect(told).to_contain_text(
        re.compile("^Race on element .* of shared array tile: thread .* no __syncthreads")
    )
    expect(page.locator("[data-step-rows]")).to_contain_text("in a data race")
    expect(page.get_by_role("slider", name="Step")).to_have_attribute(
        "aria-valuetext", re.compile("Data race on")
    )
    step = where(page)
    for _ in range(40):
        page.keyboard.press("r")
    expect(page.locator("[data-message]")).to_contain_text("no later data race in this replay")
    for _ in range(40):
        page.keyboard.press("Shift+R")
    expect(page.locator("[data-message]")).to_contain_text("no earlier data race in this replay")
    assert where(page) <= step


def test_tables_and_findings_lead_to_data_races(court: Site, page: Page, runs: dict[str, str]) -> None:
    open_races(court, page, runs)
    rows = page.locator("[data-race-rows] tr")
    expect(rows.first).to_contain_text("of shared array tile")
    expect(rows.first).to_contain_text(
        re.compile(r"thread \(\d+,\d+,0\) (reads|writes) in line \d+ \(step \d+\)")
    )
    told = page.locator("[data-races-told]")
    rows.first.get_by_role("button").click()
    expect(told).to_contain_text("Race on element")
    page.get_by_role("button", name="First").click()
    page.locator("[data-show][data-at-kind=race]").first.click()
    expect(told).to_contain_text("Race on element")
    expect(page.locator("[data-event]")).to_have_value("race")


def test_a_program_without_races_has_no_marks(player: Page) -> None:
    expect(player.locator("[data-races-told]")).to_be_hidden()
    player.locator("[data-event]").select_option("data race")
    player.get_by_role("button", name="Next event").click()
    expect(player.locator("[data-message]")).to_contain_text("no later data race")


def test_lines_have_totals_and_blocks_can_be_chosen(player: Page) -> None:
    player.get_by_text("All recorded blocks by line").click()
    lines = player.locator("[data-line-rows] tr")
    expect(lines.filter(has_text="shared reads")).to_contain_text("wavefronts")
    player.locator("[data-block]").select_option(index=1)
    assert where(player) == 1


def test_two_runs_stand_side_by_side(court: Site, page: Page, runs: dict[str, str]) -> None:
    sign_in(page, court, PERSON)
    other = runs[PADDED].rpartition("/")[2]
    page.goto(f"{court.url}{runs[CONFLICTS]}/replay")
    page.get_by_label("Compare with").select_option(other)
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".replay[data-ready]")).to_have_count(2)
    check_here(page, "two replays")


def test_others_do_not_see_it(court: Site, page: Page, runs: dict[str, str]) -> None:
    sign_up(page, court, "replay-stranger")
    for path in ("replay", "replay.bin"):
        response = page.goto(f"{court.url}{runs[CONFLICTS]}/{path}")
        assert response is not None
        assert response.status == 404


def test_the_page_is_sound_in_both_schemes(court: Site, visitor: Page, runs: dict[str, str]) -> None:
    problems = watch(visitor)
    sign_in(visitor, court, PERSON)
    for program in (CONFLICTS, BROKEN, RACY):
        visitor.goto(f"{court.url}{runs[program]}/replay")
        expect(visitor.locator(".replay[data-ready]")).to_be_visible()
        check_here(visitor, program)
    assert problems == []


def test_pictures(court: Site, browser: Browser, runs: dict[str, str]) -> None:
    if "REPLAY_PICTURES" not in os.environ:
        pytest.skip("set REPLAY_PICTURES to a folder")
    folder = Path(os.environ["REPLAY_PICTURES"])
    other = runs[PADDED].rpartition("/")[2]
    for scheme, phone in (("light", False), ("dark", False), ("light", True)):
        with set_theme(browser, scheme, phone=phone) as context:
            page = context.new_page()
            sign_in(page, court, PERSON)
            name = f"{scheme}{'-phone' if phone else ''}"
            page.goto(f"{court.url}{runs[CONFLICTS]}/replay")
            page.get_by_role("button", name="Next event").click()
            page.screenshot(path=folder / f"replay-{name}.png", full_page=True)
            page.goto(f"{court.url}{runs[BROKEN]}/replay")
            page.locator("[data-show]").first.click()
            page.screenshot(path=folder / f"broken-{name}.png", full_page=True)
            page.goto(f"{court.url}{runs[RACY]}/replay")
            page.get_by_role("button", name="Next event").click()
            page.screenshot(path=folder / f"races-{name}.png", full_page=True)
            page.goto(f"{court.url}{runs[CONFLICTS]}/replay?with={other}")
            expect(page.locator(".replay[data-ready]")).to_have_count(2)
            page.screenshot(path=folder / f"two-{name}.png", full_page=True)
            page.goto(f"{court.url}{runs[CONFLICTS]}")
            page.screenshot(path=folder / f"run-{name}.png")
