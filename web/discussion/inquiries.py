"""Reads about private questions to the instructors."""

from django.db.models import QuerySet

from web.accounts.visibility import reads_all
from web.discussion.models import Inquiry
from web.site.paging import bounded_count
from web.submissions.models import Submission
from web.submissions.queries import Viewer


def inquiry_of(submission: Submission) -> Inquiry | None:
    """Return the private question about `submission`, with its thread. The caller checks the access to it."""
    found = Inquiry.objects.filter(submission=submission, thread__shown=True)
    return found.select_related("thread__author", "thread__problem", "submission").first()


def may_ask(viewer: Viewer, submission: Submission) -> bool:
    """Return whether `viewer` may ask the instructors about `submission`: only its author may."""
    return viewer.is_authenticated and submission.user_id == viewer.pk


def may_teach(viewer: Viewer) -> bool:
    """Return whether `viewer` answers private questions. All users who may read every submission do."""
    return reads_all(viewer)


def list_inquiries(*, answered: bool | None, before: int | None = None) -> QuerySet[Inquiry]:
    """Return private questions for instructors, newest first. `before` is the key of the previous row."""
    found = Inquiry.objects.filter(thread__shown=True).select_related("thread__author", "submission__problem")
    found = found.defer("submission__source", "submission__problem__statement")
    if answered is not None:
        found = found.filter(answered__isnull=not answered)
    return found.filter(pk__lt=before) if before is not None else found


def count_open(viewer: Viewer) -> int:
    """Return the number of questions without an answer, bounded as by `web.site.paging.bounded_count`."""
    if not may_teach(viewer):
        return 0
    return bounded_count(list_inquiries(answered=False))
