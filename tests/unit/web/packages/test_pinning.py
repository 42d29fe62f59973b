"""Tests that submissions keep the version for which they were made until they are rejudged."""

import pytest

from judge.report import Report
from problems.vocabulary import Language, Verdict
from tests.unit.problems.packages import STATEMENT
from tests.unit.web.packages.conftest import MORE_CASES, packed
from web.packages.models import PackageVersion
from web.packages.services import freeze, go_live, publish
from web.rejudges import rejudging
from web.rejudges.queue import queue as hidden_runs
from web.submissions import services
from web.submissions.models import Report as StoredReport
from web.submissions.models import Submission
from worker.packages import folder_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def first(site, staff) -> PackageVersion:
    return publish("scale", packed(), staff)


def hand_in(user, version: PackageVersion) -> Submission:
    version.problem.refresh_from_db()
    return services.submit(user, version.problem, language=Language.CUDA, source="// mine")


def judge_all(queue=services) -> list[PackageVersion | None]:
    """Judge what waits; the versions that it was judged by."""
    judged = []
    while claim := queue.claim("w"):
        judged.append(claim.submission.package)
        queue.record(claim, Report(Verdict.ACCEPTED))
    return judged


def test_a_submission_is_judged_by_the_version_that_it_was_handed_in_to(first, owner, staff):
    submission = hand_in(owner, first)
    second = publish("scale", packed(problem_toml=MORE_CASES), staff)
    later = hand_in(owner, second)
    assert (submission.package, later.package) == (first, second)
    assert folder_of(submission).parent.name == first.content_hash
    assert folder_of(later).parent.name == second.content_hash
    assert judge_all() == [first, second]
    versions = StoredReport.objects.order_by("submission_id").values_list("version", flat=True)
    assert list(versions) == [first.version, second.version]


def test_judged_again_it_moves_to_the_live_version(first, owner, staff):
    submission = hand_in(owner, first)
    judge_all()
    second = publish("scale", packed(problem_toml=MORE_CASES), staff)
    services.rejudge(submission)
    assert judge_all() == [second]
    submission.refresh_from_db()
    assert submission.package == second
    assert submission.report.version == second.version


def test_one_from_before_there_were_versions_is_judged_by_the_live_one(first, owner):
    submission = hand_in(owner, first)
    Submission.objects.update(package=None)
    submission.refresh_from_db()
    assert folder_of(submission).parent.name == first.content_hash


def test_a_preview_judges_by_a_version_that_is_not_live(first, owner, staff):
    submission = hand_in(owner, first)
    judge_all()
    second = freeze("scale", packed(problem_toml=MORE_CASES), staff)
    rejudge = rejudging.start(staff, Submission.objects.all(), reason="more cases", chosen={}, package=second)
    assert judge_all(hidden_runs) == [second]
    submission.refresh_from_db()
    assert (submission.package, submission.report.version) == (first, first.version)
    assert rejudge.runs.get().version == second.version
    rejudge.refresh_from_db()
    assert rejudge.package == second
    go_live(second, staff)
    assert rejudging.apply(rejudge, staff)
    submission.refresh_from_db()
    assert (submission.package, submission.report.version) == (second, second.version)


def test_a_discarded_preview_leaves_the_version_as_it_was(first, owner, staff):
    submission = hand_in(owner, first)
    judge_all()
    second = freeze("scale", packed(problem_toml=MORE_CASES), staff)
    rejudge = rejudging.start(staff, Submission.objects.all(), reason="more cases", chosen={}, package=second)
    judge_all(hidden_runs)
    rejudge.refresh_from_db()
    assert rejudging.discard(rejudge, staff)
    submission.refresh_from_db()
    assert (submission.package, submission.report.version) == (first, first.version)


def test_any_other_rejudge_is_by_the_version_that_was_live_when_it_began(first, owner, staff):
    hand_in(owner, first)
    judge_all()
    second = publish("scale", packed(problem_toml=MORE_CASES), staff)
    rejudging.start(staff, Submission.objects.all(), reason="again", chosen={})
    publish("scale", packed(statement_md=f"{STATEMENT}more\n"), staff)
    assert judge_all(hidden_runs) == [second]
