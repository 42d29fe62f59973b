"""Limits per user hold when many requests arrive at once, on both databases.

`test_postgresql` runs this file again on PostgreSQL.
"""

import io
import zipfile
from collections.abc import Callable

import pytest

from tests.integration.web.test_databases import THREADS, at_once
from web.accounts import services as accounts
from web.accounts.models import ApiToken, User
from web.authoring.models import Comment, ProofRun, Workspace
from web.authoring.services import comments, quota, runs, workspaces
from web.importing import services as importing
from web.importing.models import ImportRun

pytestmark = [pytest.mark.integration, pytest.mark.django_db(transaction=True)]

LIMIT = 2
FILES = {"problem.toml": b"title = 'A'\n"}


@pytest.fixture
def author(owner: User) -> User:
    owner.is_instructor = True
    owner.save()
    return owner


def try_at_once(act: Callable[[int], object], refusal: type[Exception]) -> int:
    """Call `act` in many threads. Return how many calls were not refused."""

    def attempt(index: int) -> bool:
        try:
            act(index)
        except refusal:
            return False
        return True

    return sum(at_once(attempt))


def test_tokens(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "MAX_TOKENS", LIMIT)
    made = try_at_once(lambda index: accounts.issue_token(owner, name=f"{index}"), accounts.TooManyTokens)
    assert made == ApiToken.objects.count() == LIMIT


def test_imports(author: User) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("set/a/task.yml", "lang: py\n")
    content = stream.getvalue()
    made = try_at_once(
        lambda _: importing.start_archive(author, "gpu_mode", content), importing.TooManyImports
    )
    assert made == ImportRun.objects.count() == importing.MAX_OPEN_OF_PERSON


def test_workspaces(author: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quota, "MAX_WORKSPACES_OF_PERSON", LIMIT)
    made = try_at_once(
        lambda index: workspaces.create(author, f"sum-{index}", FILES), workspaces.TooManyWorkspaces
    )
    assert made == Workspace.objects.count() == LIMIT


def test_runs_of_different_workspaces(author: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "MAX_RUNS_OF_PERSON", LIMIT)
    monkeypatch.setattr("web.authoring.folders.load", lambda _: None)
    made = [workspaces.create(author, f"sum-{index}", FILES) for index in range(THREADS)]
    begun = try_at_once(lambda index: runs.prove(made[index], author), runs.TooManyRuns)
    assert begun == ProofRun.objects.count() == LIMIT


def test_comments(author: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comments, "MOST_COMMENTS", LIMIT)
    workspace = workspaces.create(author, "a-sum", FILES)
    made = try_at_once(
        lambda index: comments.comment(workspace, author, path="problem.toml", line=1, text=f"{index}"),
        comments.CommentRefused,
    )
    assert made == Comment.objects.count() == LIMIT
