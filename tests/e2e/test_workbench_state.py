"""Tests the state of the workbench: the latest result, the running submission, no duplicate submissions."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import PASSWORD, Site, open_problem, sign_in, sign_up, wait_for_verdict, write
from tests.e2e.soundness import serious_violations


def submissions(page: Page, site: Site) -> int:
    """How many submissions the list of the signed-in person has."""
    other = page.context.new_page()
    other.goto(f"{site.url}/submissions")
    count = other.locator("table.submissions tbody tr").count()
    other.close()
    return count


def test_the_result_is_there_after_a_reload(site: Site, page: Page) -> None:
    sign_up(page, site, "reloader")
    open_problem(page, site, "vector-add")
    write(page, "wrong_answer mismatches")
    page.get_by_role("button", name="Run").click()
    wait_for_verdict(page, "Wrong answer")
    expect(page.locator("[data-draft-status]")).to_have_text("Saved")
    page.reload()
    wait_for_verdict(page, "Wrong answer")
    expect(page.locator(".last-result")).to_contain_text("Your latest run")
    expect(page.locator("[data-outdated]")).to_have_count(0)
    write(page, "accepted")
    expect(page.locator("[data-draft-status]")).to_have_text("Saved")
    page.reload()
    expect(page.locator("[data-outdated]")).to_have_text("Your code has changed since.")
    assert serious_violations(page) == []


def test_a_running_submission_is_followed_after_a_reload_and_in_a_second_tab(site: Site, page: Page) -> None:
    sign_up(page, site, "follower")
    open_problem(page, site, "vector-add")
    write(page, "sleep=4 accepted")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#console .live-stage")).to_contain_text(re.compile("Compil|Case|worker|queue"))
    page.reload()
    expect(page.locator("#console .live-stage")).to_be_visible()
    other = page.context.new_page()
    open_problem(other, site, "vector-add")
    wait_for_verdict(page, "Accepted")
    wait_for_verdict(other, "Accepted")


def test_eight_clicks_are_one_submission_without_a_complaint(site: Site, page: Page) -> None:
    sign_up(page, site, "clicker")
    open_problem(page, site, "vector-add")
    write(page, "accepted")
    for _ in range(8):
        page.get_by_role("button", name="Submit").click()
    wait_for_verdict(page, "Accepted")
    page.get_by_role("button", name="Submit").dblclick()
    wait_for_verdict(page, "Accepted")
    expect(page.locator("#console .tone-bad.notice")).to_have_count(0)
    assert submissions(page, site) == 1


def test_without_scripts_a_form_that_is_sent_twice_is_one_submission(site: Site, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{site.url}/accounts/signup/")
        page.get_by_label("Username").fill("plain-clicker")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("main").get_by_role("button", name="Sign up").click()
        page.goto(f"{site.url}/problems/vector-add?language=cuda")
        page.get_by_label("Source").fill("accepted")
        page.get_by_role("button", name="Submit").dblclick()
        page.wait_for_url(f"{site.url}/s/*")
        assert submissions(page, site) == 1
        page.goto(f"{site.url}/problems/vector-add?language=cuda")
        expect(page.locator("#console [data-answer]")).to_be_visible()


def test_signing_out_and_in_again_brings_the_result_back(site: Site, page: Page) -> None:
    sign_up(page, site, "leaver")
    open_problem(page, site, "vector-add")
    write(page, "runtime_error")
    page.get_by_role("button", name="Run").click()
    wait_for_verdict(page, "Runtime error")
    page.locator(".masthead summary").filter(has_text="leaver").click()
    page.get_by_role("button", name="Sign out").click()
    open_problem(page, site, "vector-add")
    expect(page.locator("#console .banner")).to_have_count(0)
    sign_in(page, site, "leaver")
    open_problem(page, site, "vector-add")
    wait_for_verdict(page, "Runtime error")


def test_control_s_saves_and_says_so(site: Site, page: Page) -> None:
    sign_up(page, site, "saver")
    open_problem(page, site, "vector-add")
    write(page, "// to be saved")
    page.keyboard.press("Control+s")
    expect(page.locator("#announcer")).to_have_text("Saved")
    expect(page.locator("[data-draft-status]")).to_have_text("Saved")
