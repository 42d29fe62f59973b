"""Tests answering a quiz: on desktop and phone, with the keyboard only, and without scripts."""

import os
import secrets
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from problems.loader import problems_root
from problems.quiz_files import load_quiz
from problems.quiz_paper import draw_paper
from tests.e2e.conftest import PASSWORD, Site, sign_in, sign_up
from tests.e2e.soundness import check, check_here

QUIZZES = (
    "mock-interview",
    "device-arithmetic",
    "read-a-profile",
    "occupancy-tuning",
    "predict-decode",
    "mps-arithmetic",
    "dispatcher-quiz",
    "link-quiz",
    "isolation-quiz",
    "gpu-pod",
    "gpu-alerts",
)
PAGE = "/quizzes/read-a-profile"
PICTURES = os.environ.get("QUIZ_PICTURES")  # a folder; set it to get pictures of the pages


def picture(page: Page, name: str) -> None:
    if PICTURES:
        page.screenshot(path=str(Path(PICTURES) / f"{name}.png"), full_page=True)


def scheme_of(page: Page) -> str:
    return "phone" if page.viewport_size and page.viewport_size["width"] < 800 else "desk"


def fill(page: Page, number: str, wrong: int = 0) -> None:
    """Fill in the first option and `number` everywhere."""
    for field in page.get_by_role("textbox", name="Answer to question").all():
        field.fill(number)
    for group in page.locator("fieldset.options").all():
        group.get_by_role("radio").nth(wrong).check()


def test_visitors_read_every_quiz(site: Site, visitor: Page) -> None:
    check(visitor, f"{site.url}/quizzes")
    picture(visitor, f"list-{scheme_of(visitor)}")
    for slug in QUIZZES:
        check(visitor, f"{site.url}/quizzes/{slug}")
        picture(visitor, f"{slug}-{scheme_of(visitor)}")
    expect(visitor.get_by_text("These are example numbers.")).to_be_visible()
    expect(visitor.get_by_role("textbox", name="Answer to question 1", exact=True)).to_be_disabled()


def test_answers_are_marked_and_explained(site: Site, visitor: Page) -> None:
    sign_up(visitor, site, f"quiz-{secrets.token_hex(3)}")
    visitor.goto(f"{site.url}{PAGE}")
    fill(visitor, "1,5")
    visitor.get_by_role("button", name="Submit answers").click()
    expect(visitor.get_by_role("alert").get_by_text("Nothing was recorded.")).to_be_visible()
    check_here(visitor, "a quiz with unreadable answers")
    picture(visitor, f"faults-{scheme_of(visitor)}")
    visitor.get_by_role("link", name="Question 2", exact=True).click()
    fill(visitor, "1,000")
    visitor.get_by_role("button", name="Submit answers").click()
    expect(visitor).to_have_url(f"{site.url}{PAGE}/attempts/1")
    expect(visitor.get_by_text("Not passed.")).to_be_visible()
    visitor.get_by_text("The numbers of this attempt").click()
    check_here(visitor, "an attempt")
    picture(visitor, f"attempt-{scheme_of(visitor)}")
    visitor.get_by_role("link", name="Try again with new numbers").first.click()
    expect(visitor.get_by_role("link", name="Attempt 1")).to_be_visible()
    check_here(visitor, "a quiz after an attempt")


@pytest.mark.parametrize("scripts", [True, False])
def test_it_is_solved_with_keys_alone_and_without_scripts(
    site: Site, browser: Browser, scripts: bool
) -> None:
    name = f"solver-{secrets.token_hex(3)}"
    quiz = load_quiz(problems_root() / "quizzes" / "read-a-profile.toml").quiz
    with browser.new_context(java_script_enabled=scripts) as context:
        page = context.new_page()
        page.goto(f"{site.url}/accounts/signup/?next={PAGE}")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("main").get_by_role("button", name="Sign up").click()
        page.goto(f"{site.url}{PAGE}")
        paper = draw_paper(quiz, f"{user_id(site, name)}/1")
        fields = [
            f"#q{number} input >> nth=0" if question.options else f"#q{number}"
            for number, question in enumerate(paper.questions, start=1)
        ]
        page.locator(fields[0]).focus()
        for question, field in zip(paper.questions, fields, strict=True):
            expect(page.locator(field)).to_be_focused()
            if question.options:
                page.keyboard.press("Space")
                for _ in range(int(question.answer)):
                    page.keyboard.press("ArrowDown")
            else:
                page.keyboard.type(repr(question.answer))
            if field != fields[-1]:
                page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page).to_have_url(f"{site.url}{PAGE}/attempts/1")
        expect(page.get_by_text("You have solved this quiz.")).to_be_visible()
        page.goto(f"{site.url}/quizzes")
        row = page.get_by_role("listitem").filter(has_text="Read a profile")
        expect(row.get_by_text("Solved")).to_be_attached()
        picture(page, f"solved-list-{scripts}")


def test_staff_see_every_fault_of_an_upload(site: Site, visitor: Page) -> None:
    name = f"staff-{secrets.token_hex(3)}"
    lines = (
        "from web.accounts.models import User",
        f"User.objects.create_superuser({name!r}, password={PASSWORD!r})",
    )
    site.manage("shell", "-c", "\n".join(lines))
    sign_in(visitor, site, name)
    check(visitor, f"{site.url}/staff/quizzes")
    source = (problems_root() / "quizzes" / "mps-arithmetic.toml").read_text()
    broken = source.replace("pass_mark = 9", "pass_mark = 99").replace('"medium"', '"tricky"')
    for text, seen in ((broken, "must be from 1 to 11"), (source, "Sharing arithmetic saved.")):
        file = {"name": f"{name}.toml", "mimeType": "text/plain", "buffer": text.encode()}
        visitor.get_by_label("File", exact=True).set_input_files(file)  # type: ignore[arg-type]  # a FilePayload
        visitor.get_by_role("button", name="Upload").click()
        expect(visitor.get_by_text(seen)).to_be_visible()
        check_here(visitor, "quizzes of staff after an upload")
        picture(visitor, f"staff-{seen[:4].strip()}-{scheme_of(visitor)}")


def user_id(site: Site, name: str) -> int:
    """The key of a user, which decides the numbers."""
    target = site.data_dir / f"{name}.txt"
    lines = (
        "from pathlib import Path",
        "from web.accounts.models import User",
        f"key = User.objects.get(username={name!r}).pk",
        f"Path({str(target)!r}).write_text(str(key))",
    )
    site.manage("shell", "-c", "\n".join(lines))
    return int(target.read_text())
