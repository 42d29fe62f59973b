"""Limits of GPU time: for each learner, a user, a class and a node."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.utils import timezone

from judge.report import Report, StageTime
from problems.vocabulary import Stage, Verdict
from sandbox.gpu.fake_nvml import fake_gpu
from web.accounts.models import User
from web.audit.models import AuditEntry
from web.fleet import services as fleet
from web.fleet.models import Node
from web.quotas.models import Quota
from web.quotas.queries import list_quotas
from web.quotas.services import remove_quota, set_quota
from web.submissions import gpu_time, services
from web.submissions.gpu_time import node_used_up, tightest
from web.submissions.models import Submission
from web.submissions.services import LimitReached
from worker import judging
from worker.shutdown import GracefulShutdown

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _sums_of_classes_are_not_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_time, "CLASS_SUM_KEPT_S", 0)


@pytest.fixture
def a_gpu(db) -> None:
    fleet.record_inventory("node-1", {}, [fake_gpu(0)])
    cache.clear()


@pytest.fixture
def class_a(owner: User, teammate: User) -> Group:
    group = Group.objects.create(name="CUDA 101")
    group.user_set.set([owner, teammate])
    return group


def limit(settings, gpu_s: int) -> None:
    settings.WARPCOURT = replace(settings.WARPCOURT, gpu_seconds_per_day=gpu_s)


def quota(owner: User | Group | Node, gpu_s: int) -> Quota:
    found = set_quota(owner, gpu_s, None)
    cache.clear()
    return found


def use(handed_in, user: User, gpu_s: float) -> Submission:
    """Have a submission judged on a GPU for some seconds."""
    submission = handed_in(user)
    report = Report(
        Verdict.ACCEPTED,
        environment={"gpu": "NVIDIA H200", "problem_version": "1"},
        stages=(StageTime(Stage.CHECK.value, gpu_s * 1000),),
    )
    services.record(services.claim("node-1:1", gpu_models=[fake_gpu(0).model]), report)
    return submission


def test_without_limits_the_database_is_not_asked(owner: User, django_assert_num_queries) -> None:
    assert tightest(owner) is None
    with django_assert_num_queries(0):
        assert tightest(owner) is None


@pytest.mark.usefixtures("a_gpu")
def test_a_learner_at_the_limit_reads_when_it_ends(handed_in, owner: User, teammate: User, settings) -> None:
    limit(settings, 10)
    use(handed_in, owner, 9)
    use(handed_in, owner, 3)  # the last one may exceed the limit
    with pytest.raises(
        LimitReached, match=r"You have used 12 of 10 GPU seconds today\. .* at 00:00 UTC, in "
    ):
        handed_in(owner)
    handed_in(teammate)


def test_what_a_cpu_judges_needs_no_gpu_time(handed_in, owner: User, settings) -> None:
    limit(settings, 1)
    use(handed_in, owner, 5)
    handed_in(owner)


@pytest.mark.usefixtures("a_gpu")
def test_the_count_begins_again_at_midnight(handed_in, owner: User, settings, monkeypatch) -> None:
    limit(settings, 10)
    submission = use(handed_in, owner, 11)
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
    monkeypatch.setattr("web.submissions.gpu_time.timezone.now", lambda: noon)
    Submission.objects.filter(pk=submission.pk).update(created=noon.replace(hour=0))
    now = tightest(owner)
    assert now is not None
    assert now.used_up
    assert now.resets == datetime(2026, 3, 3, tzinfo=UTC)
    Submission.objects.filter(pk=submission.pk).update(
        created=noon.replace(hour=0) - timedelta(microseconds=1)
    )
    before = tightest(owner)
    assert before is not None
    assert before.used_s == 0


@pytest.mark.usefixtures("a_gpu")
def test_a_class_shares_its_limit(handed_in, owner: User, teammate: User, class_a: Group) -> None:
    quota(class_a, 10)
    use(handed_in, owner, 6)
    use(handed_in, teammate, 5)
    for user in (owner, teammate):
        with pytest.raises(LimitReached, match=r"Your class CUDA 101 has used 11 of 10 GPU seconds today\."):
            handed_in(user)


@pytest.mark.usefixtures("a_gpu")
def test_the_sum_of_a_class_is_cached(
    handed_in, owner: User, class_a: Group, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries
) -> None:
    monkeypatch.setattr(gpu_time, "CLASS_SUM_KEPT_S", 60)
    quota(class_a, 10)
    tightest(owner)
    use(handed_in, owner, 6)
    with django_assert_num_queries(1):  # the limits
        now = tightest(owner)
    assert now is not None
    assert now.used_s == 0


@pytest.mark.usefixtures("a_gpu")
def test_instructors_and_staff_have_no_limit(
    handed_in, owner: User, teammate: User, staff: User, class_a: Group, settings
) -> None:
    limit(settings, 1)
    User.objects.filter(pk=teammate.pk).update(is_instructor=True)
    teammate.refresh_from_db()
    quota(class_a, 1)
    use(handed_in, teammate, 100)
    use(handed_in, staff, 100)
    assert tightest(teammate) is None
    assert tightest(staff) is None
    assert not tightest(owner).used_up  # what instructors use does not count towards the class


def test_the_limit_of_a_user_replaces_the_setting(owner: User, settings) -> None:
    limit(settings, 10)
    known = quota(owner, 20)
    assert tightest(owner).limit_s == 20
    quota(owner, 0)
    assert tightest(owner) is None
    remove_quota(known, None)
    cache.clear()
    assert tightest(owner).limit_s == 10
    kinds = list(AuditEntry.objects.order_by("pk").values_list("kind", flat=True))
    assert kinds == ["quota.set", "quota.set", "quota.remove"]


@pytest.mark.usefixtures("a_gpu")
def test_a_learner_sees_the_tightest_limit_before_it_bites(
    handed_in, owner: User, class_a: Group, settings, browser_of, problem
) -> None:
    limit(settings, 100)
    quota(class_a, 20)
    use(handed_in, owner, 4)
    page = browser_of(owner).get(f"/problems/{problem.slug}").content.decode()
    assert "Your class CUDA 101 has used 4 of 20 GPU seconds today." in page


def test_staff_set_and_remove_limits(owner: User, staff: User, class_a: Group, browser_of) -> None:
    browser = browser_of(staff)

    def send(**fields: object):
        token = {"csrfmiddlewaretoken": _token(browser)}
        return browser.post("/staff/quotas", {"gpu_s_per_day": 60, **token, **fields})

    assert send(person="owner").status_code == 302
    assert send(group=class_a.pk).status_code == 302
    node = Node.objects.create(name="node-7")
    assert send(node=node.pk).status_code == 302
    assert send(node=node.pk, gpu_s_per_day=0).status_code == 422
    assert send(node=node.pk, group=class_a.pk).status_code == 422
    page = browser.get("/staff/quotas").content.decode()
    assert "CUDA 101" in page
    assert "node-7" in page
    assert Quota.objects.count() == 3
    for wrong in ({}, {"person": "nobody-here"}, {"person": "owner", "group": class_a.pk}):
        assert send(**wrong).status_code == 422
    assert send(group=class_a.pk, gpu_s_per_day=0).status_code == 422
    assert send(person="owner", gpu_s_per_day=-1).status_code == 422
    quota_of_owner = Quota.objects.get(user=owner)
    token = {"csrfmiddlewaretoken": _token(browser)}
    assert browser.post(f"/staff/quotas/{quota_of_owner.pk}/remove", token).status_code == 302
    assert not Quota.objects.filter(user=owner).exists()


@pytest.mark.usefixtures("a_gpu")
def test_a_node_that_has_given_its_time_takes_no_jobs_until_midnight(
    handed_in, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = Node.objects.get(name="node-1")
    assert not node_used_up("node-1")
    known = quota(node, 10)
    use(handed_in, owner, 9)
    assert not node_used_up("node-1")
    use(handed_in, owner, 3)
    cache.clear()
    assert node_used_up("node-1")
    assert not node_used_up("node-10")
    taken: list[object] = []
    monkeypatch.setattr(judging, "node_name", lambda: "node-1")
    monkeypatch.setattr(judging, "_take_next", taken.append)
    monkeypatch.setattr(judging, "close_old_connections", lambda: None)  # the test's transaction goes on
    handle = SimpleNamespace(judge=SimpleNamespace)
    judging.judge_next(handle, GracefulShutdown())  # type: ignore[arg-type]
    assert not taken
    tomorrow = timezone.now() + timedelta(days=1)
    with monkeypatch.context() as later:
        later.setattr("web.submissions.gpu_time.timezone.now", lambda: tomorrow)
        assert not node_used_up("node-1")
    remove_quota(known, None)
    cache.clear()
    judging.judge_next(handle, GracefulShutdown())  # type: ignore[arg-type]
    assert len(taken) == 1


@pytest.mark.usefixtures("a_gpu")
def test_limits_are_listed_alike_on_all_databases(owner: User, teammate: User, class_a: Group) -> None:
    """PostgreSQL sorts NULL last, and SQLite first. CI runs this on both."""
    node = Node.objects.get(name="node-1")
    for each in (node, class_a, teammate, owner):
        set_quota(each, 60, None)
    assert [(row.kind, row.owner) for row in list_quotas()] == [
        ("user", "owner"),
        ("user", "teammate"),
        ("class", "CUDA 101"),
        ("node", "node-1"),
    ]


def _token(browser) -> str:
    browser.get("/staff/quotas")
    return browser.cookies["csrftoken"].value
