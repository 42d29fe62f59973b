"""Tests the REST API as its clients see it."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from ninja import Schema

from judge.report import CaseReport, Report
from problems.vocabulary import Group, Verdict
from tests.conftest import PASSWORD, new_problem
from web.accounts.services import issue_token
from web.submissions import services
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db


@pytest.fixture
def call(client, owner):
    _, secret = issue_token(owner, name="test")

    def send(method: str, path: str, body: object = None, **headers: str):
        return client.generic(
            method,
            f"/api/v1{path}",
            data=json.dumps(body) if body is not None else b"",
            content_type="application/json",
            headers={"Authorization": f"Bearer {secret}", **headers},
        )

    return send


def program(**more: object) -> dict[str, object]:
    return {"problem": "vector-add", "language": "cuda", "source": "void solve() {}", **more}


def test_the_document_is_generated_once_and_revalidated(client, monkeypatch):
    first = client.get("/api/v1/openapi.json")
    assert first.json()["info"]["title"] == "Warpcourt"
    assert "/api/v1/submissions" in first.json()["paths"]

    def generate(*_: object, **__: object) -> None:
        raise AssertionError("the document was generated again")

    monkeypatch.setattr("ninja.main.get_schema", generate)
    second = client.get("/api/v1/openapi.json")
    assert (second.status_code, second.content) == (200, first.content)
    assert second["Cache-Control"] == "no-cache"
    unchanged = client.get("/api/v1/openapi.json", headers={"If-None-Match": first["ETag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")


def test_from_a_password_to_a_verdict(client, owner, problem):
    made = client.post(
        "/api/v1/tokens", {"username": "Owner", "password": PASSWORD}, content_type="application/json"
    )
    headers = {"Authorization": f"Bearer {made.json()['token']}"}
    sent = client.post("/api/v1/submissions", program(), content_type="application/json", headers=headers)
    assert sent.status_code == 201
    assert sent.json()["state"] == "queued"
    route = f"/api/v1/submissions/{sent.json()['id']}"
    claim = services.claim("w")
    assert client.get(route, headers=headers).json()["state"] == "judging"
    case = CaseReport("example", Group.SAMPLE, public=True, verdict=Verdict.ACCEPTED, checked=4)
    services.record(claim, Report(Verdict.ACCEPTED, cases=(case,)))
    shown = client.get(route, headers=headers).json()
    assert (shown["state"], shown["verdict"]) == ("done", "accepted")
    assert shown["report"]["cases"][0]["checked"] == 4
    assert client.get("/api/v1/problems/vector-add", headers=headers).json()["solved"] is True
    standings = client.get("/api/v1/leaderboards/vector-add").json()
    assert standings["ranked"] is False
    assert "Without a GPU, nothing is ranked" in standings["note"]
    assert [(row["username"], row["language"]) for row in standings["rows"]] == [("owner", "cuda")]


def test_wrong_passwords_are_throttled(client, owner):
    def attempt(password: str) -> int:
        body = {"username": "owner", "password": password}
        return client.post("/api/v1/tokens", body, content_type="application/json").status_code

    assert [attempt("wrong") for _ in range(5)] == [403] * 5
    assert attempt("wrong") == 429
    assert attempt(PASSWORD) == 429


def test_a_wrong_name_answers_like_a_wrong_password(client, owner):
    answers = [
        client.post(
            "/api/v1/tokens", {"username": name, "password": "wrong"}, content_type="application/json"
        )
        for name in ("owner", "nobody")
    ]
    assert answers[0].content == answers[1].content


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"problem": "vector-add"}, "language"),
        (program(language="fortran"), "language"),
        (program(mode="rank"), "mode"),
        (program(problem="../etc"), "problem"),
        (program(sizes={"n": "many"}), "sizes.n"),
        (program(source="x" * (512 * 1024 + 1)), "source"),
    ],
)
def test_an_invalid_request_names_the_field(call, problem, body, field):
    answer = call("POST", "/submissions", body)
    assert answer.status_code == 422
    assert field in answer.json()["error"]["fields"]
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (program(source=" "), 422),
        (program(source="x" * (65 * 1024)), 422),
        (program(sizes={"n": 3}), 422),
        (program(problem="no-such"), 404),
    ],
)
def test_a_refused_program_says_why_in_the_one_form(call, problem, body, status):
    answer = call("POST", "/submissions", body)
    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"code", "message", "fields"}


def test_a_huge_body_is_refused_before_it_is_read(call, problem):
    assert call("POST", "/submissions", program(source="x" * (2 * 1024 * 1024))).status_code == 413


def test_what_is_no_json_is_refused(client, owner, problem):
    _, secret = issue_token(owner, name="test")
    answer = client.post(
        "/api/v1/submissions",
        "{",
        content_type="application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "malformed"


def test_limits_answer_429(call, problem, settings):
    statuses = [call("POST", "/submissions", program()).status_code for _ in range(6)]
    assert statuses == [201] * settings.WARPCOURT.max_in_flight + [429]


def test_a_repeated_request_with_a_key_makes_one_submission(call, problem):
    key = {"Idempotency-Key": "once"}
    first, second = (call("POST", "/submissions", program(), **key).json()["id"] for _ in range(2))
    assert first == second
    assert call("POST", "/submissions", program(source="other"), **key).status_code == 409


def test_pages_follow_each_other(call, owner, handed_in):
    made = []
    for _ in range(5):
        made.append(handed_in(owner))
        services.cancel(made[-1])
    first = call("GET", "/submissions?limit=3").json()
    second = call("GET", f"/submissions?limit=3&before={first['next']}").json()
    seen = [row["id"] for page in (first, second) for row in page["submissions"]]
    assert seen == [submission.public_id for submission in reversed(made)]
    assert second["next"] is None


def test_problems_are_filtered(call, problem):
    new_problem("sort", difficulty="hard", tags=["sorting"], summary="Put keys in order.")
    for query, slugs in (
        ("", ["sort", "vector-add"]),
        ("?difficulty=hard", ["sort"]),
        ("?tag=elementwise", ["vector-add"]),
        ("?search=KEYS", ["sort"]),
        ("?search=nothing", []),
    ):
        page = call("GET", f"/problems{query}").json()
        assert [row["slug"] for row in page["problems"]] == slugs, query
        assert page["next"] is None


def test_problems_come_in_pages(call, problem):
    for slug in ("sort", "relu"):
        new_problem(slug)
    first = call("GET", "/problems?limit=2").json()
    assert ([row["slug"] for row in first["problems"]], first["next"]) == (["relu", "sort"], "sort")
    second = call("GET", f"/problems?limit=2&after={first['next']}").json()
    assert ([row["slug"] for row in second["problems"]], second["next"]) == (["vector-add"], None)


def test_ones_own_last_accepted_and_fastest(call, owner, handed_in, problem):
    asked = "/submissions/own?problem=vector-add&language=cuda"
    assert call("GET", asked).status_code == 404
    submission = handed_in(owner, source="// mine")
    services.record(services.claim("w"), Report(Verdict.ACCEPTED))
    assert call("GET", asked).json()["source"] == "// mine"
    assert call("GET", f"{asked}&which=best").status_code == 404
    assert call("GET", f"/submissions/{submission.public_id}/source").json() == {
        "language": "cuda",
        "source": "// mine",
    }


def test_people_as_they_show_themselves(call, client, owner, teammate):
    assert call("GET", "/profile").json()["username"] == "owner"
    assert client.get("/api/v1/users/TEAMMATE").json()["username"] == "teammate"
    teammate.profile_audience = "nobody"
    teammate.save()
    assert client.get("/api/v1/users/teammate").status_code == 404


def test_starters_are_listed(call, problem):
    rows = call("GET", "/problems/vector-add/starters").json()
    assert {row["language"] for row in rows} == {"cuda", "triton"}


def test_an_unknown_address_answers_in_the_one_form(call):
    assert call("GET", "/nothing/here").json()["error"]["code"] == "not_found"


def test_our_failure_says_nothing_about_itself(call, problem, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the secret of the database")

    monkeypatch.setattr(services, "submit", fail)
    answer = call("POST", "/submissions", program())
    assert answer.status_code == 500
    assert "secret" not in answer.content.decode()


def test_lists_take_a_constant_number_of_queries(call, owner, handed_in):
    def queries_of(path: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert call("GET", path).status_code == 200
        return len(captured)

    def grow() -> None:
        for number in range(4):
            new_problem(f"another-{Submission.objects.count()}-{number}")
        for _ in range(4):
            handed_in(owner)
            services.record(services.claim("w"), Report(Verdict.ACCEPTED))

    grow()
    queries_of("/problems")  # notes the use of the token
    few = [queries_of(path) for path in ("/problems", "/submissions", "/leaderboards/vector-add")]
    grow()
    many = [queries_of(path) for path in ("/problems", "/submissions", "/leaderboards/vector-add")]
    assert many == few
    assert max(many) <= 8


def test_health(client, db):
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json()["waiting_jobs"] == 0


def test_every_answer_carries_the_security_headers(client, problem):
    for path in ("/healthz", "/api/v1/problems", "/api/v1/docs", "/accounts/login/"):
        headers = client.get(path).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert "camera=()" in headers["Permissions-Policy"]


def test_no_two_schemas_share_a_name():
    # The description of the API keeps one schema for each name.
    def below(base):
        return [*base.__subclasses__(), *(kind for child in base.__subclasses__() for kind in below(child))]

    known = [kind.__name__ for kind in set(below(Schema)) if kind.__module__.startswith("web.")]
    assert known
    assert len(known) == len({*known})
