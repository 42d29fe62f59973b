"""Private questions about a submission: users ask, instructors answer. Answers are in the audit log."""

from django.db import transaction
from django.utils import timezone

from web.accounts.models import User
from web.accounts.services import lock_user
from web.audit.models import AuditKind
from web.audit.services import log
from web.discussion.inquiries import inquiry_of
from web.discussion.models import Inquiry, Post, ThreadKind
from web.discussion.services.telling import tell_owner
from web.discussion.services.writing import open_thread, reply
from web.submissions.models import Submission


@transaction.atomic
def ask(author: User, submission: Submission, *, text: str) -> Inquiry:
    """Ask the instructors about `submission`, or ask again. The caller has checked that `author` made it.

    Raises:
        PostRefused: see `web.discussion.services.writing`.
    """
    lock_user(author)  # two requests must not begin two threads
    found = inquiry_of(submission)
    if found is not None:
        reply(author, found.thread, text=text)
        Inquiry.objects.filter(pk=found.pk).update(answered=None)
        return found
    thread = open_thread(
        author,
        submission.problem,
        title=f"Submission {submission.public_id}",
        text=text,
        kind=ThreadKind.INQUIRY,
    )
    return Inquiry.objects.create(thread=thread, submission=submission)


@transaction.atomic
def answer(instructor: User, inquiry: Inquiry, *, text: str) -> Post:
    """Answer a private question, and notify the user who asked it.

    Raises:
        PostRefused: see `web.discussion.services.writing`.
    """
    post = reply(instructor, inquiry.thread, text=text)
    Inquiry.objects.filter(pk=inquiry.pk).update(answered=timezone.now())
    log(instructor, AuditKind.INQUIRY_ANSWER, inquiry.submission, **_whose(inquiry))
    tell_owner(post)
    return post


@transaction.atomic
def close(instructor: User, inquiry: Inquiry) -> bool:
    """Mark a question as answered without an answer. Return False if it was already answered."""
    closed = Inquiry.objects.filter(pk=inquiry.pk, answered=None).update(answered=timezone.now())
    if closed:
        log(instructor, AuditKind.INQUIRY_CLOSE, inquiry.submission, **_whose(inquiry))
    return closed > 0


def _whose(inquiry: Inquiry) -> dict[str, object]:
    author = inquiry.thread.author
    return {"author": author.username if author else "", "thread": inquiry.pk}
