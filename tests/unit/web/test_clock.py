"""Tests the database's clock: it is independent of a process's clock, and compares with stored times."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from web.site.clock import DatabaseNow, read_clock
from web.submissions.models import Job

pytestmark = pytest.mark.django_db


def test_it_tells_the_time():
    before = datetime.now(UTC) - timedelta(milliseconds=2)
    assert before <= read_clock() <= datetime.now(UTC) + timedelta(milliseconds=2)


def test_it_goes_on_within_a_transaction():
    first = read_clock()
    while read_clock() == first:
        pass
    assert read_clock() > first


def test_what_it_wrote_compares_with_what_python_wrote(owner, handed_in):
    handed_in(owner)
    Job.objects.update(queued=DatabaseNow() - timedelta(seconds=30))
    now = timezone.now()
    assert Job.objects.filter(queued__lt=now - timedelta(seconds=29)).exists()
    assert not Job.objects.filter(queued__lt=now - timedelta(seconds=31)).exists()
    stored = Job.objects.get().queued
    assert stored.utcoffset() == timedelta(0)
    assert timedelta(seconds=29) < now - stored < timedelta(seconds=31)


@pytest.mark.parametrize("microsecond", [0, 1, 500_000, 999_999])
def test_stored_times_compare_with_it_whatever_their_fraction(owner, handed_in, microsecond):
    handed_in(owner)
    Job.objects.update(queued=(timezone.now() - timedelta(seconds=2)).replace(microsecond=microsecond))
    assert Job.objects.filter(queued__lt=DatabaseNow()).exists()
    assert not Job.objects.filter(queued__lt=DatabaseNow() - timedelta(seconds=5)).exists()
    assert Job.objects.filter(queued__gt=DatabaseNow() - timedelta(seconds=5)).exists()


def test_a_processs_own_clock_changes_nothing(monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: datetime(2001, 1, 1, tzinfo=UTC))
    assert read_clock().year > 2001
