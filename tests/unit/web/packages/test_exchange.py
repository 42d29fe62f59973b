"""Tests export and import of packages, on a page and on the command line."""

from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import CommandError, call_command

from problems.archive import pack, unpack
from problems.contents import Contents, read_folder
from tests.unit.problems.packages import FILES, STATEMENT, write_package
from tests.unit.web.packages.conftest import contents, packed
from web.accounts.models import User
from web.authoring.models import Membership, Role, Workspace
from web.catalog.models import Problem
from web.packages.models import Origin, PackageVersion
from web.packages.services import load_site, publish

pytestmark = pytest.mark.django_db
ADDRESS = "/problems/scale/versions/1.zip"


def run(command: str, *arguments: object) -> str:
    out = StringIO()
    call_command(command, *map(str, arguments), stdout=out)
    return out.getvalue()


@pytest.fixture
def workspace(owner: User, teammate: User) -> Workspace:
    made = Workspace.objects.create(slug="scale", owner=owner)
    Membership.objects.create(workspace=made, user=teammate, role=Role.VIEWER)
    return made


def test_members_and_staff_download_a_version(workspace, owner, teammate, staff, browser_of):
    publish("scale", packed(), owner)
    for person in (owner, teammate, staff):
        answer = browser_of(person).get(ADDRESS)
        assert answer["Content-Type"] == "application/zip"
        assert answer["Content-Disposition"] == 'attachment; filename="scale-1.zip"'
        assert "no-store" in answer["Cache-Control"]
        assert unpack(answer.content) == contents()


def test_to_others_a_version_does_not_exist(workspace, owner, browser_of):
    publish("scale", packed(), owner)
    instructor = User.objects.create_user("instructor", is_instructor=True)
    for person in (AnonymousUser(), instructor, User.objects.create_user("learner")):
        assert browser_of(person).get(ADDRESS).status_code == 404


def test_what_came_with_the_site_is_for_staff_whatever_a_workspace_is_called(
    site, workspace, owner, staff, browser_of
):
    load_site(site)
    assert browser_of(owner).get(ADDRESS).status_code == 404
    assert browser_of(staff).get(ADDRESS).status_code == 200
    assert browser_of(staff).get("/problems/scale/versions/2.zip").status_code == 404


def test_a_problem_goes_from_one_site_to_another(site, tmp_path: Path):
    load_site(site)
    file = tmp_path / "out.zip"
    said = run("exportproblem", "scale", file)
    live = PackageVersion.objects.get()
    assert live.content_hash in said
    assert unpack(file.read_bytes()) == read_folder(site / "scale")
    Problem.objects.all().delete()
    assert "scale: version 1" in run("importproblem", file)
    made = PackageVersion.objects.get()
    assert (made.content_hash, made.origin, made.by) == (live.content_hash, Origin.AUTHOR, None)
    assert Problem.objects.get().published


def test_an_export_overwrites_nothing_unasked(site, tmp_path: Path, monkeypatch):
    load_site(site)
    monkeypatch.chdir(tmp_path)
    run("exportproblem", "scale")
    with pytest.raises(CommandError, match="--overwrite"):
        run("exportproblem", "scale")
    run("exportproblem", "scale", "--overwrite", "--number", 1)
    with pytest.raises(CommandError, match="Cannot write"):
        run("exportproblem", "scale", tmp_path / "no" / "folder.zip")
    with pytest.raises(CommandError, match="Version 9 of scale was not found"):
        run("exportproblem", "scale", "--number", 9)


def test_a_folder_is_imported_by_another_name_without_going_live(db, tmp_path: Path):
    folder = write_package(tmp_path)
    assert "mine: version 1" in run("importproblem", folder, "--slug", "mine", "--keep-live", "--note", "new")
    problem = Problem.objects.get(slug="mine")
    assert (problem.published, problem.package) == (False, None)
    assert "mine: version 1" in run("importproblem", folder, "--slug", "mine")
    problem.refresh_from_db()
    assert (problem.published, problem.package.note) == (True, "new")
    write_package(tmp_path, statement_md=f"{STATEMENT}More.\n")
    assert "mine: version 2" in run("importproblem", folder, "--slug", "mine")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"PK", "not a readable ZIP file"),
        (pack(Contents("scale", {"problem.toml": FILES["problem.toml"].encode()})), "statement.md: missing"),
    ],
)
def test_what_cannot_be_imported_is_said(db, tmp_path: Path, content, said):
    file = tmp_path / "in.zip"
    file.write_bytes(content)
    with pytest.raises(CommandError, match=said):
        run("importproblem", file)
    with pytest.raises(CommandError, match="Cannot read"):
        run("importproblem", tmp_path / "missing.zip")
    assert not Problem.objects.exists()
