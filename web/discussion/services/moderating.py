"""Moderation of discussions by staff. All acts are in the audit log, without the texts of posts."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from web.accounts.models import User
from web.audit.models import AuditKind
from web.audit.services import log
from web.discussion.models import Answer, Ban, Flag, Post, PostState
from web.discussion.services.counting import recount
from web.discussion.services.telling import tell_reporters


@transaction.atomic
def hide(post: Post, staff: User, *, reason: str) -> bool:
    """Hide `post` from users, and close its reports. Its author can read `reason`.

    Return False if it was already hidden or deleted. This closes its reports as well.
    """
    hidden = Post.objects.filter(pk=post.pk, state=PostState.SHOWN).update(
        state=PostState.HIDDEN, reason=reason
    )
    _answer(post, Answer.HIDDEN)
    if hidden:
        recount(post.thread_id)
        log(staff, AuditKind.POST_HIDE, post, reason=reason, **_whose(post))
    return hidden > 0


@transaction.atomic
def restore(post: Post, staff: User) -> bool:
    """Show a hidden post again. Return False if it is not hidden."""
    restored = Post.objects.filter(pk=post.pk, state=PostState.HIDDEN).update(
        state=PostState.SHOWN, reason=""
    )
    if restored:
        recount(post.thread_id)
        log(staff, AuditKind.POST_RESTORE, post, **_whose(post))
    return restored > 0


@transaction.atomic
def dismiss(post: Post, staff: User) -> bool:
    """Dismiss the open reports of `post`. Return False if there are none."""
    answered = _answer(post, Answer.DISMISSED)
    if answered:
        log(staff, AuditKind.POST_DISMISS, post, reports=answered, **_whose(post))
    return answered > 0


@transaction.atomic
def ban(person: User, staff: User, *, reason: str, until: datetime | None = None) -> Ban:
    """Ban `person` from writing in discussions until `until`, or forever. This replaces an earlier ban."""
    made, _ = Ban.objects.update_or_create(
        person=person, defaults={"reason": reason, "until": until, "created": timezone.now()}
    )
    log(staff, AuditKind.BAN, person, reason=reason, until=until.isoformat() if until else None)
    return made


@transaction.atomic
def lift_ban(person: User, staff: User) -> bool:
    """Lift the ban of `person`. Return False if there was none."""
    lifted, _ = Ban.objects.filter(person=person).delete()
    if lifted:
        log(staff, AuditKind.UNBAN, person)
    return lifted > 0


def _answer(post: Post, answer: Answer) -> int:
    tell_reporters(post, answer)
    return Flag.objects.filter(post=post, answer=Answer.OPEN).update(answer=answer, answered=timezone.now())


def _whose(post: Post) -> dict[str, object]:
    return {"author": post.author.username if post.author else "", "thread": post.thread_id}
