"""Tests the page of a submission: live verdict, speed next to others, changes, lines, sharing, the list."""

import re
import secrets

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import (
    PASSWORD,
    Site,
    open_problem,
    sign_in,
    sign_up,
    wait_for_verdict,
    write,
)
from tests.e2e.soundness import check, check_here, heading_faults

AUTHOR, SOLVER, LEARNER = "author", "solver", "beginner"
PROBLEM = "vector-add"
SOURCE = """\
// score={score}
#include <cuda_runtime.h>

extern "C" void solve(int n) {{
    int threads = 256;
}}
"""
CHANGED = SOURCE.replace("256;", "512;\n    int more;")
# Six people with scores, one of whom wrote nothing else, and a beginner with none.
PEOPLE = f"""
import time
from problems.vocabulary import Language
from web.accounts.models import User
from web.catalog.models import Problem
from web.submissions import services
from web.submissions.models import Job
problem = Problem.objects.get(slug="{PROBLEM}")
scores = dict(zip(["{SOLVER}", "one", "two", "three", "four", "five"], [8, 9, 10, 14, 15, 16]))
for name in ["{AUTHOR}", "{LEARNER}", *scores]:
    User.objects.create_user(name, password="{PASSWORD}")
for name, score in scores.items():
    user = User.objects.get(username=name)
    services.submit(user, problem, language=Language.CUDA, source=f"// score={{score}}")
for _ in range(600):
    if not Job.objects.filter(submission__user__username__in=scores).exclude(state="done").exists():
        break
    time.sleep(0.1)
"""


@pytest.fixture(scope="module")
def peopled(site: Site) -> Site:
    """The site with others on the board."""
    site.manage("shell", "-v0", "-c", PEOPLE)
    return site


@pytest.fixture(scope="module")
def handed_in(peopled: Site, browser: Browser) -> tuple[str, str]:
    """Two ranked submissions of the author, the better one last, by their addresses."""
    with browser.new_context() as context:
        page = context.new_page()
        sign_in(page, peopled, AUTHOR)
        first = hand_in(page, peopled, SOURCE.format(score=13))
        second = hand_in(page, peopled, CHANGED.format(score=12))
        return first, second


def hand_in(page: Page, site: Site, source: str, *, wait: bool = True) -> str:
    """Submit a program as the user of `page`. Return its address once it is judged."""
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    answer = page.request.post(
        f"{site.url}/api/v1/submissions",
        data={"problem": PROBLEM, "language": "cuda", "source": source},
        headers={"X-CSRFToken": cookies["csrftoken"], "Referer": site.url},
    )
    assert answer.status == 201, answer.text()
    address = f"{site.url}/s/{answer.json()['id']}"
    if wait:
        page.goto(address)
        expect(page.locator(".banner .verdict")).to_be_visible(timeout=30_000)
    return address


def test_the_verdict_comes_live_and_brings_its_speed(peopled: Site, page: Page) -> None:
    sign_in(page, peopled, AUTHOR)
    address = hand_in(page, peopled, f"// sleep=2\n{SOURCE.format(score=13.5)}", wait=False)
    page.goto(address)
    expect(page.locator("[data-stage]")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    page.evaluate("window.notReloaded = true")
    expect(page.locator(".banner .verdict")).to_have_text("Accepted", timeout=30_000)
    expect(page.get_by_role("heading", name="Performance")).to_be_visible()
    expect(page.get_by_role("img", name="Best scores of other users")).to_be_visible()
    expect(page.get_by_role("img", name="Roofline of this GPU")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    expect(page).to_have_title(re.compile("Accepted"))
    assert page.evaluate("window.notReloaded")


def test_an_accepted_submission_opens_what_comes_next(site: Site, visitor: Page) -> None:
    phone = visitor.locator(".phone-tabs")
    sign_up(visitor, site, f"solver-{secrets.token_hex(3)}")
    open_problem(visitor, site, PROBLEM)
    solved = visitor.locator(".pane-title").get_by_text("Solved")
    editorial = visitor.get_by_role("link", name="Editorial", exact=True)
    expect(solved).to_be_hidden()
    expect(editorial).to_be_hidden()
    if phone.is_visible():
        visitor.get_by_role("button", name="Code").click()
    write(visitor, "// accepted")
    visitor.get_by_role("button", name="Submit", exact=True).click()
    wait_for_verdict(visitor, "Accepted")
    steps = visitor.get_by_role("region", name="What comes next")
    expect(steps.get_by_text("1 of 2 solved")).to_be_visible()
    check_here(visitor, "the page of a solved problem")
    if phone.is_visible():
        visitor.get_by_role("button", name="Problem", exact=True).click()
    expect(solved).to_be_visible()
    expect(editorial).to_be_visible()


def test_a_score_stands_among_those_of_others(peopled: Site, page: Page, handed_in: tuple[str, str]) -> None:
    sign_in(page, peopled, AUTHOR)
    page.goto(handed_in[1])
    expect(page.get_by_text("Faster than 50 % of the 6 other users")).to_be_visible()
    expect(page.locator(".chart-spread .chart-label", has_text="you")).to_be_visible()
    best = page.get_by_role("row", name="Your previous best")
    expect(best).to_contain_text("1.08")
    page.get_by_text("Roofline of this GPU as a table").click()
    expect(page.get_by_role("row", name="timed 1").last).to_contain_text("memory")


def test_what_changed_is_shown_line_by_line(peopled: Site, page: Page, handed_in: tuple[str, str]) -> None:
    first, second = handed_in
    sign_in(page, peopled, AUTHOR)
    page.goto(second)
    page.get_by_role("link", name="Compare").click()
    expect(page.get_by_role("heading", name="2 lines removed, 3 added")).to_be_visible()
    expect(page.locator("ins", has_text="512")).to_be_visible()
    page.get_by_role("link", name="Side by side").click()
    expect(page.locator(".diff-split del", has_text="256")).to_be_visible()
    page.goto(first)
    page.get_by_role("link", name="Compare").click()
    page.get_by_role("combobox", name="submission").select_option(second.rpartition("/")[2])
    page.get_by_role("button", name="Compare").first.click()
    expect(page.locator("ins", has_text="256")).to_be_visible()
    page.get_by_text("Another one").click()
    page.get_by_label("Submission ID").fill("nothing")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Submission not found")


def test_lines_have_addresses(peopled: Site, page: Page, handed_in: tuple[str, str]) -> None:
    sign_in(page, peopled, AUTHOR)
    page.goto(f"{handed_in[1]}#L4-L5")
    expect(page.locator(".line.within")).to_have_count(2)
    expect(page.locator("#L4")).to_be_in_viewport()
    page.get_by_role("link", name="Line 2", exact=True).click()
    expect(page).to_have_url(f"{handed_in[1]}#L2")
    expect(page.locator(".line.within")).to_have_count(1)
    page.get_by_role("link", name="Line 6", exact=True).click(modifiers=["Shift"])
    expect(page).to_have_url(f"{handed_in[1]}#L2-L6")
    expect(page.locator(".line.within")).to_have_count(5)


def test_a_line_is_found_without_scripts(peopled: Site, browser: Browser, handed_in: tuple[str, str]) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        sign_in(page, peopled, AUTHOR)
        page.goto(f"{handed_in[1]}#L5")
        expect(page.locator(".line:target")).to_contain_text("int threads = 512;")


def test_a_shared_submission_is_for_those_who_solved(
    peopled: Site, page: Page, browser: Browser, handed_in: tuple[str, str]
) -> None:
    def status(name: str) -> int:
        with browser.new_context() as context:
            other = context.new_page()
            sign_in(other, peopled, name)
            answer = other.goto(handed_in[1])
            assert answer is not None
            return answer.status

    assert (status(SOLVER), status(LEARNER)) == (404, 404)
    sign_in(page, peopled, AUTHOR)
    page.goto(handed_in[1])
    page.get_by_role("button", name="Share with solvers").click()
    expect(page.get_by_text("Users who solved the problem can now see this submission")).to_be_visible()
    assert (status(SOLVER), status(LEARNER)) == (200, 404)
    page.get_by_role("button", name="Stop sharing").click()
    expect(page.get_by_role("button", name="Share with solvers")).to_be_visible()
    assert (status(SOLVER), status(LEARNER)) == (404, 404)


def test_a_picture_is_shown_elsewhere_on_the_site(
    peopled: Site, page: Page, handed_in: tuple[str, str]
) -> None:
    sign_in(page, peopled, AUTHOR)
    page.goto(f"{peopled.url}/help")
    size = page.evaluate(
        """async (address) => {
            const image = new Image();
            image.src = address;
            await image.decode();
            return [image.naturalWidth, image.naturalHeight];
        }""",
        f"{handed_in[1]}.svg",
    )
    assert size == [440, 132]


def test_the_list_is_narrowed_and_marks_the_best(
    peopled: Site, page: Page, handed_in: tuple[str, str]
) -> None:
    sign_in(page, peopled, AUTHOR)
    hand_in(page, peopled, "// wrong_answer")
    page.goto(f"{peopled.url}/submissions")
    best = page.locator("tr", has=page.locator("td.number .best"))
    expect(best).to_have_count(1)
    expect(best).to_contain_text(handed_in[1].rpartition("/")[2])
    page.evaluate("window.notReloaded = true")
    page.get_by_label("Verdict").select_option("wrong_answer")
    expect(page.locator("#listing tbody tr")).to_have_count(1)
    assert "verdict=wrong_answer" in page.url
    page.get_by_label("Mode").select_option("run")
    expect(page.get_by_text("No matching submissions")).to_be_visible()
    assert page.evaluate("window.notReloaded")
    page.get_by_role("link", name="Show all").click()
    expect(page.get_by_label("Verdict")).to_have_value("")


def test_times_are_local_with_scripts_and_utc_without(
    peopled: Site, browser: Browser, handed_in: tuple[str, str]
) -> None:
    texts = []
    for scripts in (True, False):
        with browser.new_context(timezone_id="Asia/Tokyo", java_script_enabled=scripts) as context:
            page = context.new_page()
            sign_in(page, peopled, AUTHOR)
            page.goto(f"{peopled.url}/submissions")
            when = page.locator("tbody tr").first.locator("td time").last
            if scripts:
                expect(when).not_to_contain_text("UTC")
            texts.append((when.text_content(), when.get_attribute("title")))
    (local, title), (plain, same) = texts
    assert plain == title == same
    assert plain != f"{local} UTC"


def test_its_pages_in_every_scheme_and_width(
    peopled: Site, visitor: Page, handed_in: tuple[str, str]
) -> None:
    first, second = handed_in
    sign_in(visitor, peopled, AUTHOR)
    diff = f"{second}/diff?against={first.rpartition('/')[2]}"
    for address in (second, diff, f"{diff}&view=split", f"{second}/diff?against=nothing"):
        check(visitor, address)
        assert heading_faults(visitor) == []
    visitor.goto(diff)
    visitor.locator("#against option").evaluate_all("all => all.forEach(it => { it.text = 'W'.repeat(60) })")
    check_here(visitor, "a list of submissions with wide names")
    check(visitor, f"{peopled.url}/submissions")


def test_a_message_is_announced_as_a_list(peopled: Site, visitor: Page, handed_in: tuple[str, str]) -> None:
    sign_in(visitor, peopled, AUTHOR)
    visitor.goto(handed_in[0])
    visitor.get_by_role("button", name="Share with solvers").click()
    expect(visitor.locator(".messages[role=status]").get_by_role("listitem")).to_have_count(1)
    check_here(visitor, "a page with a message")
    visitor.get_by_role("button", name="Stop sharing").click()


OVERLAPS = """rows => rows.flatMap(row => {
  const cells = [...row.querySelectorAll('td')].filter(cell => cell.offsetParent && cell.innerText.trim());
  const texts = cells.map(cell => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const { left, right } = range.getBoundingClientRect();
    return { left, right, said: cell.innerText.trim(), cell: cell.getBoundingClientRect() };
  });
  const name = (one, other) => `${one.said} | ${other.said}`;
  const leaves = ({ left, right, cell }) => left < cell.left - 1 || right > cell.right + 1;
  return texts.flatMap((one, at) => [
    ...leaves(one) ? [`${one.said} leaves its cell`] : [],
    ...texts.slice(at + 1).filter(other => one.right > other.left + 1).map(other => name(one, other)),
  ]);
})"""


@pytest.mark.parametrize("width", [1920, 1360, 1024, 700, 390])
def test_nothing_in_the_list_is_printed_over_anything_else(
    site: Site, handed_in: tuple[str, str], page: Page, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 850})
    sign_in(page, site, AUTHOR)
    page.goto(f"{site.url}/submissions")
    rows = page.locator(".submissions tbody tr")
    expect(rows.first.locator(".verdict")).to_be_visible()
    assert rows.evaluate_all(OVERLAPS) == []
