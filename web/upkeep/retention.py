"""Deletes outdated rows while the site is in use.

Theory of operation. Each transaction deletes up to a thousand rows, so that other queries do not wait long
and an interrupted run keeps its progress. Submissions, reports, drafts and posts are never deleted here; they
stay until their author deletes them. This module deletes:

- progress events of submissions that have a verdict, after `events_kept_days`. Browsers need them only during
  judging; the report has the result. Keys grow with time, so the scan stops at the first young batch;
- expired sessions, and allauth's records of their browsers;
- expired invitations of nodes;
- notifications, read or not, after 90 days, with their unsent emails;
- replays of runs, after 30 days. A user can run the program again;
- files of Nsight Compute about profiled runs, after 7 days;
- hidden runs of a rejudge, 7 days after it was cancelled or discarded, or 90 days after it was applied. A
  rejudge that is ready, but neither applied nor discarded 90 days after its start, is discarded. The rejudge
  itself stays, and the audit log has what staff did;
- earlier revisions of drafts that were not saved since. Saving a draft deletes its own old revisions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.utils import timezone

from web.drafts.models import DraftRevision
from web.drafts.services import KEPT_FOR
from web.fleet.models import NodeInvitation
from web.jobs.models import JobState
from web.notifications.models import Notification
from web.notifications.services import KEPT_FOR as NOTIFICATIONS_KEPT_FOR
from web.rejudges import rejudging
from web.rejudges.models import HiddenRun, Rejudge, RejudgeState
from web.submissions.models import Event, ProfileReport, Replay
from web.submissions.services.attachments import PROFILE_REPORT_DAYS

BATCH = 1000
_REPLAYS_KEPT_FOR = timedelta(days=30)
_HIDDEN_RUNS_KEPT_FOR = {
    RejudgeState.CANCELLED: timedelta(days=7),
    RejudgeState.DISCARDED: timedelta(days=7),
    RejudgeState.APPLIED: timedelta(days=90),
}
_REJUDGES_WAIT_FOR = timedelta(days=90)
_PROFILE_REPORTS_KEPT_FOR = timedelta(days=PROFILE_REPORT_DAYS)


@dataclass(frozen=True, slots=True)
class Pruned:
    """Numbers of deleted rows."""

    events: int
    sessions: int
    revisions: int
    notifications: int = 0
    replays: int = 0
    profile_reports: int = 0
    hidden_runs: int = 0


def prune(events_kept_days: int, now: datetime | None = None) -> Pruned:
    """Delete outdated rows. With 0 days, progress events are never deleted."""
    now = now or timezone.now()
    live = Session.objects.filter(session_key=OuterRef("session_key"))
    events = _prune_events(now - timedelta(days=events_kept_days)) if events_kept_days else 0
    sessions = _delete(Session.objects.filter(expire_date__lt=now))
    _delete(UserSession.objects.filter(~Exists(live)))
    _delete(NodeInvitation.objects.filter(expires__lte=now))
    revisions = _delete(DraftRevision.objects.filter(saved__lt=now - KEPT_FOR))
    notifications = _delete(Notification.objects.filter(created__lt=now - NOTIFICATIONS_KEPT_FOR))
    replays = _delete(Replay.objects.filter(created__lt=now - _REPLAYS_KEPT_FOR))
    reports = _delete(ProfileReport.objects.filter(created__lt=now - _PROFILE_REPORTS_KEPT_FOR))
    _discard_unanswered(now - _REJUDGES_WAIT_FOR)
    runs = sum(
        _delete(HiddenRun.objects.filter(rejudge__state=state, rejudge__ended__lt=now - kept_for))
        for state, kept_for in _HIDDEN_RUNS_KEPT_FOR.items()
    )
    return Pruned(events, sessions, revisions, notifications, replays, reports, runs)


def _discard_unanswered(before: datetime) -> None:
    for rejudge in Rejudge.objects.filter(state=RejudgeState.READY, created__lt=before):
        rejudging.discard(rejudge, None)


def _prune_events(before: datetime) -> int:
    gone = 0
    for keys in _old_events(before):
        old = Event.objects.filter(pk__in=keys, created__lt=before, submission__job__state=JobState.DONE)
        gone += old.delete()[0]
    return gone


def _old_events(before: datetime) -> Iterator[list[int]]:
    """Keys of events in batches, oldest first, up to the first batch that is too young."""
    last = 0
    while True:
        found = list(Event.objects.filter(pk__gt=last).order_by("pk").values_list("pk", "created")[:BATCH])
        if not found or found[0][1] >= before:
            return
        last = found[-1][0]
        yield [key for key, _ in found]


def _delete(rows: QuerySet[Model]) -> int:
    gone = 0
    while keys := list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH]):
        gone += rows.filter(pk__in=keys).delete()[1].get(rows.model._meta.label, 0)  # noqa: SLF001 - Django's public name for it
    return gone
