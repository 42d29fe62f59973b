"""Tests `warpcourt problem` against the real API, without a network: local folders and workspaces."""

import json
from pathlib import Path

import httpx
import pytest
from django.test import Client as Browser
from typer.testing import CliRunner

from judge.proof.results import Proof, error, to_json
from problems.contents import read_folder
from problems.loader import problems_root
from web.accounts.models import Scope, User
from web.accounts.services import issue_token
from web.authoring import queries
from web.authoring.models import Workspace, WorkspaceState
from web.authoring.queue import contents_of
from web.authoring.queue import queue as proofs
from web.authoring.services import files, workspaces
from web.cli import package, problem, terminal
from web.cli.app import app
from web.cli.client import Client, RequestRefused, Unreachable
from web.cli.credentials import Credentials

pytestmark = pytest.mark.django_db
URL = "https://court.example.org"


@pytest.fixture
def author(db: None) -> User:
    return User.objects.create_user("author", is_instructor=True)


@pytest.fixture
def workspace(author: User) -> Workspace:
    content = read_folder(problems_root() / "templates" / "custom").files
    return workspaces.create(author, "my-sum", content)


@pytest.fixture
def run(author: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Run a command in a folder of the test. What it asks goes to the site's own views."""
    _, secret = issue_token(author, name="laptop", scope=Scope.AUTHOR)
    browser = Browser()

    def answer(request: httpx.Request) -> httpx.Response:
        given = browser.generic(
            request.method,
            request.url.raw_path.decode(),
            data=request.read(),
            content_type=request.headers.get("content-type", ""),
            headers={"Authorization": request.headers["authorization"]},
        )
        return httpx.Response(given.status_code, content=given.content)

    class Site:
        def __enter__(self) -> Client:
            return Client(Credentials(URL, secret), httpx.MockTransport(answer))

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(terminal, "site", Site)
    monkeypatch.setattr("web.cli.problem.time.sleep", lambda _: work())
    monkeypatch.chdir(tmp_path)

    def work() -> None:
        if claim := proofs.claim("w"):
            found = error("statement.md", "is dull", "write more")
            contents = contents_of(claim)
            dull = b"dull" in contents.files["statement.md"]
            proof = Proof(contents.slug, "v", (found,) if dull else (), ())
            proofs.record(claim, to_json(proof), holds=proof.holds)

    def command(*arguments: str):
        return CliRunner().invoke(app, ["problem", *arguments])

    return command


def test_from_a_folder_to_learners(run, workspace, author):
    assert run("pull", "my-sum").exit_code == 0
    folder = Path("my-sum")
    assert package.read_files(folder) == queries.read(workspace)
    with (folder / "statement.md").open("a") as statement:
        statement.write("\nThis is dull.\n")
    (folder / "editorial.md").unlink()
    (folder / "figures").mkdir()
    (folder / "figures" / "new.png").write_bytes(b"\x89PNG\xff")
    assert run("prove", "my-sum").exit_code == 2, "what is not pushed is not proved"
    pushed = run("push", "my-sum", "--note", "Rewritten")
    assert "3 files" in pushed.output
    assert queries.read(workspace) == package.read_files(folder)
    assert queries.list_revisions(workspace)[0].note == "Rewritten"
    assert "Nothing has changed" in run("push", "my-sum").output
    assert json.loads(run("push", "my-sum", "--json").stdout) == {
        "slug": "my-sum",
        "revision": 2,
        "sent": [],
        "others": False,
    }
    (folder / "figures" / "new.png").unlink()
    pushed = json.loads(run("push", "my-sum", "--json").stdout)
    assert (pushed["sent"], pushed["revision"]) == (["figures/new.png"], 3)
    proved = run("prove", "my-sum", "--json")
    assert proved.exit_code == 7
    assert json.loads(proved.stdout)["report"]["findings"][0]["fix"] == "write more"
    assert run("publish", "my-sum").exit_code != 0
    files.restore(workspace, author, 1, expected_revision=Workspace.objects.get().revision)
    pulled = run("pull", "--output", "my-sum", "my-sum", "--json")
    assert json.loads(pulled.stdout) == {"slug": "my-sum", "folder": "my-sum", "revision": 4}
    proved = run("prove", "my-sum")
    assert proved.exit_code == 0
    assert "Waiting for a worker" in proved.output
    assert "is live" in run("publish", "my-sum", "--note", "First").output
    assert Workspace.objects.get().state == WorkspaceState.PUBLISHED


def test_solutions_are_tried_without_a_proof(run, workspace):
    run("pull", "my-sum")
    assert run("try", "my-sum").exit_code == 2
    assert run("try", "my-sum", "--file", "plain.cu", "--language", "cuda").exit_code == 2
    tried = run("try", "my-sum", "--file", "solutions/plain.cu")
    assert tried.exit_code == 0
    assert "solutions/runs/" in tried.output
    assert "as expected" in tried.output
    assert json.loads(run("try", "my-sum", "--language", "cuda", "--json").stdout)["kind"] == "trial"
    assert isinstance(run("try", "my-sum", "--file", "none.cu").exception, RequestRefused)
    with Path("my-sum/statement.md").open("a") as statement:
        statement.write("\nMore.\n")
    assert run("try", "my-sum", "--file", "plain.cu").exit_code == 2, "what is not pushed is not tried"


def test_what_was_published_is_listed_withdrawn_and_put_away(run, workspace):
    assert run("pull", "my-sum").exit_code == 0
    assert "Nothing has been published" in run("versions", "my-sum").output
    assert run("withdraw", "my-sum").exit_code == 1
    assert run("prove", "my-sum").exit_code == 0
    run("publish", "my-sum", "--note", "First")
    with Path("my-sum/statement.md").open("a") as statement:
        statement.write("\nMore.\n")
    run("push", "my-sum")
    assert run("prove", "my-sum").exit_code == 0
    assert "is frozen" in run("publish", "my-sum", "--freeze").output
    second, first = json.loads(run("versions", "my-sum", "--json").stdout)
    assert (first["number"], first["live"], first["note"]) == (1, True, "First")
    assert (second["number"], second["live"]) == (2, False)
    assert "live" in run("versions", "my-sum").output
    assert run("live", "2", "my-sum").exit_code == 0
    assert run("archive", "2", "my-sum").exit_code == 1, "what is live is not archived"
    assert "archived" in run("archive", "1", "my-sum").output
    latest, earlier = json.loads(run("versions", "my-sum", "--json").stdout)
    assert (latest["archived"], earlier["archived"]) == (False, True)
    assert "is unarchived" in run("archive", "1", "my-sum", "--undo").output
    assert run("live", "3", "my-sum").exit_code == 1
    withdrawn = run("withdraw", "my-sum", "--json")
    assert json.loads(withdrawn.stdout) == {"slug": "my-sum", "withdrawn": True}
    assert "my-sum is visible" in run("withdraw", "my-sum", "--undo").output


def test_what_somebody_else_changed_too_is_a_conflict(run, workspace, author):
    run("pull", "my-sum")
    files.write(workspace, author, 1, {"statement.md": b"theirs"})
    Path("my-sum/statement.md").write_text("mine")
    refused = run("push", "my-sum")
    assert refused.exit_code == 8
    assert "statement.md" in refused.output
    assert run("pull", "--output", "my-sum", "my-sum").exit_code == 2, "it would overwrite what is here"
    assert run("pull", "--output", "my-sum", "my-sum", "--force").exit_code == 0
    assert Path("my-sum/statement.md").read_text() == "theirs"


def test_what_somebody_else_changed_elsewhere_comes_with_a_push(run, workspace, author):
    run("pull", "my-sum")
    files.write(workspace, author, 1, {"editorial.md": b"theirs"})
    Path("my-sum/statement.md").write_text("mine")
    assert "Other authors changed" in run("push", "my-sum").output
    assert Path("my-sum/editorial.md").read_text() == "theirs"
    assert queries.read_file(workspace, "statement.md") == b"mine"


def test_a_folder_begins_a_problem(run, workspace, tmp_path):
    run("pull", "my-sum")
    (tmp_path / "my-sum" / package.STATE).unlink()
    assert run("push", "my-sum", "--create", "other-sum").exit_code == 0
    assert queries.read(Workspace.objects.get(slug="other-sum")) == queries.read(workspace)
    listed = run("list", "--json")
    assert [row["slug"] for row in json.loads(listed.stdout)] == ["my-sum", "other-sum"]
    assert isinstance(run("push", "my-sum", "--create", "other-sum").exception, RequestRefused)


@pytest.mark.parametrize("path", ["../up", "/etc/passwd", "a/b/c", ".ssh/key", "a\\b"])
def test_a_site_does_not_say_where_to_write(path):
    with pytest.raises(package.FolderUnusable, match="Nothing was written"):
        package.received([{"path": path, "text": "", "base64": None}])


def test_a_folder_that_is_none_is_refused(run):
    assert isinstance(run("push").exception, package.FolderUnusable)
    assert isinstance(run("prove").exception, package.FolderUnusable)


def test_many_bytes_go_in_several_requests():
    changes = {f"figures/{n}.png": bytes(250_000) for n in range(5)} | {"old.md": None}
    batches = list(package.in_batches(changes))
    assert [len(batch) for batch in batches] == [1, 1, 1, 1, 2]


def test_a_token_that_ended_or_may_too_little_says_what_to_do():
    said = {
        401: {"code": "unauthorized", "message": "Send a token.", "fields": {}},
        403: {
            "code": "forbidden",
            "message": "This token may only submit; use one of the scope 'author'.",
            "fields": {},
        },
    }
    for status, body in said.items():
        transport = httpx.MockTransport(lambda _, s=status, e=body: httpx.Response(s, json={"error": e}))
        with Client(Credentials(URL, "wrong"), transport) as client, pytest.raises(RequestRefused) as refused:
            client.get("author/workspaces")
        assert refused.value.status == status
        assert {401: "warpcourt login", 403: "scope 'author'"}[status] in str(refused.value)


def test_a_site_that_is_away_for_a_moment_is_waited_for(monkeypatch):
    answers = [
        httpx.ConnectError("restarting"),
        {"state": "leased"},
        httpx.ConnectError("again"),
        {"state": "done"},
    ]

    def answer(_: httpx.Request) -> httpx.Response:
        given = answers.pop(0)
        if isinstance(given, Exception):
            raise given
        return httpx.Response(200, json={"id": 7, "steps": [], **given})

    monkeypatch.setattr("web.cli.problem.time.sleep", lambda _: None)
    with Client(Credentials(URL, "t"), httpx.MockTransport(answer)) as client:
        run = problem._follow(client, "my-sum", {"id": 7, "state": "leased", "steps": []}, quiet=True)
    assert run["state"] == "done"
    with (
        Client(Credentials(URL, "t"), httpx.MockTransport(lambda _: httpx.Response(502))) as client,
        pytest.raises(Unreachable),
    ):
        problem._follow(client, "my-sum", {"id": 7, "state": "leased", "steps": []}, quiet=True)
