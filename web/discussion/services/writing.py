"""Writes of users in discussions. The caller has checked that the user may take part.

PostRefused
+-- Banned             staff banned the user
+-- TooMany            the user wrote too much in a short time
+-- FlaggedAlready     the user has already reported this post
+-- PostGone           the post was hidden or deleted in the meantime
"""

from datetime import timedelta

from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils import timezone

from web.accounts.models import User
from web.accounts.services import lock_user
from web.catalog.models import Problem
from web.discussion.models import Flag, Post, PostState, Revision, Thread, ThreadKind
from web.discussion.queries import ban_of
from web.discussion.services.counting import recount
from web.discussion.services.telling import tell_participants, tell_staff

POSTS_PER_TEN_MINUTES = 10
THREADS_PER_HOUR = 5
EDITS_PER_HOUR = 30
FLAGS_PER_HOUR = 10
_TEN_MINUTES = timedelta(minutes=10)
_HOUR = timedelta(hours=1)


class PostRefused(Exception):
    """Root of the reasons for refusing a text. The message is for its author."""


class Banned(PostRefused):
    """Raised when staff banned the user from discussions."""


class TooMany(PostRefused):
    """Raised when a user writes too much in a short time."""


class FlaggedAlready(PostRefused):
    """Raised when a user reports a post for the second time."""


class PostGone(PostRefused):
    """Raised when a user edits, answers or reports a post that was hidden or deleted."""


@transaction.atomic
def open_thread(
    author: User,
    problem: Problem,
    *,
    title: str,
    text: str,
    kind: ThreadKind = ThreadKind.DISCUSSION,
) -> Thread:
    """Start a thread about `problem` and return it.

    Raises:
        PostRefused: see the tree above.
    """
    _check(author, Thread.objects.filter(author=author), _HOUR, THREADS_PER_HOUR, "threads")
    _check_posts(author)
    thread = Thread.objects.create(problem=problem, author=author, title=title, kind=kind)
    Post.objects.create(thread=thread, author=author, text=_clean(text), opening=True, created=thread.created)
    return thread


@transaction.atomic
def reply(author: User, thread: Thread, *, text: str) -> Post:
    """Add a reply to `thread` and return it.

    Raises:
        PostRefused: see the tree above.
    """
    _check_posts(author)
    if not Thread.objects.filter(pk=thread.pk, shown=True).exists():
        raise PostGone("This thread was closed in the meantime.")
    post = Post.objects.create(thread=thread, author=author, text=_clean(text))
    recount(thread.pk)
    if thread.kind != ThreadKind.INQUIRY:
        tell_participants(post)
    return post


@transaction.atomic
def edit(post: Post, *, text: str) -> None:
    """Change the text of `post`. Only its author may; the caller checks this. Staff can read the old text.

    Raises:
        PostRefused: see the tree above.
    """
    if post.author is None:
        raise PostGone("This post no longer has an author.")
    edits = Revision.objects.filter(post__author=post.author)
    _check(post.author, edits, _HOUR, EDITS_PER_HOUR, "edits", column="replaced")
    now, text = timezone.now(), _clean(text)
    current = Post.objects.select_for_update().get(pk=post.pk)
    if current.state != PostState.SHOWN:
        raise PostGone("This post was hidden or deleted in the meantime.")
    if current.text == text:
        return
    Revision.objects.create(
        post=current, text=current.text, written=current.edited or current.created, replaced=now
    )
    Post.objects.filter(pk=post.pk).update(text=text, edited=now)


@transaction.atomic
def delete(post: Post) -> bool:
    """Delete `post` for everyone except staff. Return False if it was already gone.

    Only the author of `post` may do this; the caller checks this.
    """
    if not Post.objects.filter(pk=post.pk, state=PostState.SHOWN).update(state=PostState.DELETED):
        return False
    recount(post.thread_id)
    return True


@transaction.atomic
def flag(person: User, post: Post, *, reason: str) -> Flag:
    """Report `post` to staff. Banned users may do this as well.

    Raises:
        PostRefused: see the tree above.
    """
    _check(person, Flag.objects.filter(person=person), _HOUR, FLAGS_PER_HOUR, "reports", banned=True)
    # Reports of a post are serialised, so that staff are notified once.
    if not Post.objects.select_for_update(no_key=True).filter(pk=post.pk, state=PostState.SHOWN):
        raise PostGone("This post was hidden or deleted in the meantime.")
    if Flag.objects.filter(person=person, post=post).exists():
        raise FlaggedAlready("You have already reported this post. Staff will review it.")
    made = Flag.objects.create(person=person, post=post, reason=reason)
    tell_staff(made)
    return made


def _check_posts(author: User) -> None:
    posts = Post.objects.filter(author=author)
    _check(author, posts, _TEN_MINUTES, POSTS_PER_TEN_MINUTES, "posts")


def _check(
    person: User,
    rows: QuerySet[Model],
    within: timedelta,
    limit: int,
    what: str,
    *,
    column: str = "created",
    banned: bool = False,
) -> None:
    # The key of the row stays unlocked. Otherwise a deadlock is possible: another reply that has locked the
    # thread notifies this user, which needs the key, while this transaction waits for the thread.
    lock_user(person)
    ban = None if banned else ban_of(person)
    if ban is not None:
        until = f" until {ban.until:%d %B %Y}" if ban.until else ""
        raise Banned(f"Staff have banned you from posting{until}: {ban.reason}")
    if rows.filter(**{f"{column}__gt": timezone.now() - within}).count() >= limit:
        minutes = round(within.total_seconds() / 60)
        raise TooMany(f"You made {limit} {what} in the last {minutes} minutes, the maximum. Try again later.")


def _clean(text: str) -> str:
    return text.replace("\r\n", "\n").strip()
