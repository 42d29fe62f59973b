"""Tests access rights. For users without access, an object does not exist: 404, never 403."""

import json

import pytest

from judge.report import CaseReport, Diagnostic, Mismatch, Report
from problems.vocabulary import Group, Severity, Verdict
from tests.conftest import new_problem
from web.accounts.models import Scope
from web.accounts.services import issue_token
from web.submissions import queries, services
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db

SECRET_SIZE = 7919
REPORT = Report(
    Verdict.WRONG_ANSWER,
    "Case odd 1: 3 of 9 elements differ.",
    cases=(
        CaseReport(
            "example",
            Group.SAMPLE,
            public=True,
            verdict=Verdict.WRONG_ANSWER,
            sizes={"n": 4},
            mismatches=(Mismatch("c", (2,), "1.5", "0.0", 1.5, 1.0),),
        ),
        CaseReport(
            "prime-case",
            Group.ODD,
            public=False,
            verdict=Verdict.WRONG_ANSWER,
            message="3 of 9 elements differ.",
            sizes={"n": SECRET_SIZE},
            checked=9,
            mismatched=3,
            mismatches=(Mismatch("c", (7918,), "31337.25", "0.0", 31337.25, 1.0),),
        ),
    ),
    diagnostics=(
        Diagnostic(Severity.ERROR, "race", "two threads write c[0]", block=(0, 0, 0), thread=(1, 0, 0)),
    ),
    output="printed",
)
HIDDEN = ("prime-case", str(SECRET_SIZE), "7918", "31337.25")


@pytest.fixture
def submission(owner, handed_in) -> Submission:
    return handed_in(owner, source="// the owner's secret idea")


@pytest.fixture
def judged(submission) -> Submission:
    services.record(services.claim("w"), REPORT)
    return submission


def routes(submission: Submission) -> list[tuple[str, str]]:
    api = f"/api/v1/submissions/{submission.public_id}"
    return [
        ("get", api),
        ("post", f"{api}/cancel"),
        ("get", f"{api}/events"),
        ("get", f"{api}/listings/ptx"),
        ("get", f"/submissions/{submission.public_id}/events"),
    ]


def bearer(user, scope=Scope.SUBMIT) -> dict[str, str]:
    _, secret = issue_token(user, name="test", scope=scope)
    return {"Authorization": f"Bearer {secret}"}


def test_to_a_teammate_a_submission_does_not_exist(teammate, submission, client, browser_of):
    token = bearer(teammate)
    signed_in = browser_of(teammate)
    signed_in.handler.enforce_csrf_checks = False
    for method, route in routes(submission):
        for answer in (getattr(signed_in, method)(route), getattr(client, method)(route, headers=token)):
            assert answer.status_code == 404, route
            assert "secret idea" not in answer.content.decode()
    assert not Submission.objects.get(pk=submission.pk).job.cancel_requested


def test_a_stranger_is_asked_to_sign_in_or_sees_nothing(submission, client):
    for method, route in routes(submission):
        assert getattr(client, method)(route).status_code in {401, 404}, route


def test_a_missing_submission_answers_like_a_foreign_one(teammate, submission, client):
    token = bearer(teammate)
    foreign = client.get(f"/api/v1/submissions/{submission.public_id}", headers=token)
    missing = client.get("/api/v1/submissions/AAAAAAAAAAAA", headers=token)
    assert (foreign.status_code, foreign.content) == (missing.status_code, missing.content)


def test_the_owner_and_staff_see_it(owner, staff, submission, client):
    for person in (owner, staff):
        answer = client.get(f"/api/v1/submissions/{submission.public_id}", headers=bearer(person))
        assert answer.json()["source"] == "// the owner's secret idea"


def test_a_list_holds_ones_own_only(owner, teammate, staff, submission, client):
    for person, expected in ((owner, [submission.public_id]), (teammate, []), (staff, [])):
        rows = client.get("/api/v1/submissions", headers=bearer(person)).json()["submissions"]
        assert [row["id"] for row in rows] == expected


def test_a_page_cannot_begin_at_a_foreign_submission(teammate, submission, client):
    answer = client.get(f"/api/v1/submissions?before={submission.public_id}", headers=bearer(teammate))
    assert answer.status_code == 404


def test_the_owner_learns_nothing_of_hidden_cases(owner, judged, client):
    text = client.get(f"/api/v1/submissions/{judged.public_id}", headers=bearer(owner)).content.decode()
    assert not [secret for secret in HIDDEN if secret in text]
    public, hidden = json.loads(text)["report"]["cases"]
    assert public["sizes"] == {"n": 4}
    assert public["mismatches"][0]["expected"] == "1.5"
    assert hidden["name"] == "odd 1"
    assert (hidden["sizes"], hidden["mismatches"]) == ({}, [])
    assert (hidden["verdict"], hidden["checked"], hidden["mismatched"]) == ("wrong_answer", 0, 0)
    assert hidden["message"].startswith("Many elements of c are wrong. Sizes and values are hidden")


def test_staff_see_hidden_cases(staff, judged):
    submission = queries.visible_submissions(staff).get()
    assert queries.present_report(submission, staff) == REPORT


def test_an_unpublished_problem_does_not_exist(owner, staff, client):
    draft = new_problem("draft", published=False, title="Unfinished business")
    body = json.dumps({"problem": "draft", "language": "cuda", "source": "x"})
    for headers in ({}, bearer(owner)):
        assert b"Unfinished" not in client.get("/api/v1/problems", headers=headers).content
        for route in ("problems/draft", "problems/draft/starters", "leaderboards/draft"):
            assert client.get(f"/api/v1/{route}", headers=headers).status_code == 404
    made = client.post("/api/v1/submissions", body, content_type="application/json", headers=bearer(owner))
    assert made.status_code == 404
    assert client.get(f"/api/v1/problems/{draft.slug}", headers=bearer(staff)).status_code == 200


def test_an_editorial_is_shown_to_those_who_solved(owner, teammate, handed_in, problem, client):
    problem.editorial = "The trick is simple."
    problem.save()
    handed_in(owner)
    services.record(services.claim("w"), Report(Verdict.ACCEPTED))
    shown = {
        person: client.get(f"/api/v1/problems/{problem.slug}", headers=bearer(person)).json()["editorial"]
        for person in (owner, teammate)
    }
    assert shown == {owner: "The trick is simple.", teammate: None}


def test_a_token_may_only_what_its_scope_says(owner, submission, client):
    reading = bearer(owner, Scope.READ)
    assert client.get(f"/api/v1/submissions/{submission.public_id}", headers=reading).status_code == 200
    body = json.dumps({"problem": "vector-add", "language": "cuda", "source": "x"})
    assert client.post("/api/v1/submissions", body, "application/json", headers=reading).status_code == 403
    assert (
        client.post(f"/api/v1/submissions/{submission.public_id}/cancel", headers=reading).status_code == 403
    )
    assert client.delete("/api/v1/tokens/1", headers=reading).status_code == 403


def test_a_foreign_token_can_be_neither_seen_nor_revoked(owner, teammate, client):
    token, _ = issue_token(owner, name="the owner's laptop")
    assert b"laptop" not in client.get("/api/v1/tokens", headers=bearer(teammate)).content
    assert client.delete(f"/api/v1/tokens/{token.pk}", headers=bearer(teammate)).status_code == 404
    assert client.delete(f"/api/v1/tokens/{token.pk}", headers=bearer(owner)).status_code == 204


def test_a_wrong_token_is_refused_even_where_anybody_may_ask(problem, client):
    wrong = {"Authorization": "Bearer wct_wrong"}
    assert client.get("/api/v1/problems").status_code == 200
    answer = client.get("/api/v1/problems", headers=wrong)
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_a_session_needs_the_csrf_token_to_change_anything(owner, submission, browser_of):
    browser = browser_of(owner)
    route = f"/api/v1/submissions/{submission.public_id}/cancel"
    assert browser.get(f"/api/v1/submissions/{submission.public_id}").status_code == 200
    assert browser.post(route).status_code == 403
    assert queries.state_of(Submission.objects.get()) == "queued"
    browser.cookies["csrftoken"] = "a" * 32
    assert browser.post(route, headers={"X-CSRFToken": "a" * 32}).json() == {"cancelled": True}


def test_the_admin_is_for_staff(owner, staff, browser_of, judged):
    for person, status in ((owner, 302), (staff, 200)):
        for page in ("accounts/user", "accounts/apitoken", "catalog/problem", "submissions/submission"):
            assert browser_of(person).get(f"/admin/{page}/").status_code == status, page
    detail = browser_of(staff).get(f"/admin/submissions/submission/{judged.pk}/change/")
    assert detail.status_code == 200


def test_a_token_page_of_the_admin_shows_no_digest(owner, staff, browser_of):
    token, _ = issue_token(owner, name="laptop")
    page = browser_of(staff).get(f"/admin/accounts/apitoken/{token.pk}/change/").content.decode()
    assert token.prefix in page
    assert token.digest not in page
