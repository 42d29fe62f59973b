"""Tests publishing of a workspace: proved files are frozen first, and go live when the author decides."""

import pytest

from tests.conftest import new_problem
from tests.unit.web.authoring.publications import prove
from web.audit.models import AuditEntry, AuditKind
from web.authoring import queries
from web.authoring.models import Workspace, WorkspaceState
from web.authoring.problem_templates import begin
from web.authoring.services import files, publishing, workspaces
from web.catalog.models import Problem

pytestmark = pytest.mark.django_db


def test_what_is_not_proved_is_not_published(workspace, instructor):
    with pytest.raises(publishing.NotProved):
        publishing.publish(workspace, instructor)
    prove(workspace)
    files.write(workspace, instructor, 1, {"statement.md": b"# New\n"})
    with pytest.raises(publishing.NotProved):
        publishing.publish(workspace, instructor)
    assert not Problem.objects.exists()


def test_learners_get_what_goes_live(workspace, instructor):
    prove(workspace)
    version = publishing.freeze(workspace, instructor, note="First")
    assert not Problem.objects.get().published
    assert Workspace.objects.get().state == WorkspaceState.READY
    assert publishing.go_live(workspace, version, instructor)
    assert Problem.objects.get().published
    assert Workspace.objects.get().state == workspace.state == WorkspaceState.PUBLISHED
    assert version.content_hash == queries.present_revision(workspace).content_hash
    entry = AuditEntry.objects.get(kind=AuditKind.PUBLISH)
    assert (entry.actor, entry.target_text) == (instructor, str(version.problem))


def test_a_change_is_a_new_version(workspace, instructor):
    prove(workspace)
    first = publishing.publish(workspace, instructor)
    assert publishing.publish(workspace, instructor) == first
    statement = queries.read_file(workspace, "statement.md") + b"\nMore.\n"
    files.write(workspace, instructor, 1, {"statement.md": statement})
    assert workspace.state == WorkspaceState.DRAFT
    prove(workspace)
    second = publishing.publish(workspace, instructor)
    assert (first.number, second.number) == (1, 2)
    publishing.go_live(workspace, first, instructor)
    assert Workspace.objects.get().state == WorkspaceState.READY
    assert "More." not in Problem.objects.get().statement


def test_a_name_that_the_site_took_meanwhile_stays_the_sites(workspace, instructor):
    prove(workspace)
    new_problem("my-sum")
    with pytest.raises(publishing.PublishingRefused, match="took the name"):
        publishing.publish(workspace, instructor)


def test_a_version_of_another_problem_does_not_go_live_here(workspace, instructor):
    prove(workspace)
    version = publishing.publish(workspace, instructor)
    other = workspaces.clone(workspace, instructor, "other-sum")
    with pytest.raises(publishing.PublishingRefused):
        publishing.go_live(other, version, instructor)


def test_problems_that_ask_for_tests_cannot_run_on_personal_nodes(instructor):
    workspace = workspaces.create(instructor, "largest", begin("tests", title="Largest"))
    prove(workspace)
    publishing.publish(workspace, instructor)
    with pytest.raises(publishing.NotOnPersonalNodes, match="would get the programs under test"):
        publishing.allow_personal_nodes(workspace, instructor, allowed=True)
    assert not publishing.allow_personal_nodes(workspace, instructor, allowed=False)
