"""The problem and language with which a user continues, and the days on which the user practised."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import (
    Case,
    Q,
    Subquery,
    When,
)
from django.db.models.functions import TruncDate

from web.catalog.models import Problem
from web.catalog.queries import Order, Viewer, list_problems, sorting
from web.submissions.models import Submission


@dataclass(frozen=True, slots=True)
class PracticeDays:
    """The days with a submission or a run since Monday, and since the first of the month, in UTC."""

    week: int
    month: int


def next_problem(viewer: Viewer) -> Problem | None:
    """Return the problem to continue with: the last attempted one if unsolved, else the first unsolved."""
    if not viewer.is_authenticated:
        return None
    last = Submission.objects.filter(user=viewer.pk).values("problem")[:1]
    others_later = Case(When(pk=Subquery(last), then=0), default=1)
    unsolved = list_problems(viewer).filter(Q(own__solved__isnull=True))
    return unsolved.order_by(others_later, *sorting(Order.TRACK, on_track=False)).first()


def last_language(viewer: Viewer) -> str | None:
    """Return the language of the viewer's latest submission."""
    if not viewer.is_authenticated:
        return None
    return Submission.objects.filter(user=viewer.pk).values_list("language", flat=True).first()


def practice_days(viewer: Viewer, now: datetime) -> PracticeDays:
    """Return how many days of this week and of this month the viewer practised on. At most one query."""
    if not viewer.is_authenticated:
        return PracticeDays(0, 0)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    monday, first = midnight - timedelta(days=now.weekday()), midnight.replace(day=1)
    recent = Submission.objects.filter(user=viewer.pk, created__gte=min(monday, first)).order_by()
    days = [*recent.values_list(TruncDate("created"), flat=True).distinct()]
    return PracticeDays(
        week=sum(day >= monday.date() for day in days), month=sum(day >= first.date() for day in days)
    )
