"""Tests the console: reasons for waiting, tabs of a report, listings next to the source, lost connections."""

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from testing.services import wait_until
from tests.e2e.conftest import Site, open_problem, press, sign_in, sign_up, wait_for_verdict, write
from tests.e2e.soundness import check_here

PROGRAM = """// score=12.5 mismatches log prints launches wrong_answer
__global__ void add(const float* a, const float* b, float* c, long long n) {
  c[0] = a[0];
}
"""
PERSON = "console-reader"
GPU = "NVIDIA H300"  # one that the scripted judge has not
NODE = (
    "from web.fleet.models import Node; from web.fleet.services import record_inventory; "
    "from sandbox.gpu.fake_nvml import fake_gpu; from datetime import timedelta; "
    f"node = record_inventory('e2e', {{}}, [fake_gpu(77, model='{GPU}')]); "
    "Node.objects.update(heartbeat=node.heartbeat + timedelta(hours=1))"
)


def submit(page: Page, source: str, button: str = "Submit") -> None:
    """Submit a program through the editor."""
    write(page, source)
    press(page, button)


def live(page: Page) -> Locator:
    """The panel of a running judgement."""
    return page.locator("#console .live")


def tab(page: Page, name: str) -> Locator:
    """A tab of the report."""
    return page.get_by_role("tab", name=name)


@pytest.fixture(scope="module")
def report(site: Site, browser: Browser) -> str:
    """A judged submission of PERSON that has everything that a report may have."""
    with browser.new_context() as context:
        page = context.new_page()
        sign_up(page, site, PERSON)
        open_problem(page, site, "vector-add")
        submit(page, PROGRAM)
        wait_for_verdict(page, "Wrong answer")
        return page.get_by_role("link", name="Permalink").get_attribute("href") or ""


@pytest.fixture
def judged(site: Site, page: Page, report: str) -> Page:
    """PERSON looks at that submission."""
    sign_in(page, site, PERSON)
    page.goto(f"{site.url}{report}")
    return page


def test_each_wait_says_what_it_waits_for_and_may_be_cancelled(site: Site, page: Page) -> None:
    sign_up(page, site, "waiter")
    open_problem(page, site, "vector-add")
    submit(page, "cases=9 pace=1")
    expect(live(page)).to_contain_text("Case 1 of 9")
    expect(live(page).locator(".lane")).to_have_count(9)
    expect(live(page)).to_contain_text("Case 2 of 9")
    live(page).get_by_role("button", name="Cancel").click()
    wait_for_verdict(page, "Cancelled", within_s=10)
    expect(page.locator("#announcer")).to_contain_text("Cancelled")


def test_those_who_wait_see_their_place(site: Site, page: Page) -> None:
    sign_up(page, site, "third")
    open_problem(page, site, "vector-add")
    for number in range(2):  # as many as the worker judges at a time
        submit(page, f"sleep=8 // {number}")
        expect(live(page)).to_contain_text(re.compile("Compil"))
    submit(page, "accepted")
    expect(live(page)).to_contain_text("Next in the queue")
    submit(page, "accepted // too")
    expect(live(page)).to_contain_text("2nd in the queue")
    wait_for_verdict(page, "Accepted")


def test_tabs_are_moved_among_by_keys_and_remembered(site: Site, page: Page, report: str) -> None:
    sign_in(page, site, PERSON)
    open_problem(page, site, "vector-add")
    submit(page, PROGRAM)
    wait_for_verdict(page, "Wrong answer")
    expect(tab(page, "Result")).to_have_attribute("aria-selected", "true")
    tab(page, "Result").focus()
    page.keyboard.press("ArrowRight")
    expect(tab(page, "Resources")).to_be_focused()
    expect(page.get_by_role("tabpanel", name="Resources")).to_be_visible()
    expect(page.get_by_role("tabpanel", name="Result")).to_be_hidden()
    page.keyboard.press("End")
    expect(tab(page, "Environment")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    expect(page.get_by_role("tabpanel", name="Resources")).to_be_focused()
    press(page, "Run")
    wait_for_verdict(page, "Wrong answer")
    expect(tab(page, "Resources")).to_have_attribute("aria-selected", "true")


def test_a_line_of_the_compilers_text_leads_to_the_editor(site: Site, page: Page, report: str) -> None:
    sign_in(page, site, PERSON)
    open_problem(page, site, "vector-add")
    submit(page, PROGRAM, "Run")
    wait_for_verdict(page, "Wrong answer")
    page.get_by_role("region", name="Compiler log").get_by_role("link", name="solution.cu(2)").click()
    expect(page.get_by_role("textbox", name="Source")).to_be_focused()
    expect(page.locator(".cm-activeLine")).to_contain_text("__global__")


def test_the_result_says_how_far_off(judged: Page) -> None:
    row = judged.get_by_role("region", name="Mismatches in sample").get_by_role("row").nth(2)
    expect(row).to_contain_text("c[7]")
    expect(row).to_contain_text("7.5")
    expect(judged.get_by_role("region", name="Program output")).to_contain_text("first element")
    expect(judged.get_by_role("columnheader", name="Relative error")).to_be_visible()


def test_resources_say_what_limits_a_kernel(judged: Page) -> None:
    tab(judged, "Resources").click()
    panel = judged.get_by_role("tabpanel", name="Resources")
    expect(panel).to_contain_text("40 per thread")
    row = panel.get_by_role("row").nth(1)
    expect(row).to_contain_text("32 of 64 warps")
    expect(row).to_contain_text("shared memory")


def test_lines_and_instructions_lead_to_each_other(judged: Page) -> None:
    tab(judged, "PTX / SASS").click()
    source = judged.get_by_role("listbox", name="Source lines")
    ptx = judged.get_by_role("listbox", name="PTX lines")
    source.get_by_role("option").nth(0).click()
    selected = ptx.locator('[aria-selected="true"]')
    expect(selected).to_have_count(2)
    expect(selected.first).to_contain_text("ld.param")
    expect(judged.locator("#announcer")).to_contain_text("2 instructions")
    ptx.get_by_role("option").filter(has_text="ret;").click()
    expect(source.locator('[aria-selected="true"]')).to_have_count(1)
    expect(source.locator('[aria-selected="true"]')).to_contain_text("__global__")
    judged.get_by_role("tabpanel", name="PTX").get_by_role("link", name="SASS").click()
    sass = judged.get_by_role("listbox", name="SASS lines")
    source.focus()
    for key in ("ArrowDown", "Enter"):
        judged.keyboard.press(key)
    expect(sass.locator('[aria-selected="true"]')).to_contain_text("EXIT")
    with judged.expect_download() as download:
        judged.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename.endswith(".sass")


def test_the_environment_tells_seed_and_sizes(site: Site, page: Page) -> None:
    sign_up(page, site, "seeder")
    open_problem(page, site, "vector-add")
    page.get_by_text("Custom case", exact=True).click()
    page.get_by_label("n", exact=True).fill("17")
    page.get_by_label("seed").fill("12345678901234")
    submit(page, "accepted", "Run")
    wait_for_verdict(page, "Accepted")
    tab(page, "Environment").click()
    panel = page.get_by_role("tabpanel", name="Environment")
    expect(panel).to_contain_text("12345678901234")
    expect(panel).to_contain_text("n=17")


def test_a_gpu_that_goes_away_is_told_of(site: Site, page: Page) -> None:
    site.manage("shell", "-c", NODE)
    sign_up(page, site, "picky")
    picker = page.get_by_label("GPU", exact=True)

    def offered() -> bool:
        open_problem(page, site, "vector-add")
        return picker.count() > 0

    wait_until(offered, "the offer of the GPU, which pages remember for a while,", timeout_s=60)
    picker.select_option(GPU)
    submit(page, "accepted")
    expect(live(page)).to_contain_text(f"No node serves {GPU} at the moment")
    site.manage("shell", "-c", "from web.fleet.models import Node; Node.objects.all().delete()")
    expect(live(page)).to_contain_text(f"No {GPU} is available any more")
    live(page).get_by_role("button", name="Cancel").click()
    wait_for_verdict(page, "Cancelled", within_s=10)
    submit(page, "accepted // again")
    expect(page.locator("#console [role=alert]")).to_contain_text(f"{GPU} is not available")


def test_without_a_stream_the_verdict_comes_all_the_same(site: Site, context: BrowserContext) -> None:
    page = context.new_page()
    sign_up(page, site, "offline")
    open_problem(page, site, "vector-add")
    page.route("**/events*", lambda route: route.abort())
    submit(page, "sleep=20 accepted")
    expect(live(page)).to_contain_text("Connection lost")
    expect(live(page)).to_contain_text("Checking every 3 s", timeout=20_000)
    wait_for_verdict(page, "Accepted")


def test_a_stream_that_comes_back_misses_nothing(site: Site, context: BrowserContext) -> None:
    page = context.new_page()
    sign_up(page, site, "returner")
    open_problem(page, site, "vector-add")
    lost = iter([True, True])
    page.route("**/events*", lambda route: route.abort() if next(lost, False) else route.continue_())
    submit(page, "cases=5 pace=1.5")
    expect(live(page)).to_contain_text("Connection lost")
    expect(live(page).locator(".lane")).to_have_count(5)
    expect(live(page).locator("[data-connection]")).to_be_hidden()
    wait_for_verdict(page, "Accepted")


def test_without_scripts_the_parts_are_sections(site: Site, browser: Browser, report: str) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        sign_in(page, site, PERSON)
        page.goto(f"{site.url}{report}")
        for name in ("Result", "Resources", "PTX and SASS", "Environment"):
            expect(page.get_by_role("heading", name=name, exact=True).first).to_be_visible()
        expect(page.get_by_role("tablist")).to_have_count(0)
        page.locator("#console-assembly").get_by_role("link", name="PTX").click()
        expect(page.get_by_role("heading", name="PTX", level=1)).to_be_visible()


def test_every_tab_is_accessible_and_fits(site: Site, visitor: Page, report: str) -> None:
    sign_in(visitor, site, PERSON)
    visitor.goto(f"{site.url}{report}")
    for name in ("Result", "Resources", "PTX / SASS", "Environment"):
        tab(visitor, name).click()
        if name.startswith("PTX"):
            expect(visitor.get_by_role("listbox").first).to_be_visible()
        visitor.evaluate("scrollTo(0, 0)")  # so that the header hides no half of a link
        check_here(visitor, name)
