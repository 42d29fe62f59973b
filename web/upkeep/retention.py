"""Throws away what nobody needs any more, while the site is used.

Theory of operation. Rows go a thousand at a time, each thousand in a transaction of its own, so that nobody
waits for long and an interrupted run has done its part. What people made is never touched: submissions,
reports, drafts and posts stay until their author deletes them.

- Steps of submissions that have a verdict, after `events_kept_days`: a browser catches up on them while it is
  judged; the report says what came of it. The oldest come first by key, so only the old end is looked at.
- Sessions that are over, and the browsers that allauth remembers of them.
- Earlier texts of drafts that were not saved since; saving throws those of its own draft away.
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
from web.jobs.models import JobState
from web.submissions.models import Event

BATCH = 1000


@dataclass(frozen=True, slots=True)
class Pruned:
    """How many rows went."""

    events: int
    sessions: int
    revisions: int


def prune(events_kept_days: int, now: datetime | None = None) -> Pruned:
    """Throw away what is too old. With 0 days steps are kept for ever."""
    now = now or timezone.now()
    live = Session.objects.filter(session_key=OuterRef("session_key"))
    events = _prune_events(now - timedelta(days=events_kept_days)) if events_kept_days else 0
    sessions = _delete(Session.objects.filter(expire_date__lt=now))
    _delete(UserSession.objects.filter(~Exists(live)))
    revisions = _delete(DraftRevision.objects.filter(saved__lt=now - KEPT_FOR))
    return Pruned(events, sessions, revisions)


def _prune_events(before: datetime) -> int:
    gone = 0
    for keys in _old_events(before):
        old = Event.objects.filter(pk__in=keys, created__lt=before, submission__job__state=JobState.DONE)
        gone += old.delete()[0]
    return gone


def _old_events(before: datetime) -> Iterator[list[int]]:
    """The keys of events, the oldest first, up to the first batch that is young."""
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
        gone += rows.filter(pk__in=keys).delete()[0]
    return gone
