"""Tests publishing of a workspace: proved files are frozen first, and go live when the author decides."""

import pytest

from judge.proof.results import Proof, to_json
from judge.report import Report
from problems.archive import pack
from problems.contents import Contents
from problems.vocabulary import Language, Mode, Verdict
from tests.conftest import new_problem
from web.accounts.models import User
from web.audit.models import AuditEntry, AuditKind
from web.authoring import queries
from web.authoring.models import Workspace, WorkspaceState
from web.authoring.problem_templates import begin
from web.authoring.queue import queue as proofs
from web.authoring.ranks import rank_changes
from web.authoring.services import files, publishing, runs, workspaces
from web.authoring.version_rights import readable_versions
from web.catalog.models import Problem
from web.packages import services as packages
from web.packages.models import Origin
from web.rejudges import rejudging
from web.rejudges.models import RejudgeState
from web.rejudges.queue import queue as hidden_runs
from web.submissions import queries as submissions
from web.submissions import services
from web.submissions.models import Submission
from web.tracks.models import PlannedEntry, Track

pytestmark = pytest.mark.django_db


def prove(workspace) -> None:
    runs.prove(workspace, workspace.owner)
    proofs.record(proofs.claim("w"), to_json(Proof(workspace.slug, "v", (), ())), holds=True)
    workspace.refresh_from_db()


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


def judged(person, problem, verdict=Verdict.WRONG_ANSWER) -> Submission:
    submission = services.submit(
        person, problem, language=Language.CUDA, source="void solve() {}", mode=Mode.SUBMIT
    )
    version = problem.version
    services.record(services.claim("w"), Report(verdict, environment={"problem_version": version}))
    return submission


def looser(workspace) -> None:
    """Another limit, proved."""
    text = queries.read_file(workspace, "problem.toml").replace(b"[limits]", b"[limits]\nmemory_mib = 512")
    files.write(workspace, workspace.owner, workspace.revision, {"problem.toml": text})
    prove(workspace)


def test_a_preview_changes_nothing_until_it_is_applied(workspace, instructor, owner):
    prove(workspace)
    publishing.publish(workspace, instructor)
    submission = judged(owner, Problem.objects.get())
    looser(workspace)
    version = publishing.freeze(workspace, instructor)
    assert [*publishing.affected(version)] == [submission]
    rejudge = publishing.preview(workspace, version, instructor)
    with pytest.raises(publishing.NothingToPreview, match="is running"):
        publishing.preview(workspace, version, instructor)
    assert not publishing.apply(workspace, rejudge, instructor)
    hidden_runs.record(hidden_runs.claim("w"), Report(Verdict.ACCEPTED))
    assert publishing.open_rejudge(version).state == RejudgeState.READY
    assert submissions.verdict_of(Submission.objects.get()) == "wrong_answer"
    assert Problem.objects.get().package != version
    assert publishing.apply(workspace, rejudge, instructor)
    assert submissions.verdict_of(Submission.objects.get()) == "accepted"
    assert Problem.objects.get().package == Submission.objects.get().package == version
    assert workspace.state == WorkspaceState.PUBLISHED
    assert publishing.open_rejudge(version) is None


def test_there_may_be_nothing_to_preview(workspace, instructor):
    prove(workspace)
    version = publishing.publish(workspace, instructor)
    with pytest.raises(publishing.NothingToPreview, match="nothing would change"):
        publishing.preview(workspace, version, instructor)


def judged_again(verdict=Verdict.ACCEPTED) -> None:
    """Judge the hidden runs that wait."""
    while claim := hidden_runs.claim("w"):
        hidden_runs.record(claim, Report(verdict))


class TestSeveralAtOnce:
    @pytest.fixture
    def live(self, workspace, instructor, owner) -> Workspace:
        """With a version that is live, and a submission that it judged."""
        prove(workspace)
        publishing.publish(workspace, instructor)
        judged(owner, Problem.objects.get())
        return workspace

    def test_a_preview_does_not_undo_what_went_live_meanwhile(self, live, instructor, staff):
        looser(live)
        second = publishing.freeze(live, instructor)
        rejudge = publishing.preview(live, second, instructor)
        files.write(live, instructor, live.revision, {"editorial.md": b"# Another\n"})
        prove(live)
        third = publishing.publish(live, staff)
        judged_again()
        assert publishing.overtaken_by(publishing.open_rejudge(second)) == third
        with pytest.raises(publishing.Overtaken, match="Version 3 went live"):
            publishing.apply(live, rejudge, instructor)
        assert Problem.objects.get().package == third
        assert submissions.verdict_of(Submission.objects.get()) == "wrong_answer"
        rejudge.refresh_from_db()
        assert rejudging.discard(rejudge, instructor)
        again = publishing.preview(live, second, instructor)
        judged_again()
        assert publishing.apply(live, again, instructor)
        assert Problem.objects.get().package == second

    def test_the_version_may_go_live_before_its_preview_is_answered(self, live, instructor):
        looser(live)
        second = publishing.freeze(live, instructor)
        rejudge = publishing.preview(live, second, instructor)
        publishing.go_live(live, second, instructor)
        judged_again()
        assert publishing.apply(live, rejudge, instructor)
        assert submissions.verdict_of(Submission.objects.get()) == "accepted"

    def test_what_kept_its_verdict_may_be_judged_by_the_live_version_later(self, live, instructor):
        looser(live)
        second = publishing.publish(live, instructor)
        assert submissions.verdict_of(Submission.objects.get()) == "wrong_answer"
        rejudge = publishing.preview(live, second, instructor)
        judged_again()
        assert publishing.apply(live, rejudge, instructor)
        assert not publishing.affected(second).exists()

    def test_what_was_judged_since_keeps_its_verdict_and_its_version(self, live, instructor):
        looser(live)
        second = publishing.freeze(live, instructor)
        rejudge = publishing.preview(live, second, instructor)
        judged_again()
        submission = Submission.objects.get()
        services.rejudge(submission)
        services.record(services.claim("w"), Report(Verdict.TIME_LIMIT))
        assert publishing.apply(live, rejudge, instructor)
        submission.refresh_from_db()
        assert submissions.verdict_of(submission) == "time_limit"
        assert submission.package.number == 1

    def test_a_program_that_is_being_judged_stays_with_its_version(self, live, instructor, owner):
        problem = Problem.objects.get()
        first = problem.package
        submission = services.submit(
            owner, problem, language=Language.CUDA, source="// late", mode=Mode.SUBMIT
        )
        claim = services.claim("w")
        looser(live)
        second = publishing.publish(live, instructor)
        services.record(claim, Report(Verdict.ACCEPTED))
        submission.refresh_from_db()
        assert (submission.package, submission.report.version) == (first, first.version)
        assert submission in publishing.affected(second)

    def test_a_preview_may_be_cancelled_while_a_program_of_it_is_judged(self, live, instructor):
        looser(live)
        rejudge = publishing.preview(live, publishing.freeze(live, instructor), instructor)
        claim = hidden_runs.claim("w")
        assert rejudging.cancel(rejudge, instructor)
        assert hidden_runs.extend_lease(claim) == services.Hold.CANCELLED
        hidden_runs.record(claim, Report(Verdict.ACCEPTED))
        rejudge.refresh_from_db()
        assert not publishing.apply(live, rejudge, instructor)
        assert hidden_runs.claim("w") is None
        assert submissions.verdict_of(Submission.objects.get()) == "wrong_answer"

    def test_nobody_archives_it_before_the_preview_is_answered(self, live, instructor):
        looser(live)
        rejudge = publishing.preview(live, publishing.freeze(live, instructor), instructor)
        with pytest.raises(workspaces.StillPreviewed, match="cancel it first"):
            workspaces.archive(live, instructor)
        rejudging.cancel(rejudge, instructor)
        workspaces.archive(live, instructor)


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


def test_ranks_before_are_those_of_the_live_version_alone(workspace, instructor, owner, teammate):
    prove(workspace)
    live = publishing.publish(workspace, instructor)
    for person in (owner, teammate):
        judged(person, Problem.objects.get(), Verdict.ACCEPTED)
    looser(workspace)
    rejudge = publishing.preview(workspace, publishing.freeze(workspace, instructor), instructor)
    judged_again()
    times = {"old_gpu_model": "H200", "gpu_model": "H200", "old_low_us": 9.0, "old_high_us": 11.0}
    rejudge.runs.update(**times, old_score_us=10.0, low_us=9.0, score_us=10.0, high_us=11.0)
    rejudge.refresh_from_db()
    assert rank_changes(rejudge) == ()
    rejudge.runs.filter(submission__user=owner).update(old_version="0" * 64, old_low_us=0.9, old_score_us=1.0)
    found = {(row.username, row.before, row.now) for row in rank_changes(rejudge)}
    assert found == {("owner", None, 1)}, "a faster time on an older version counts for no board of today"
    assert rejudge.chosen["against"] == live.number
    User.objects.filter(pk=owner.pk).update(in_rankings=False)
    assert rank_changes(rejudge) == ()


def test_staff_answer_the_preview_of_a_version_where_it_goes_live(
    workspace, instructor, owner, staff, client
):
    prove(workspace)
    publishing.publish(workspace, instructor)
    judged(owner, Problem.objects.get())
    looser(workspace)
    rejudge = publishing.preview(workspace, publishing.freeze(workspace, instructor), instructor)
    judged_again()
    client.force_login(staff)
    page = f"/author/{workspace.slug}/rejudges/{rejudge.pk}"
    assert client.get(f"/staff/rejudges/{rejudge.pk}")["Location"] == page
    client.post(f"/staff/rejudges/{rejudge.pk}/apply", {"scope": "all"})
    assert submissions.verdict_of(Submission.objects.get()) == "wrong_answer"
    assert "Make this version live?" in client.get(page).content.decode()
    assert client.post(f"{page}/apply").status_code == 302
    assert submissions.verdict_of(Submission.objects.get()) == "accepted"


def test_problems_that_ask_for_tests_cannot_run_on_personal_nodes(instructor):
    workspace = workspaces.create(instructor, "largest", begin("tests", title="Largest"))
    prove(workspace)
    publishing.publish(workspace, instructor)
    with pytest.raises(publishing.NotOnPersonalNodes, match="would get the programs under test"):
        publishing.allow_personal_nodes(workspace, instructor, allowed=True)
    assert not publishing.allow_personal_nodes(workspace, instructor, allowed=False)
