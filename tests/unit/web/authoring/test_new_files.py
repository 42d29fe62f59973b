"""Tests new and deleted files on the tab of files."""

import pytest

from web.authoring import queries
from web.authoring.models import Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def author(client, instructor):
    client.force_login(instructor)
    return client


@pytest.fixture
def at(workspace):
    return lambda place: f"/author/{workspace.slug}/{place}"


@pytest.fixture
def create(author, at, workspace):
    """Ask for a new file with that name."""
    return lambda path: author.post(at("new-file"), {"expected": workspace.revision, "path": path})


def test_a_program_under_test_is_created_and_edited(author, at, create, workspace):
    assert f'href="{at("new-file")}"' in author.get(at("files")).content.decode()
    assert "New file" in author.get(at("new-file")).content.decode()
    assert create("programs/off-by-one.py").url == at("files/programs/off-by-one.py")
    workspace.refresh_from_db()
    assert queries.read(workspace)["programs/off-by-one.py"] == b""
    page = author.get(at("files/programs/off-by-one.py"))
    assert "is empty; write it or delete it" in page.content.decode()
    author.post(page.request["PATH_INFO"], {"expected": workspace.revision, "text": "def f(): ...\r\n"})
    assert queries.read(workspace)["programs/off-by-one.py"] == b"def f(): ...\n"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../outside", "is not a valid file name in a package"),
        ("a/b/c", "is nested too deeply"),
        ("solutions", "is both a file and a folder"),
        ("Statement.md", "are the same file on some systems"),
        ("statement.md", "statement.md already exists."),
        ("figures/a.svg", "Upload figures on the tab Statement."),
        ("__pycache__/a.py", "Packages ignore files with this name."),
        ("", "This field is required."),
    ],
)
def test_a_name_that_a_package_cannot_have_is_refused(create, workspace, path, reason):
    answer = create(path)
    assert answer.status_code == 422
    assert reason in answer.content.decode()
    workspace.refresh_from_db()
    assert workspace.revision == 1


@pytest.mark.parametrize("headers", [{}, {"Accept": "application/json"}])
def test_an_empty_text_deletes_no_file(author, at, workspace, headers):
    author.post(at("files/editorial.md"), {"expected": 1, "text": ""}, headers=headers)
    assert queries.read(workspace)["editorial.md"] == b""


def test_a_file_is_deleted_after_a_confirmation(author, at, workspace):
    assert f'href="{at("delete-file/editorial.md")}"' in author.get(at("files/editorial.md")).content.decode()
    assert "Delete editorial.md?" in author.get(at("delete-file/editorial.md")).content.decode()
    assert "editorial.md" in queries.read(workspace)
    assert author.post(at("delete-file/editorial.md"), {"expected": 1}).url == at("files")
    assert "editorial.md" not in queries.read(workspace)
    assert author.get(at("delete-file/editorial.md")).status_code == 404


def test_a_file_that_another_user_changed_is_not_deleted(author, at, workspace):
    author.post(at("files/editorial.md"), {"expected": 1, "text": "A new text.\n"})
    answer = author.post(at("delete-file/editorial.md"), {"expected": 1})
    assert answer.status_code == 409
    assert queries.read(workspace)["editorial.md"] == b"A new text.\n"


@pytest.mark.parametrize("place", ["new-file", "delete-file/editorial.md"])
def test_viewers_create_and_delete_no_files(client, member, at, place):
    client.force_login(member(Role.VIEWER))
    assert "New file" not in client.get(at("files")).content.decode()
    assert "Delete file" not in client.get(at("files/editorial.md")).content.decode()
    assert client.get(at(place)).status_code == 403
