"""Tests files of a workspace: writes, refusals and the history."""

from datetime import timedelta

import pytest

from web.authoring import queries
from web.authoring.models import Content, Revision, WorkspaceState
from web.authoring.services import files

pytestmark = pytest.mark.django_db


def numbers(workspace) -> list[int]:
    return [revision.number for revision in queries.list_revisions(workspace)]


def age(workspace) -> None:
    """As if the present revision had been begun long ago."""
    present = queries.present_revision(workspace)
    since = present.since - files.KEPT_EVERY - timedelta(seconds=1)
    Revision.objects.filter(pk=present.pk).update(since=since)


def test_a_write_makes_a_revision_with_what_it_changed(workspace, instructor):
    write = {"statement.md": b"# Sums", "solutions/slow.cu": b"// slow", "editorial.md": None}
    revision = files.write(workspace, instructor, 1, write, "Slow one")
    assert (workspace.revision, revision.number, revision.note) == (2, 2, "Slow one")
    assert revision.changed == {
        "statement.md": "changed",
        "solutions/slow.cu": "added",
        "editorial.md": "removed",
    }
    assert queries.read_file(workspace, "solutions/slow.cu") == b"// slow"
    assert "editorial.md" not in queries.read(workspace)
    assert queries.read_revision(revision) == queries.read(workspace)


def test_the_title_follows_the_description_even_when_it_is_broken(workspace, instructor):
    files.write(workspace, instructor, 1, {"problem.toml": b'title = "Sums"\nbroken ['})
    assert workspace.title == "Sums"
    files.write(workspace, instructor, 2, {"problem.toml": b"nothing of it"})
    assert workspace.title == "Sums"


def test_writing_what_is_there_changes_nothing(workspace, instructor):
    same = {"statement.md": queries.read_file(workspace, "statement.md"), "solutions/none.cu": None}
    assert files.write(workspace, instructor, 0, same).number == 1
    assert workspace.revision == 1


def test_two_people_who_write_the_same_file_conflict(workspace, instructor, teammate):
    files.write(workspace, instructor, 1, {"statement.md": b"mine"})
    with pytest.raises(files.Conflict) as refused:
        files.write(workspace, teammate, 1, {"statement.md": b"yours", "editorial.md": b"yours"})
    assert refused.value.revision == 2
    assert refused.value.theirs == {"statement.md": b"mine"}
    assert queries.read_file(workspace, "editorial.md") != b"yours"


def test_two_people_who_write_different_files_do_not(workspace, instructor, teammate):
    files.write(workspace, instructor, 1, {"statement.md": b"mine"})
    files.write(workspace, instructor, 2, {"statement.md": b"mine again"})  # merged with the one before
    assert files.write(workspace, teammate, 1, {"editorial.md": b"yours"}).number == 4
    assert queries.read_file(workspace, "statement.md") == b"mine again"


def test_a_file_that_somebody_removed_conflicts_too(workspace, instructor, teammate):
    files.write(workspace, instructor, 1, {"editorial.md": None})
    with pytest.raises(files.Conflict) as refused:
        files.write(workspace, teammate, 1, {"editorial.md": b"yours"})
    assert refused.value.theirs == {"editorial.md": None}


@pytest.mark.parametrize(
    "path",
    ["../problem.toml", "/etc/passwd", "a/b/c", "", "a\\b", ".git", "solutions/", "solutions/..", "ä.md"],
)
def test_a_path_that_no_package_has_is_refused(workspace, instructor, path):
    with pytest.raises(files.FilesUnacceptable):
        files.write(workspace, instructor, 1, {path: b"x"})
    assert workspace.revision == 1


def test_too_much_is_refused(workspace, instructor):
    with pytest.raises(files.FilesUnacceptable, match="at most"):
        files.write(workspace, instructor, 1, {"statement.md": b"x" * (256 * 1024 + 1)})
    with pytest.raises(files.FilesUnacceptable, match="at most"):
        files.write(workspace, instructor, 1, {f"solutions/s{n}.cu": b"x" for n in range(201)})


def test_steps_on_the_way_are_merged_and_their_contents_go(workspace, instructor):
    for number in range(1, 6):
        files.write(workspace, instructor, number, {"statement.md": b"text %d" % number})
    assert numbers(workspace) == [6, 1]
    assert queries.present_revision(workspace).changed == {"statement.md": "changed"}
    digests = {digest for revision in workspace.revisions.all() for digest in revision.tree.values()}
    assert set(Content.objects.values_list("digest", flat=True)) == digests


def test_a_file_that_is_removed_can_be_had_back(workspace, instructor):
    files.write(workspace, instructor, 1, {"solutions/new.cu": b"new"})
    files.write(workspace, instructor, 2, {"solutions/new.cu": None, "editorial.md": None})
    assert queries.present_revision(workspace).changed == {
        "solutions/new.cu": "removed",
        "editorial.md": "removed",
    }
    files.restore(workspace, instructor, 2, expected_revision=3)
    assert queries.read_file(workspace, "solutions/new.cu") == b"new"


def test_a_file_that_came_back_at_once_was_changed(workspace, instructor):
    files.write(workspace, instructor, 1, {"editorial.md": None})
    files.write(workspace, instructor, 2, {"editorial.md": b"Anew."})
    assert queries.present_revision(workspace).changed == {"editorial.md": "changed"}


def test_a_note_another_person_and_time_keep_a_revision(workspace, instructor, teammate):
    files.write(workspace, instructor, 1, {"statement.md": b"1"})
    files.write(workspace, teammate, 2, {"statement.md": b"2"})
    files.write(workspace, teammate, 3, {"statement.md": b"3"}, "Done")
    files.write(workspace, teammate, 4, {"statement.md": b"4"})
    age(workspace)
    files.write(workspace, teammate, 5, {"statement.md": b"5"})
    assert numbers(workspace) == [6, 5, 4, 2, 1]


def test_the_oldest_revisions_go(workspace, instructor, monkeypatch):
    monkeypatch.setattr(files, "KEPT_REVISIONS", 3)
    for number in range(1, 6):
        files.write(workspace, instructor, number, {"statement.md": b"%d" % number}, f"Step {number}")
    assert numbers(workspace) == [6, 5, 4]


def test_restoring_is_a_revision_of_its_own(workspace, instructor):
    before = queries.read(workspace)
    files.write(workspace, instructor, 1, {"statement.md": b"worse", "solutions/new.cu": b"new"})
    files.restore(workspace, instructor, 1, expected_revision=2)
    assert queries.read(workspace) == before
    assert numbers(workspace) == [3, 2, 1]
    assert queries.present_revision(workspace).note == "Restored revision 1"
    with pytest.raises(files.Conflict):
        files.restore(workspace, instructor, 2, expected_revision=1)


def test_what_a_workspace_is_follows_from_its_files(workspace, instructor):
    published = queries.present_revision(workspace).content_hash
    workspace.published_hash = published
    workspace.save()
    files.write(workspace, instructor, 1, {"statement.md": b"new"})
    assert workspace.state == WorkspaceState.DRAFT
    files.restore(workspace, instructor, 1, expected_revision=2)
    assert workspace.state == WorkspaceState.PUBLISHED
