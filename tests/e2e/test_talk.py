"""Tests questions, answers and their notifications, and sharing and voting for a solution."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import (
    PASSWORD,
    Site,
    open_problem,
    press,
    sign_in,
    sign_in_on_page,
    sign_up,
    wait_for_verdict,
    write,
)
from tests.e2e.soundness import check

BASE = "/problems/vector-add"
MAKE_INSTRUCTOR = (
    "from web.accounts.models import User; "
    f"User.objects.create_user('teacher', password='{PASSWORD}', is_instructor=True)"
)
ANSWER = (
    "Look at the index:\n\n```cuda\nint i = blockIdx.x;\n```\n\n:::spoiler A hint\nAdd `threadIdx.x`.\n:::"
)


def solve(page: Page, site: Site, verdict: str = "accepted", word: str = "Accepted") -> str:
    open_problem(page, site, "vector-add")
    write(page, verdict)
    press(page, "Submit")
    wait_for_verdict(page, word)
    return page.get_by_role("link", name="Permalink").get_attribute("href") or ""


@pytest.fixture(scope="module")
def teacher(site: Site) -> str:
    site.manage("shell", "-c", MAKE_INSTRUCTOR)
    return "teacher"


@pytest.fixture(scope="module")
def asked(site: Site, browser: Browser, teacher: str) -> dict[str, str]:
    """Create a question of a learner and a teacher's answer. Return the addresses, without the site."""
    with browser.new_context() as context, browser.new_context() as other:
        page, answering = context.new_page(), other.new_page()
        sign_up(page, site, "asker")
        sign_in(answering, site, teacher)
        page.goto(f"{site.url}{BASE}/questions")
        page.get_by_role("link", name="Ask a question").first.click()
        page.get_by_label("Title").fill("Where to begin?")
        page.get_by_label("Text").fill("My kernel adds only the first block.")
        page.get_by_role("button", name="Post").click()
        page.wait_for_url(re.compile(r"/questions/\d+"))
        question = page.url.removeprefix(site.url)
        answering.goto(f"{site.url}{question}")
        answering.get_by_label("Text").fill(ANSWER)
        answering.get_by_role("button", name="Reply").click()
        expect(answering.locator(".post")).to_have_count(2)
        wrong = solve(page, site, "wrong_answer", "Wrong answer")
        page.goto(f"{site.url}{wrong}")
        page.get_by_role("link", name="Ask the instructors").click()
        page.get_by_label("Text").fill("Why is it **wrong**?")
        page.get_by_role("button", name="Send question").click()
        expect(page.get_by_text("Question sent.")).to_be_visible()
        return {"question": question, "wrong": wrong, "inquiry": f"{wrong}/questions"}


def test_code_in_an_answer_opens_only_on_demand(site: Site, page: Page, asked: dict[str, str]) -> None:
    sign_in(page, site, "asker")
    page.goto(f"{site.url}{asked['question']}")
    answer = page.locator(".post").nth(1)
    expect(answer.locator(".post-head")).to_contain_text("instructor")
    expect(answer.get_by_text("blockIdx")).to_be_hidden()
    answer.get_by_text("Code", exact=True).click()
    expect(answer.get_by_text("blockIdx")).to_be_visible()
    expect(answer.get_by_text("threadIdx.x")).to_be_hidden()
    answer.get_by_text("A hint").click()
    expect(answer.get_by_text("threadIdx.x")).to_be_visible()


def test_the_answer_to_a_private_question_reaches_its_author(
    site: Site, browser: Browser, page: Page, asked: dict[str, str], teacher: str
) -> None:
    sign_in_on_page(page, site, teacher)
    page.get_by_role("link", name="Inbox 1 open").click()
    page.get_by_role("main").get_by_role("link", name="Vector addition").first.click()
    expect(page.locator(".post strong").nth(1)).to_have_text("wrong")
    page.get_by_label("Text").fill("You forgot the last element.")
    page.get_by_role("button", name="Send answer").click()
    expect(page.get_by_text("Answer sent.")).to_be_visible()
    with browser.new_context(java_script_enabled=False) as context:
        asker = context.new_page()
        asker.goto(f"{site.url}/accounts/login/")
        asker.get_by_label("Username").fill("asker")
        asker.get_by_label("Password").fill(PASSWORD)
        asker.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()
        bell = asker.get_by_role("link", name=re.compile("Notifications, . unread"))
        bell.click()
        asker.get_by_role("link", name="teacher answered your question about Vector addition.").click()
        expect(asker.get_by_text("You forgot the last element.")).to_be_visible()
        asker.goto(f"{site.url}/notifications")
        asker.get_by_role("button", name="Mark all as read").click()
        expect(asker.get_by_role("link", name="Notifications", exact=True)).to_be_visible()
        asker.goto(f"{site.url}/account/notifications")
        asker.get_by_label("Replies in threads that you take part in").check()
        asker.get_by_role("button", name="Save").click()
        expect(asker.get_by_label("Replies in threads that you take part in")).to_be_checked()


def test_a_solution_is_shared_and_gets_a_vote(site: Site, browser: Browser, page: Page) -> None:
    sign_up(page, site, "author")
    page.goto(f"{site.url}{solve(page, site)}")
    page.get_by_role("link", name="Share in the gallery").click()
    page.get_by_label("Note").fill("One thread per element")
    page.get_by_role("button", name="Share in the gallery").click()
    expect(page.get_by_role("link", name="One thread per element")).to_be_visible()
    expect(page.get_by_role("button", name="Vote for the solution of author")).to_be_disabled()
    with browser.new_context() as context:
        voter = context.new_page()
        sign_up(voter, site, "voter")
        voter.goto(f"{site.url}{BASE}/solutions")
        expect(voter.get_by_role("heading", name="Solve the problem to unlock this page")).to_be_visible()
        solve(voter, site)
        voter.get_by_role("link", name="Solutions").first.click()
        voter.get_by_role("button", name="Vote for the solution of author, 0 votes").click()
        voted = voter.get_by_role("button", name="Vote for the solution of author, 1 vote")
        expect(voted).to_have_attribute("aria-pressed", "true")
        voter.get_by_label("Order").select_option("newest")
        voter.get_by_role("button", name="Apply").click()
        voter.get_by_role("link", name="One thread per element").click()
        expect(voter.get_by_role("heading", name="Source")).to_be_visible()


def test_the_pages_are_sound(site: Site, visitor: Page, asked: dict[str, str]) -> None:
    check(visitor, f"{site.url}{asked['question']}")
    check(visitor, f"{site.url}{BASE}/questions")
    sign_in(visitor, site, "asker")
    addresses = ["/notifications", "/account/notifications", f"{BASE}/questions/new", *asked.values()]
    for address in addresses:
        check(visitor, f"{site.url}{address}")
    visitor.context.clear_cookies()
    sign_in(visitor, site, "teacher")
    for address in ("/inbox", "/inbox?status=all", asked["inquiry"], f"{BASE}/solutions", asked["question"]):
        check(visitor, f"{site.url}{address}")
