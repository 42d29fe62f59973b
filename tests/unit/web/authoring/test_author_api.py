"""Tests authoring through the REST API."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from judge.proof.results import ProgramOutcome, Proof, to_json
from problems.archive import unpack
from problems.vocabulary import Language, Verdict
from web.accounts.models import Scope
from web.accounts.services import issue_token
from web.api import api
from web.authoring import queries
from web.authoring.models import Role, Workspace, WorkspaceState
from web.authoring.queue import queue as proofs
from web.jobs.models import JobState

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(client):
    """Send a request as a user, with a token of a scope, to an address below /author."""
    secrets: dict[tuple[int, Scope], str] = {}

    def send(person, method: str, path: str, body: object = None, *, scope: Scope = Scope.AUTHOR):
        known = (person.pk, scope)
        if known not in secrets:
            secrets[known] = issue_token(person, name=scope.value, scope=scope)[1]
        data = json.dumps(body) if body is not None else b""
        headers = {"Authorization": f"Bearer {secrets[known]}"}
        address = f"/api/v1/author/{path}"
        return client.generic(method, address, data, content_type="application/json", headers=headers)

    return send


def test_a_problem_from_its_beginning_to_learners(ask, instructor):
    made = ask(instructor, "POST", "workspaces", {"slug": "sums", "title": "Sums", "kind": "reduction"})
    assert made.status_code == 201
    assert made.json()["role"] == "owner"
    told = ask(instructor, "GET", "workspaces/sums/files").json()
    paths = [entry["path"] for entry in told["files"]]
    assert {"problem.toml", "statement.md", "reference.py"} <= {*paths}
    write = {"expected": 1, "changes": [{"path": "editorial.md"}], "note": "Shorter"}
    assert ask(instructor, "PUT", "workspaces/sums/files", write).json()["revision"] == 2
    assert ask(instructor, "POST", "workspaces/sums/versions", {}).status_code == 409
    run = ask(instructor, "POST", "workspaces/sums/proofs", {"gpu": ""}).json()
    assert (run["state"], run["revision"]) == ("queued", 2)
    claim = proofs.claim("w")
    step = {"kind": "checked", "text": "plain.cu", "index": 1, "total": 9, "at_s": 0.5}
    proofs.show_steps(claim, [step])
    address = f"workspaces/sums/runs/{run['id']}"
    assert ask(instructor, "GET", address).json()["steps"] == [step]
    proofs.record(claim, to_json(Proof("sums", "v", (), ())), holds=True)
    assert ask(instructor, "GET", "workspaces/sums/proofs/latest").json()["holds"]
    assert ask(instructor, "GET", "workspaces/sums").json()["state"] == "ready"
    version = ask(instructor, "POST", "workspaces/sums/versions", {"note": "First"})
    assert (version.status_code, version.json()["live"], version.json()["number"]) == (201, True, 1)
    assert ask(instructor, "GET", "workspaces/sums/versions").json() == [version.json()]
    assert ask(instructor, "DELETE", "workspaces/sums").status_code == 409
    archived = ask(instructor, "POST", "workspaces/sums/archive")
    assert archived.json()["state"] == "archived"
    assert ask(instructor, "POST", "workspaces/sums/take-back").json()["state"] == "published"


def test_a_write_from_an_old_revision_names_the_files(ask, workspace, instructor):
    write = {"expected": 1, "changes": [{"path": "statement.md", "text": "mine"}]}
    assert ask(instructor, "PUT", "workspaces/my-sum/files", write).status_code == 200
    write["changes"][0]["text"] = "yours"
    refused = ask(instructor, "PUT", "workspaces/my-sum/files", write)
    assert refused.status_code == 409
    assert refused.json()["error"]["fields"] == {"statement.md": ["changed"]}


@pytest.mark.parametrize(
    "change",
    [
        {"path": "../up", "text": "x"},
        {"path": "statement.md", "text": "x", "base64": "eA=="},
        {"path": "statement.md", "base64": "no base64!"},
        {"path": "statement.md", "text": "\ud800"},
        {"path": "", "text": "x"},
    ],
)
def test_what_is_no_file_of_a_package_is_refused(ask, workspace, instructor, change):
    write = {"expected": 1, "changes": [change]}
    assert ask(instructor, "PUT", "workspaces/my-sum/files", write).status_code == 422
    assert Workspace.objects.get().revision == 1


def test_bytes_that_are_no_text_travel_as_base64(ask, workspace, instructor):
    write = {"expected": 1, "changes": [{"path": "figures/f.png", "base64": "/9j/"}]}
    ask(instructor, "PUT", "workspaces/my-sum/files", write)
    told = ask(instructor, "GET", "workspaces/my-sum/files").json()["files"]
    assert {"path": "figures/f.png", "size_bytes": 3, "text": None, "base64": "/9j/"} in told


def test_a_token_that_may_submit_does_not_reach_it(ask, workspace, instructor, staff):
    for person in (instructor, staff):
        for path in ("workspaces", "workspaces/my-sum/files", "workspaces/my-sum/archive.zip"):
            assert ask(person, "GET", path, scope=Scope.SUBMIT).status_code == 403


def test_others_do_not_learn_that_it_exists(ask, workspace, teammate):
    teammate.is_instructor = True
    teammate.save()
    for path in ("", "/files", "/revisions", "/comments", "/members", "/proofs/latest", "/versions"):
        assert ask(teammate, "GET", f"workspaces/my-sum{path}").status_code == 404
    assert ask(teammate, "GET", "workspaces").json() == {"workspaces": [], "next": None}
    copy = {"slug": "copy", "clone_of": "my-sum"}
    assert ask(teammate, "POST", "workspaces", copy).status_code == 404


def test_who_may_look_and_not_write_is_told_so(ask, workspace, member, owner):
    viewer, reviewer = member(Role.VIEWER), member(Role.REVIEWER)
    write = {"expected": 1, "changes": [{"path": "statement.md", "text": "x"}]}
    said = {"path": "reference.py", "line": 1, "text": "Why?"}
    assert ask(viewer, "GET", "workspaces/my-sum/files").status_code == 200
    assert ask(viewer, "POST", "workspaces/my-sum/comments", said).status_code == 403
    assert ask(reviewer, "POST", "workspaces/my-sum/comments", said).status_code == 201
    refused = ask(reviewer, "PUT", "workspaces/my-sum/files", write)
    assert (refused.status_code, "editors can edit" in refused.json()["error"]["message"]) == (403, True)
    assert ask(reviewer, "PUT", "workspaces/my-sum/members/owner", {"role": "viewer"}).status_code == 403
    assert ask(owner, "POST", "workspaces", {"slug": "sums"}).status_code == 403


def test_members_come_change_and_leave(ask, workspace, instructor, owner):
    put = ask(instructor, "PUT", "workspaces/my-sum/members/Owner", {"role": "editor"})
    assert put.json() == {"username": "owner", "role": "editor", "offered": False}
    listed = ask(owner, "GET", "workspaces/my-sum/members").json()
    assert [row["role"] for row in listed] == ["owner", "editor"]
    assert ask(owner, "DELETE", "workspaces/my-sum/members/owner").status_code == 204
    assert ask(owner, "GET", "workspaces/my-sum").status_code == 404
    assert ask(instructor, "DELETE", "workspaces/my-sum/members/instructor").status_code == 422


def test_a_new_owner_is_asked(ask, workspace, instructor, teammate, staff):
    teammate.is_instructor = True
    teammate.save()
    put = ask(instructor, "PUT", "workspaces/my-sum/members/teammate", {"role": "owner"})
    assert put.json() == {"username": "teammate", "role": "editor", "offered": True}
    assert put.json() in ask(instructor, "GET", "workspaces/my-sum/members").json()
    put = ask(staff, "PUT", "workspaces/my-sum/members/teammate", {"role": "owner"})
    assert put.json() == {"username": "teammate", "role": "owner", "offered": False}


def test_comments_and_history(ask, workspace, instructor):
    said = {"path": "reference.py", "line": 1, "text": "Why?"}
    number = ask(instructor, "POST", "workspaces/my-sum/comments", said).json()["id"]
    settled = ask(instructor, "POST", f"workspaces/my-sum/comments/{number}/resolve", {"resolved": True})
    assert settled.json()["resolved"]
    before = queries.read(workspace)
    write = {"expected": 1, "changes": [{"path": "statement.md", "text": "x"}], "note": "Worse"}
    ask(instructor, "PUT", "workspaces/my-sum/files", write)
    listed = ask(instructor, "GET", "workspaces/my-sum/revisions?limit=1").json()
    assert [row["note"] for row in listed["revisions"]] == ["Worse"]
    assert listed["next"] == 2
    old = ask(instructor, "GET", "workspaces/my-sum/revisions/1").json()
    assert {entry["path"] for entry in old["files"]} == {*before}
    restored = ask(instructor, "POST", "workspaces/my-sum/revisions/1/restore", {"expected": 2})
    assert restored.json()["content_hash"] == old["content_hash"]
    assert queries.read(workspace) == before
    missing = ask(instructor, "POST", "workspaces/my-sum/revisions/99/restore", {"expected": 3})
    assert missing.status_code == 404


def test_a_preview_is_asked_for_and_given_up(ask, workspace, instructor):
    run = ask(instructor, "POST", "workspaces/my-sum/previews", {"case": "example", "seed": 7}).json()
    assert run["kind"] == "preview"
    cancelled = ask(instructor, "POST", f"workspaces/my-sum/runs/{run['id']}/cancel")
    assert cancelled.json()["state"] == JobState.CANCELLED
    assert ask(instructor, "POST", "workspaces/my-sum/previews", {"case": "none"}).status_code == 422


def test_solutions_are_tried(ask, workspace, instructor, owner):
    path = "workspaces/my-sum/trials"
    run = ask(instructor, "POST", path, {"language": "cuda"})
    assert (run.status_code, run.json()["kind"], run.json()["state"]) == (201, "trial", "queued")
    claim = proofs.claim("w")
    outcome = ProgramOutcome(
        "solutions/plain.cu", Language.CUDA, Verdict.ACCEPTED, Verdict.WRONG_ANSWER, "c[0] is wrong", 9.0
    )
    proofs.record(claim, to_json(Proof("my-sum", "v", (), (outcome,))), holds=False)
    told = ask(instructor, "GET", f"workspaces/my-sum/runs/{run.json()['id']}").json()
    assert (told["state"], told["holds"]) == ("done", False)
    assert told["report"]["outcomes"][0]["message"] == "c[0] is wrong"
    one = ask(instructor, "POST", path, {"file": "plain.cu"}).json()
    assert (
        ask(instructor, "POST", f"workspaces/my-sum/runs/{one['id']}/cancel").json()["state"] == "cancelled"
    )
    assert ask(owner, "POST", path, {"file": "plain.cu"}).status_code == 404
    assert ask(instructor, "POST", path, {"file": "plain.cu"}, scope=Scope.SUBMIT).status_code == 403


@pytest.mark.parametrize("wanted", [{}, {"file": "plain.cu", "language": "cuda"}, {"language": "c"}])
def test_a_trial_names_a_file_or_a_language(ask, workspace, instructor, wanted):
    assert ask(instructor, "POST", "workspaces/my-sum/trials", wanted).status_code == 422
    refused = ask(instructor, "POST", "workspaces/my-sum/trials", {"file": "none.cu"})
    assert "Solution not found" in refused.json()["error"]["message"]


def test_it_travels_as_a_file(ask, workspace, instructor, client):
    archive = ask(instructor, "GET", "workspaces/my-sum/archive.zip").content
    assert unpack(archive).files == queries.read(workspace)
    _, secret = issue_token(instructor, name="x", scope=Scope.AUTHOR)
    headers = {"Authorization": f"Bearer {secret}"}
    sent = {"archive": SimpleUploadedFile("x.zip", archive), "slug": "other-sum"}
    made = client.post("/api/v1/author/import", sent, headers=headers)
    assert (made.status_code, made.json()["slug"]) == (201, "other-sum")
    assert queries.read(Workspace.objects.get(slug="other-sum")) == queries.read(workspace)
    sent = {"archive": SimpleUploadedFile("x.zip", b"PK no zip"), "slug": "third"}
    assert client.post("/api/v1/author/import", sent, headers=headers).status_code == 422


def test_every_operation_says_what_it_answers():
    operations = [
        operation
        for path, methods in api.get_openapi_schema()["paths"].items()
        if "/author/" in path
        for operation in methods.values()
    ]
    assert len(operations) > 30
    for operation in operations:
        assert operation["summary"], operation
        assert operation["description"], operation
        assert {401, 403, 429} <= {int(status) for status in operation["responses"]}, operation


def test_the_description_tells_of_scopes_and_revisions():
    schema = api.get_openapi_schema()
    (about,) = [tag["description"] for tag in schema["tags"] if tag["name"] == "author"]
    assert "`revision`" in about
    assert "409" in about
    schemes = schema["components"]["securitySchemes"]
    for path, methods in schema["paths"].items():
        if "/author/" in path:
            for operation in methods.values():
                token, session = (next(iter(way)) for way in operation["security"])
                assert "`author`" in schemes[token]["description"], path
                assert session == "SessionAuth"
    assert "`read`" in schemes["TokenAuth"]["description"]
    assert "`submit`" in schemes["SubmitTokenAuth"]["description"]


def test_the_state_of_a_workspace_narrows_the_list(ask, workspace, instructor):
    assert ask(instructor, "GET", "workspaces?state=draft").json()["workspaces"][0]["slug"] == "my-sum"
    assert ask(instructor, "GET", f"workspaces?state={WorkspaceState.READY}").json()["workspaces"] == []
