"""Tests previews: the verdicts and ranks that a new version would change."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from tests.unit.web.authoring.publications import judged, judged_again, looser, prove
from web.accounts.models import User
from web.authoring.models import Workspace, WorkspaceState
from web.authoring.ranks import rank_changes, ranks_known
from web.authoring.services import files, publishing, workspaces
from web.catalog.models import Problem
from web.rejudges import rejudging
from web.rejudges.models import HiddenRun, Rejudge, RejudgeState
from web.rejudges.queue import queue as hidden_runs
from web.submissions import queries as submissions
from web.submissions import services
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db


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

    def test_the_number_of_previews_in_a_day_is_limited(self, live, instructor, staff, monkeypatch):
        monkeypatch.setattr(publishing, "MAX_PREVIEWS_PER_DAY", 2)
        looser(live)
        version = publishing.freeze(live, instructor)
        for _ in range(2):
            rejudging.cancel(publishing.preview(live, version, instructor), instructor)
        assert not HiddenRun.objects.exists()
        with pytest.raises(publishing.TooManyPreviews, match=r"You can start another one in 2\d"):
            publishing.preview(live, version, instructor)
        rejudging.cancel(publishing.preview(live, version, staff), staff)
        Rejudge.objects.update(created=timezone.now() - timedelta(days=1))
        assert publishing.preview(live, version, instructor)

    def test_nothing_is_said_about_ranks_once_its_runs_are_deleted(self, live, instructor, browser_of):
        looser(live)
        rejudge = publishing.preview(live, publishing.freeze(live, instructor), instructor)
        judged_again()
        rejudging.discard(rejudge, instructor)
        rejudge.refresh_from_db()
        assert ranks_known(rejudge)
        HiddenRun.objects.all().delete()
        assert not ranks_known(rejudge)
        page = browser_of(instructor).get(f"/author/my-sum/rejudges/{rejudge.pk}").content.decode()
        assert "Its results were deleted" in page

    def test_nobody_archives_it_before_the_preview_is_answered(self, live, instructor):
        looser(live)
        rejudge = publishing.preview(live, publishing.freeze(live, instructor), instructor)
        with pytest.raises(workspaces.StillPreviewed, match="cancel it first"):
            workspaces.archive(live, instructor)
        rejudging.cancel(rejudge, instructor)
        workspaces.archive(live, instructor)


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
    assert f'href="{page}/apply"' in client.get(page).content.decode()
    question = client.get(f"{page}/apply").content.decode()
    assert "Make version 2 live?" in question
    assert "Changed verdicts: 1." in question
    assert "Discard this preview?" in client.get(f"{page}/discard").content.decode()
    assert submissions.verdict_of(Submission.objects.get()) == "wrong_answer"
    assert client.post(f"{page}/apply").status_code == 302
    assert submissions.verdict_of(Submission.objects.get()) == "accepted"
