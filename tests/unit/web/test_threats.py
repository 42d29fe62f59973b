"""Tests the site's part of the threat model: texts of users and programs are shown, and never run."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from judge.report import CaseReport, Diagnostic, Mismatch, Report
from problems.vocabulary import Group, Severity, Verdict
from tests.conftest import new_problem
from web.accounts.models import User
from web.submissions import services
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db

ATTACK = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'><svg/onload=alert(1)>"
HOSTILE = Report(
    Verdict.WRONG_ANSWER,
    ATTACK,
    cases=(
        CaseReport(
            ATTACK[:60],
            Group.SAMPLE,
            public=True,
            verdict=Verdict.WRONG_ANSWER,
            message=ATTACK,
            sizes={"n": 4},
            mismatches=(Mismatch(ATTACK, (0,), ATTACK, ATTACK, None, None),),
        ),
        CaseReport(
            "prime-case",
            Group.ODD,
            public=False,
            verdict=Verdict.WRONG_ANSWER,
            sizes={"n": 7919},
            mismatches=(Mismatch("c", (7918,), "31337.25", "0", None, None),),
        ),
    ),
    diagnostics=(Diagnostic(Severity.ERROR, ATTACK, ATTACK, kernel=ATTACK, line=1),),
    log=ATTACK,
    output=ATTACK,
    environment={"target": ATTACK},
)


@pytest.fixture
def judged(owner, handed_in) -> Submission:
    submission = handed_in(owner, source=f"// {ATTACK}")
    services.record(services.claim("w"), HOSTILE)
    return submission


class Tags(HTMLParser):
    """Every tag of a page with its attributes, as a browser would read them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def assert_inert(page: str) -> None:
    """No tag and no attribute of the attack became one of the page."""
    assert "<script>alert" not in page
    for tag, attributes in Tags(page).found:
        assert not [name for name in attributes if name.startswith("on")], tag
        assert attributes.get("src") != "x"
        assert not (attributes.get("href") or "").strip().lower().startswith("javascript:")


def assert_no_inline_code(answer) -> None:
    """Every script and style has a source of ours, holds data, or carries this answer's nonce."""
    nonce = re.search(r"'nonce-([^']+)'", answer.headers["Content-Security-Policy"])
    for tag, attributes in Tags(answer.content.decode()).found:
        assert "style" not in attributes, tag
        if tag in {"script", "style"}:
            ours = (attributes.get("src") or "").startswith("/static/")
            data = attributes.get("type") == "application/json"
            assert ours or data or (nonce and attributes.get("nonce") == nonce[1]), attributes


def test_what_a_program_says_is_shown_and_does_not_run(owner, judged, browser_of):
    browser = browser_of(owner)
    for path in (f"/s/{judged.public_id}", f"/s/{judged.public_id}/report", "/submissions"):
        answer = browser.get(path)
        assert answer.status_code == 200, path
        assert_inert(answer.content.decode())
        assert_no_inline_code(answer)
    assert "alert(1)" in browser.get(f"/s/{judged.public_id}").content.decode()


def test_what_an_author_writes_does_not_run(client):
    new_problem(
        "hostile", title=ATTACK, summary=ATTACK, statement=ATTACK, tags=["x"], starters={"cuda": ATTACK}
    )
    for path in ("/", "/problems", "/problems/hostile", "/problems/hostile/leaderboard"):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert_inert(answer.content.decode())
        assert_no_inline_code(answer)


def test_a_name_that_slipped_past_validation_does_not_run(owner, judged, problem, client, staff, browser_of):
    User.objects.filter(pk=owner.pk).update(username='<script>alert("x")</script>'[:30])
    services.rejudge(judged)
    services.record(services.claim("w"), Report(Verdict.ACCEPTED))
    assert_inert(client.get(f"/problems/{problem.slug}/leaderboard").content.decode())
    assert_inert(browser_of(staff).get(f"/s/{judged.public_id}").content.decode())
    assert_inert(browser_of(staff).get("/admin/submissions/submission/").content.decode())


def test_pages_say_nothing_of_hidden_cases(owner, judged, browser_of):
    for path in (f"/s/{judged.public_id}", f"/s/{judged.public_id}/report"):
        page = browser_of(owner).get(path).content.decode()
        assert not [secret for secret in ("prime-case", "7919", "7918", "31337") if secret in page]


def test_a_page_of_anothers_submission_does_not_exist(teammate, stranger, judged, browser_of):
    for person, refused in ((teammate, {404}), (stranger, {302, 404})):
        browser = browser_of(person)
        browser.handler.enforce_csrf_checks = False
        for path in ("", "/report"):
            assert browser.get(f"/s/{judged.public_id}{path}").status_code in refused
        for path in ("/cancel", "/rejudge"):
            assert browser.post(f"/s/{judged.public_id}{path}").status_code in refused | {403}


def test_forms_need_the_csrf_token(owner, problem, browser_of):
    browser = browser_of(owner)
    body = {"language": "cuda", "source": "x", "mode": "submit"}
    assert browser.post(f"/problems/{problem.slug}/submissions", body).status_code == 403
    assert browser.post("/account/tokens", {"name": "x"}).status_code == 403
    assert not Submission.objects.exists()


def test_an_unpublished_problem_has_no_page(owner, client, browser_of):
    new_problem("draft", published=False, title="Unfinished business")
    for browser in (client, browser_of(owner)):
        assert "Unfinished" not in browser.get("/problems").content.decode()
        for path in ("/problems/draft", "/problems/draft/leaderboard"):
            assert browser.get(path).status_code == 404


def test_signing_in_is_throttled(owner, client):
    for _ in range(5):
        client.post("/accounts/login/", {"login": "owner", "password": "wrong"})
    answer = client.post("/accounts/login/", {"login": "owner", "password": "correct horse battery"})
    assert "_auth_user_id" not in client.session
    assert answer.status_code in {200, 429}


def test_sign_up_can_be_closed(client, settings):
    settings.WARPCOURT = replace(settings.WARPCOURT, sign_up=False)
    client.post("/accounts/signup/", {"username": "newcomer", "password1": "correct horse battery"})
    assert not User.objects.exists()


def test_cookies_are_kept_from_scripts_and_other_sites(owner, client):
    client.post("/accounts/login/", {"login": "owner", "password": "correct horse battery"})
    session = client.cookies["sessionid"]
    assert session["httponly"]
    assert session["samesite"] == "Lax"
