"""Tests names of workspaces that the site takes for its own problems."""

import pytest

from problems.archive import pack
from problems.contents import Contents
from tests.conftest import new_problem
from tests.unit.web.authoring.publications import judged, looser, prove
from web.authoring.models import Workspace
from web.authoring.services import publishing, workspaces
from web.authoring.version_rights import readable_versions
from web.catalog.models import Problem
from web.packages import services as packages
from web.packages.models import Origin
from web.rejudges import rejudging
from web.submissions.models import Submission
from web.tracks.models import PlannedEntry, Track

pytestmark = pytest.mark.django_db


class TestNameOfTheSite:
    """A folder of the site takes the name of a workspace, whose members must learn nothing of it."""

    @pytest.fixture
    def ship(self, vector_add, tmp_path):
        """Load a folder of the site with a name, as a deployment does."""

        def load(slug: str, reference: bytes) -> Problem:
            folder = tmp_path / "problems" / slug
            for path, data in {**vector_add, "reference.py": reference}.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(data)
            packages.load_site(tmp_path / "problems")
            return Problem.objects.get()

        return load

    @pytest.fixture
    def taken(self, workspace, vector_add, ship) -> Workspace:
        text = vector_add["reference.py"] + b"\n# the-sites-reference\n"
        problem = ship(workspace.slug, text)
        assert problem.package.origin == Origin.SITE
        return workspace

    def test_no_page_shows_it(self, taken, instructor, staff, browser_of):
        for path in ("publish", "versions/1"):
            address = f"/author/{taken.slug}/{path}"
            assert "the-sites-reference" not in browser_of(instructor).get(address).content.decode()
            assert "the-sites-reference" in browser_of(staff).get(address).content.decode()
        text = browser_of(instructor).get(f"/author/{taken.slug}/publish").content.decode()
        assert "took the name" in text
        assert browser_of(instructor).get(f"/problems/{taken.slug}/versions/1.zip").status_code == 404

    def test_nobody_publishes_previews_or_withdraws_it(self, taken, instructor, owner):
        site = Problem.objects.get().package
        judged(owner, Problem.objects.get())
        for refused in (
            lambda: publishing.go_live(taken, site, instructor),
            lambda: publishing.preview(taken, site, instructor),
            lambda: publishing.archive(taken, site, instructor),
            lambda: publishing.withdraw(taken, instructor),
        ):
            with pytest.raises(publishing.NotFromHere):
                refused()
        assert Problem.objects.get().published

    def test_an_earlier_version_of_an_author_does_not_take_it_over(
        self, workspace, instructor, owner, staff, vector_add, ship
    ):
        prove(workspace)
        early = publishing.freeze(workspace, instructor)
        problem = ship(workspace.slug, vector_add["reference.py"] + b"\n")
        assert problem.published
        assert problem.package.origin == Origin.SITE
        judged(owner, problem)
        looser(workspace)
        for refused in (
            lambda: publishing.go_live(workspace, early, instructor),
            lambda: publishing.preview(workspace, early, instructor),
            lambda: publishing.freeze(workspace, instructor),
            lambda: publishing.publish(workspace, instructor),
        ):
            with pytest.raises(publishing.NameTaken, match="Copy this problem"):
                refused()
        problem.refresh_from_db()
        assert problem.package.origin == Origin.SITE
        assert publishing.go_live(workspace, early, staff)

    def test_an_author_who_froze_the_files_of_the_site_does_not_own_it(
        self, workspace, instructor, vector_add, ship
    ):
        prove(workspace)
        early = publishing.freeze(workspace, instructor)
        assert ship(workspace.slug, vector_add["reference.py"]).package == early
        looser(workspace)
        with pytest.raises(publishing.NameTaken):
            publishing.publish(workspace, instructor)

    def test_a_problem_without_versions_is_not_an_authors(self, workspace, instructor):
        new_problem(workspace.slug)
        prove(workspace)
        with pytest.raises(publishing.NameTaken):
            publishing.freeze(workspace, instructor)

    def test_what_the_operator_imported_is_not_replaced(self, workspace, instructor, vector_add):
        other = {**vector_add, "reference.py": vector_add["reference.py"] + b"\n"}
        packages.publish(workspace.slug, pack(Contents(workspace.slug, other)), None)
        prove(workspace)
        with pytest.raises(publishing.NameTaken):
            publishing.publish(workspace, instructor)

    def test_planned_names_are_the_sites(self, instructor, staff, vector_add):
        track = Track.objects.create(slug="days", title="Days", summary="Days")
        PlannedEntry.objects.create(track=track, position=1, slug="planned", title="Planned", summary="Later")
        with pytest.raises(workspaces.SlugTaken, match="plans a problem named planned"):
            workspaces.create(instructor, "planned", vector_add)
        assert workspaces.create(staff, "planned", vector_add)

    def test_a_name_that_is_planned_later_is_the_sites(self, workspace, instructor):
        prove(workspace)
        track = Track.objects.create(slug="days", title="Days", summary="Days")
        planned = PlannedEntry(track=track, position=1, slug=workspace.slug, title="Planned", summary="Later")
        planned.save()
        with pytest.raises(publishing.NameTaken, match="plans a problem named"):
            publishing.publish(workspace, instructor)
        planned.delete()
        publishing.publish(workspace, instructor)
        planned.pk = None
        planned.save()
        looser(workspace)
        publishing.publish(workspace, instructor)  # learners have this problem already

    def test_previews_of_it_are_staffs(self, taken, instructor, staff, owner, browser_of):
        judged(owner, Problem.objects.get())
        site = Problem.objects.get().package
        rejudge = rejudging.start(staff, Submission.objects.all(), reason="x", chosen={}, package=site)
        address = f"/author/{taken.slug}/rejudges/{rejudge.pk}"
        assert browser_of(instructor).get(address).status_code == 404
        assert browser_of(staff).get(address).status_code == 200

    def test_what_was_imported_on_the_command_line_is_the_operators(self, workspace, instructor, vector_add):
        packages.publish(workspace.slug, pack(Contents(workspace.slug, vector_add)), None)
        version = Problem.objects.get().package
        assert readable_versions(instructor, workspace).get() == version  # the very files of the workspace
        other = {**vector_add, "reference.py": vector_add["reference.py"] + b"\n"}
        packages.publish(workspace.slug, pack(Contents(workspace.slug, other)), None)
        assert readable_versions(instructor, workspace).get() == version
