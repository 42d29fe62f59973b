"""The problem and language with which a user continues."""

from django.db.models import (
    Case,
    Q,
    Subquery,
    When,
)

from web.catalog.models import Problem
from web.catalog.queries import Order, Viewer, list_problems, sorting
from web.submissions.models import Submission


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
