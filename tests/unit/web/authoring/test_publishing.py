"""What a workspace publishes: proved files, frozen first, live when its author says so."""

import pytest

from judge.proof import Proof, to_json
from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from tests.conftest import new_problem
from web.authoring import docket, queries
from web.authoring.models import State, Workspace
from web.authoring.services import files, publishing, runs, workspaces
from web.catalog.models import Problem
from web.staff import hidden_runs
from web.staff.models import Act, ActKind, RejudgeState
from web.submissions import queries as submissions
from web.submissions import services
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db


def prove(workspace) -> None:
    runs.prove(workspace, workspace.owner)
    docket.record(docket.claim("w"), to_json(Proof(workspace.slug, "v", (), ())), holds=True)
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
    assert Workspace.objects.get().state == State.READY
    assert publishing.go_live(workspace, version, instructor)
    assert Problem.objects.get().published
    assert Workspace.objects.get().state == workspace.state == State.PUBLISHED
    assert version.content_hash == queries.present_revision(workspace).content_hash
    act = Act.objects.get(kind=ActKind.PUBLISH)
    assert (act.actor, act.target_text) == (instructor, str(version.problem))


def test_a_change_is_a_new_version(workspace, instructor):
    prove(workspace)
    first = publishing.publish(workspace, instructor)
    assert publishing.publish(workspace, instructor) == first
    statement = queries.read_file(workspace, "statement.md") + b"\nMore.\n"
    files.write(workspace, instructor, 1, {"statement.md": statement})
    assert workspace.state == State.DRAFT
    prove(workspace)
    second = publishing.publish(workspace, instructor)
    assert (first.number, second.number) == (1, 2)
    publishing.go_live(workspace, first, instructor)
    assert Workspace.objects.get().state == State.READY
    assert "More." not in Problem.objects.get().statement


def test_what_was_published_is_archived_not_deleted(workspace, instructor):
    prove(workspace)
    publishing.publish(workspace, instructor)
    with pytest.raises(workspaces.StillPublished):
        workspaces.delete(workspace)


def test_a_name_that_the_site_took_meanwhile_stays_the_sites(workspace, instructor):
    prove(workspace)
    new_problem("my-sum")
    with pytest.raises(publishing.PublishingRefused, match="of the site"):
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
    """Another tolerance, proved."""
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
    rejudge = publishing.preview(version, instructor)
    with pytest.raises(publishing.NothingToPreview, match="under way"):
        publishing.preview(version, instructor)
    assert not publishing.apply(workspace, rejudge, instructor)
    hidden_runs.record(hidden_runs.claim("w"), Report(Verdict.ACCEPTED))
    assert publishing.open_rejudge(version).state == RejudgeState.READY
    assert submissions.verdict_of(Submission.objects.get()) == "wrong_answer"
    assert Problem.objects.get().package != version
    assert publishing.apply(workspace, rejudge, instructor)
    assert submissions.verdict_of(Submission.objects.get()) == "accepted"
    assert Problem.objects.get().package == Submission.objects.get().package == version
    assert workspace.state == State.PUBLISHED
    assert publishing.open_rejudge(version) is None


def test_there_may_be_nothing_to_preview(workspace, instructor):
    prove(workspace)
    version = publishing.publish(workspace, instructor)
    with pytest.raises(publishing.NothingToPreview, match="No judged"):
        publishing.preview(version, instructor)
