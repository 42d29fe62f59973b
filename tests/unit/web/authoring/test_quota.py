"""Tests the quotas of an author for storage and for workers."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judge.proof.preview import CaseWanted
from judge.proof.results import Proof, to_json
from problems.faults import MOST_FAULTS, Faults, PackageInvalid
from tests.conftest import PASSWORD
from web.accounts.models import User
from web.authoring.models import Comment, ProofRun, Role, RunKind, Workspace
from web.authoring.queue import AGED
from web.authoring.queue import queue as proofs
from web.authoring.services import comments, files, members, publishing, quota, runs, workspaces
from web.jobs.models import JobState

pytestmark = pytest.mark.django_db
LOOK = CaseWanted("example")


@pytest.fixture
def other(db: None) -> User:
    return User.objects.create_user("other", password=PASSWORD, is_instructor=True)


def test_one_owns_so_many_problems_and_staff_more(monkeypatch, workspace, instructor, other):
    monkeypatch.setattr(quota, "MAX_WORKSPACES_OF_PERSON", 1)
    with pytest.raises(workspaces.TooManyWorkspaces, match="Delete one"):
        workspaces.create(instructor, "another", {"statement.md": b"x"})
    assert not Workspace.objects.filter(slug="another").exists()
    workspaces.create(other, "others-own", {"statement.md": b"x"})
    members.set_role(workspace, instructor, other, Role.OWNER)
    with pytest.raises(members.MemberRefused, match="maximum number"):
        members.accept(workspace, other)
    other.is_staff = True
    workspaces.create(other, "others-second", {"statement.md": b"x"})


def test_the_files_of_one_author_have_so_many_bytes(monkeypatch, workspace, instructor):
    monkeypatch.setattr(quota, "MAX_STORED_MIB_OF_PERSON", 1)
    present = workspace.revision
    big = {f"notes-{number}.md": bytes([number]) * 250 * 1024 for number in range(5)}
    with pytest.raises(files.NoRoom, match="Delete a problem"):
        files.write(workspace, instructor, present, big)
    workspace.refresh_from_db()
    assert workspace.revision == present
    # What is stored already takes no room, and removing gives some back.
    files.write(workspace, instructor, present, {"statement.md": b"short"})
    files.write(workspace, instructor, workspace.revision, {"editorial.md": None})


def test_a_history_is_shortened_from_its_old_end(monkeypatch, workspace, instructor):
    monkeypatch.setattr(quota, "MAX_HISTORY_MIB", 1)
    first = workspace.revision
    run = runs.prove(workspace, instructor)
    for number in range(6):
        data = bytes([number]) * 250 * 1024
        files.write(workspace, instructor, workspace.revision, {"notes.md": data}, f"Step {number}")
    kept = set(workspace.revisions.values_list("number", flat=True))
    assert workspace.revision in kept
    assert first in kept  # a worker may be proving it
    assert len(kept) < 7
    assert sum(workspace.contents.values_list("size_bytes", flat=True)) <= 2**20
    runs.cancel(run)
    files.write(workspace, instructor, workspace.revision, {"notes.md": b"9" * 250 * 1024}, "Last")
    assert ProofRun.objects.filter(pk=run.pk).exists() == (
        first in set(workspace.revisions.values_list("number", flat=True))
    )


def test_versions_count_too(monkeypatch, workspace, instructor):
    run = runs.prove(workspace, instructor)
    proofs.record(proofs.claim("w"), to_json(Proof(workspace.slug, "v", (), ())), holds=True)
    stored = sum(workspace.contents.values_list("size_bytes", flat=True))
    monkeypatch.setattr(quota, "MAX_STORED_MIB_OF_PERSON", (stored + 100) / 2**20)
    with pytest.raises(publishing.PublishingRefused, match="Delete a problem"):
        publishing.freeze(workspace, instructor)
    monkeypatch.undo()
    version = publishing.freeze(workspace, instructor)
    monkeypatch.setattr(quota, "MAX_STORED_MIB_OF_PERSON", (stored + version.size_bytes) / 2**20)
    assert publishing.freeze(workspace, instructor) == version, "what is frozen takes no more room"
    with pytest.raises(files.NoRoom):
        files.write(workspace, instructor, run.revision.number, {"notes.md": b"more"})


def test_names_of_removed_files_do_not_add_up(workspace, instructor, monkeypatch):
    monkeypatch.setattr(files, "MOST_GONE", 3)
    for number in range(5):
        name = f"solutions/more-{number}.cu"
        files.write(workspace, instructor, workspace.revision, {name: b"//"})
        files.write(workspace, instructor, workspace.revision, {name: None})
    gone = {path for path in workspace.touched if path.startswith("solutions/more-")}
    assert gone == {f"solutions/more-{number}.cu" for number in (2, 3, 4)}
    assert "problem.toml" in workspace.touched
    with pytest.raises(files.Conflict):
        files.write(workspace, instructor, 1, {"solutions/more-4.cu": b"// mine"})


def test_a_workspace_has_so_many_comments(monkeypatch, workspace, instructor):
    monkeypatch.setattr(comments, "MOST_COMMENTS", 2)
    for _ in range(2):
        comments.comment(workspace, instructor, path="statement.md", line=None, text="Hm.")
    with pytest.raises(comments.CommentRefused, match="2 comments"):
        comments.comment(workspace, instructor, path="statement.md", line=None, text="Hm.")
    assert Comment.objects.count() == 2


def test_a_package_with_very_many_faults_tells_of_some():
    faults = Faults("mine")
    for number in range(MOST_FAULTS + 7):
        faults.add("problem.toml", f"key{number}", "is wrong; mend it")
    with pytest.raises(PackageInvalid) as refusal:
        faults.raise_any()
    assert len(refusal.value.faults) == MOST_FAULTS + 1
    assert refusal.value.faults[-1] == "problems/mine: and 7 more"


def test_people_are_served_in_turn(workspace, instructor, other, vector_add):
    """A user with many requests waits until the first request of every other user is done, of any kind."""
    mine = [runs.preview(workspace, instructor, LOOK) for _ in range(3)]
    theirs = runs.prove(workspaces.create(other, "others-own", vector_add), other)
    order = [proofs.claim("w") for _ in range(4)]
    assert order == [mine[0], theirs, mine[1], mine[2]]


def test_no_stream_of_previews_holds_a_proof_up(workspace, instructor, other, vector_add):
    proof = runs.prove(workspaces.create(other, "others-own", vector_add), other)
    preview = runs.preview(workspace, instructor, LOOK)
    ProofRun.objects.filter(pk=proof.pk).update(queued=timezone.now() - AGED - timedelta(seconds=1))
    assert proofs.claim("w") == proof
    assert proofs.claim("w") == preview


def test_what_waits_for_one_person_is_bounded(workspace, instructor):
    for _ in range(runs.MAX_RUNS_OF_PERSON):
        runs.preview(workspace, instructor, LOOK)
    with pytest.raises(runs.TooManyRuns):
        runs.prove(workspace, instructor)
    assert ProofRun.objects.filter(state=JobState.QUEUED, kind=RunKind.PREVIEW).count() == 4
