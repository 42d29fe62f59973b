"""Tests `warpcourt import` against the real API, without a network. The test runs the worker."""

import io
import json
import zipfile
from pathlib import Path

import httpx
import pytest
import typer
from django.test import Client as Browser
from typer.testing import CliRunner

from judge.proof.importing import Workshop, import_set
from problems.importing.upload import unpacked_set
from web.accounts.models import Scope, User
from web.accounts.services import issue_token
from web.authoring.models import Workspace
from web.cli import sets, terminal
from web.cli.client import Client
from web.cli.credentials import Credentials
from web.importing.models import ImportRun
from web.importing.queue import queue as imports
from web.jobs.models import JobState

pytestmark = pytest.mark.django_db
SETS = Path(__file__).parents[3] / "sets"


@pytest.fixture
def author(db: None) -> User:
    return User.objects.create_user("author", is_instructor=True)


@pytest.fixture
def run(author: User, monkeypatch: pytest.MonkeyPatch):
    """Run the command. What it asks goes to the site's own views, and a worker looks when it waits."""
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
            return Client(Credentials("https://court.example.org", secret), httpx.MockTransport(answer))

        def __exit__(self, *_: object) -> None:
            pass

    def work(_seconds: float) -> None:
        if claim := imports.claim("w"):
            with unpacked_set(bytes(claim.archive)) as folder:
                for found in import_set(claim.format, folder, Workshop(None, None)):
                    imports.record_problem(claim, claim.by, found)
            imports.record(claim)

    monkeypatch.setattr(terminal, "site", Site)
    monkeypatch.setattr("web.cli.sets.time.sleep", work)
    app = typer.Typer()
    app.command("import")(sets.import_set)
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


def test_a_set_becomes_workspaces_and_again_revisions(run, author) -> None:
    answer = run("kattis", str(SETS / "kattis"))
    assert answer.exit_code == 1  # one of two is refused
    assert "kattis/vector-addition: imported with warnings as vector-addition, revision" in answer.output
    assert "have no signature" in " ".join(answer.output.split())
    made = Workspace.objects.get()
    assert (made.slug, made.owner) == ("vector-addition", author)
    again = run("kattis", str(SETS / "kattis" / "vector-addition"), "--json")
    assert again.exit_code == 0
    told = json.loads(again.stdout)
    assert told["problems"][0]["again"] is True
    assert Workspace.objects.get().revision == told["problems"][0]["revision"]


def test_a_format_that_there_is_not_and_a_folder_that_is_not_there(run, tmp_path) -> None:
    assert run("kattis", str(tmp_path / "absent")).exit_code == 2
    refused = run("nothing_known", str(tmp_path))
    assert "Unknown format" in str(refused.exception)
    assert not ImportRun.objects.exists()


def test_an_import_can_be_given_up(client, author) -> None:
    client.force_login(author)
    run = ImportRun.objects.create(by=author, format="leetgpu", archive=b"x")
    told = client.post(f"/api/v1/author/sets/{run.pk}/cancel").json()
    assert told["state"] == JobState.CANCELLED
    assert client.get(f"/api/v1/author/sets/{run.pk}").json()["problems"] == []


def test_links_hidden_files_and_others_stay_here(tmp_path) -> None:
    for name in ("a.py", ".git/b.py", "c.bin", "d/e.html", "__pycache__/f.py"):
        path = tmp_path / "set" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (tmp_path / "secret.py").write_text("x")
    (tmp_path / "set" / "link.py").symlink_to(tmp_path / "secret.py")
    (tmp_path / "set" / "folder").symlink_to(tmp_path)
    with zipfile.ZipFile(io.BytesIO(sets.packed(tmp_path / "set"))) as archive:
        assert archive.namelist() == ["set/a.py", "set/d/e.html"]
