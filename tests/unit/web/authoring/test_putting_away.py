"""Tests archiving of versions, withdrawing and archiving of problems, and deleting of workspaces."""

import pytest

from tests.unit.web.authoring.publications import looser, prove
from web.audit.models import AuditEntry, AuditKind
from web.authoring import queries, versions
from web.authoring.services import publishing, workspaces
from web.catalog.models import Problem
from web.packages.models import PackageVersion
from web.site import paging

pytestmark = pytest.mark.django_db


def test_what_was_published_is_archived_not_deleted(workspace, instructor):
    prove(workspace)
    publishing.publish(workspace, instructor)
    with pytest.raises(workspaces.StillPublished):
        workspaces.delete(workspace, instructor)


class TestPuttingAway:
    def test_a_version_that_is_not_live(self, workspace, instructor):
        prove(workspace)
        first = publishing.publish(workspace, instructor)
        with pytest.raises(publishing.PublishingRefused, match="is live"):
            publishing.archive(workspace, first, instructor)
        looser(workspace)
        publishing.publish(workspace, instructor)
        publishing.archive(workspace, first, instructor)
        publishing.archive(workspace, first, instructor)
        page = versions.publishing(workspace, instructor)
        assert [version.number for version in page.versions] == [2]
        assert page.archived == (first,)
        publishing.archive(workspace, first, instructor, archived=False)
        assert versions.publishing(workspace, instructor).archived == ()
        entries = AuditEntry.objects.filter(kind__startswith="version.").order_by("pk")
        assert [entry.kind for entry in entries] == [AuditKind.VERSION_ARCHIVE, AuditKind.VERSION_RETURN]

    def test_versions_come_in_pages(self, workspace, instructor, browser_of, monkeypatch):
        monkeypatch.setattr(paging, "ROWS", 1)
        prove(workspace)
        version = publishing.publish(workspace, instructor)
        for number in (11, 12, 21, 22):
            version.pk, version.number, version.content_hash = None, number, f"{number:064}"
            version.archived = number > 20
            version.save()
        browser = browser_of(instructor)
        page = browser.get(f"/author/{workspace.slug}/publish").content.decode()
        assert 'href="?before=12#versions"' in page
        assert 'href="?archived=22#archived"' in page
        assert 'id="archived">' in page
        page = browser.get(f"/author/{workspace.slug}/publish?before=12&archived=22").content.decode()
        assert 'href="?before=11#versions"' in page
        assert f'href="/author/{workspace.slug}/versions/21"' in page
        assert 'href="?archived=' not in page
        assert 'id="archived" open>' in page

    def test_an_archived_version_that_goes_live_is_back(self, workspace, instructor):
        prove(workspace)
        first = publishing.publish(workspace, instructor)
        looser(workspace)
        publishing.publish(workspace, instructor)
        publishing.archive(workspace, first, instructor)
        first.refresh_from_db()
        publishing.go_live(workspace, first, instructor)
        assert not PackageVersion.objects.filter(archived=True).exists()

    def test_its_owner_withdraws_a_problem_and_shows_it_again(self, workspace, instructor):
        assert not publishing.withdraw(workspace, instructor)
        prove(workspace)
        publishing.publish(workspace, instructor)
        assert publishing.withdraw(workspace, instructor)
        assert not publishing.withdraw(workspace, instructor)
        assert not Problem.objects.get().published
        looser(workspace)
        publishing.publish(workspace, instructor)
        assert not Problem.objects.get().published
        assert publishing.show_again(workspace, instructor)
        assert Problem.objects.get().published

    def test_what_staff_withdrew_only_staff_show_again(self, workspace, instructor, staff):
        prove(workspace)
        publishing.publish(workspace, instructor)
        publishing.withdraw(workspace, staff)
        with pytest.raises(publishing.PublishingRefused, match="Staff hid"):
            publishing.show_again(workspace, instructor)
        assert publishing.show_again(workspace, staff)

    def test_what_nobody_saw_goes_with_its_workspace_and_frees_the_name(self, workspace, instructor):
        prove(workspace)
        publishing.freeze(workspace, instructor)
        content = queries.read(workspace)
        workspaces.delete(workspace, instructor)
        assert not Problem.objects.exists()
        assert workspaces.create(instructor, "my-sum", content).slug == "my-sum"


def test_versions_and_the_whole_are_put_away_by_pages_and_api(workspace, instructor, client):
    prove(workspace)
    publishing.publish(workspace, instructor)
    looser(workspace)
    publishing.publish(workspace, instructor)
    client.force_login(instructor)
    pages = f"/author/{workspace.slug}"
    client.post(f"{pages}/versions/1/archive")
    assert "Archived versions" in client.get(f"{pages}/publish").content.decode()
    client.post(f"{pages}/versions/2/archive")
    assert not PackageVersion.objects.get(number=2).archived
    client.post(f"{pages}/publish/withdraw", {"how": "withdraw"})
    assert 'value="show"' in client.get(f"{pages}/publish").content.decode()
    assert not Problem.objects.get().published
    api = f"/api/v1/author/workspaces/{workspace.slug}"
    ask = {"content_type": "application/json"}
    assert client.post(f"{api}/withdraw", **ask).status_code == 409
    assert client.post(f"{api}/show", **ask).status_code == 204
    assert Problem.objects.get().published
    assert client.post(f"{api}/versions/1/take-back", **ask).json()["archived"] is False
    assert client.post(f"{api}/versions/2/archive", **ask).status_code == 409
