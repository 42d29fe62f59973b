"""Tests the usage report: the time of judging by class, user and node."""

import csv
from datetime import UTC, date, datetime, timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command
from django.utils import timezone

from judge.report import Report, StageTime
from problems.vocabulary import Stage, Verdict
from web.accounts.models import User
from web.staff.usage_views import PeriodForm, moments
from web.submissions import services, usage
from web.submissions.models import Report as StoredReport
from web.submissions.usage import Usage, times_of

pytestmark = pytest.mark.django_db
STAGES = tuple(StageTime(stage.value, 1000.0) for stage in Stage)


def report_of(*, gpu: bool) -> Report:
    environment = {"gpu": "NVIDIA H200", "problem_version": "1"} if gpu else {}
    return Report(Verdict.ACCEPTED, environment=environment, stages=STAGES)


def judged(handed_in, user: User, *, gpu: bool = True, worker: str = "node-1:7") -> StoredReport:
    submission = handed_in(user)
    services.record(services.claim(worker), report_of(gpu=gpu))
    return StoredReport.objects.get(submission=submission)


def period() -> tuple[datetime, datetime]:
    return timezone.now() - timedelta(hours=1), timezone.now() + timedelta(hours=1)


def test_waiting_is_no_work_and_compiling_needs_no_gpu() -> None:
    assert times_of(report_of(gpu=True)) == (4000, 2000)
    assert times_of(report_of(gpu=False)) == (0, 6000)
    assert times_of(Report(Verdict.CANCELLED)) == (0, 0)


def test_stages_of_other_versions_and_absurd_times_are_bounded() -> None:
    odd = (StageTime("of another version", 1000.0), StageTime(Stage.CHECK.value, 1e300))
    assert times_of(Report(Verdict.ACCEPTED, stages=odd)) == (0, 2**31 - 1)


def test_a_verdict_stores_its_times(handed_in, owner: User) -> None:
    report = judged(handed_in, owner)
    assert (report.gpu_ms, report.cpu_ms) == (4000, 2000)


def test_usage_is_summed_by_user_class_and_node(
    handed_in, owner: User, teammate: User, django_assert_num_queries
) -> None:
    class_a, class_b = (Group.objects.create(name=name) for name in ("CUDA 101", "CUDA 102"))
    owner.groups.set([class_a, class_b])
    judged(handed_in, owner)
    judged(handed_in, owner, worker="node-1:8")
    judged(handed_in, teammate, gpu=False, worker="node-2:1")
    with django_assert_num_queries(4):
        assert usage.total(*period()) == Usage("", 3, 8000, 10_000)
        assert usage.by_user(*period()) == [Usage("owner", 2, 8000, 4000), Usage("teammate", 1, 0, 6000)]
        assert usage.by_class(*period()) == [
            Usage("CUDA 101", 2, 8000, 4000),
            Usage("CUDA 102", 2, 8000, 4000),
            Usage("", 1, 0, 6000),
        ]
        assert usage.by_node(*period()) == [Usage("node-1", 2, 8000, 4000), Usage("node-2", 1, 0, 6000)]


def test_reports_of_older_versions_count_without_times(handed_in, owner: User) -> None:
    judged(handed_in, owner)
    StoredReport.objects.update(gpu_ms=None, cpu_ms=None)
    assert usage.by_user(*period()) == [Usage("owner", 1, 0, 0)]
    assert usage.total(*period()) == Usage("", 1, 0, 0)


def test_a_period_has_its_first_day_and_not_the_day_after_its_last(handed_in, owner: User) -> None:
    begin, end = moments(date(2026, 3, 1), date(2026, 3, 2))
    assert (begin, end) == (datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 3, tzinfo=UTC))
    judged(handed_in, owner)
    for finished, counted in ((begin, 1), (end - timedelta(microseconds=1), 1), (end, 0)):
        StoredReport.objects.update(finished=finished)
        assert usage.total(begin, end).submissions == counted


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("2026-03-02", "2026-03-01"),
        ("2024-01-01", "2026-01-01"),
        ("9999-12-31", "9999-12-31"),
        ("then", ""),
        ("0001-01-01", ""),
    ],
)
def test_periods_that_make_no_sense_are_refused(begin: str, end: str) -> None:
    assert not PeriodForm({"begin": begin, "end": end}).is_valid()


def test_the_default_is_thirty_days() -> None:
    form = PeriodForm({})
    assert form.is_valid()
    assert form.cleaned_data["end"] - form.cleaned_data["begin"] == timedelta(days=29)
    early = PeriodForm({"end": "0001-01-02"})
    assert early.is_valid()
    assert early.cleaned_data["begin"] == date.min


def test_staff_read_the_report_and_download_it(handed_in, owner: User, staff: User, browser_of) -> None:
    judged(handed_in, owner)
    browser = browser_of(staff)
    page = browser.get("/staff/usage")
    assert "4.0 GPU seconds" in page.content.decode()
    assert "owner" in page.content.decode()
    answer = browser.get("/staff/usage?csv=user")
    assert answer["Content-Type"].startswith("text/csv")
    assert list(csv.reader(StringIO(answer.content.decode())))[1] == ["owner", "1", "4.000", "2.000"]
    assert browser.get("/staff/usage?csv=other").status_code == 404
    wrong = browser.get("/staff/usage?begin=2026-03-02&end=2026-03-01")
    assert wrong.status_code == 422
    assert "Choose a period of 1 to 366 days." in wrong.content.decode()


def test_a_name_is_no_formula_in_a_spreadsheet(handed_in, owner: User, staff: User, browser_of) -> None:
    owner.groups.add(Group.objects.create(name="=1+1"))
    judged(handed_in, owner)
    answer = browser_of(staff).get("/staff/usage?csv=class").content.decode()
    assert list(csv.reader(StringIO(answer)))[1][0] == "'=1+1"


def test_the_command_prints_the_same(handed_in, owner: User) -> None:
    judged(handed_in, owner)
    out = StringIO()
    call_command("usage", "--by", "node", stdout=out)
    assert out.getvalue().split() == ["node,submissions,gpu_s,cpu_s", "node-1,1,4.000,2.000"]
    with pytest.raises(CommandError, match="366 days"):
        call_command("usage", "--from", "2020-01-01", "--to", "2026-01-01")
