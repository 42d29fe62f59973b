"""Reads from discussions. Each read is limited to what the viewer may see."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from web.accounts.visibility import reads_all
from web.catalog.models import Problem
from web.catalog.queries import has_solved
from web.discussion.models import Answer, Ban, Flag, Post, PostState, Thread
from web.submissions.queries import Viewer


def may_enter(viewer: Viewer, problem: Problem) -> bool:
    """Return whether `viewer` may read and discuss solutions.

    Users who solved `problem`, instructors and staff may.
    """
    return reads_all(viewer) or has_solved(viewer, problem)


def list_threads(
    viewer: Viewer, problem: Problem, *, before: tuple[datetime, int] | None = None
) -> QuerySet[Thread]:
    """Return the threads about `problem`, the most recently active first.

    Each has `opened`, which says whether its first post can be read. Staff also see hidden threads. Authors
    also see their own threads that staff hid, so that they learn why. `before` is the `(latest, pk)` of the
    last row of the previous page.
    """
    opening = Post.objects.filter(thread=OuterRef("pk"), opening=True)
    threads = Thread.objects.filter(problem=problem).select_related("author")
    if not viewer.is_staff:
        hidden = Exists(opening.filter(state=PostState.HIDDEN))
        threads = threads.filter(Q(shown=True) | (Q(author=viewer.pk) & hidden))
    if before is not None:
        latest, pk = before
        threads = threads.filter(Q(latest__lt=latest) | Q(latest=latest, pk__lt=pk))
    return threads.annotate(opened=Exists(opening.filter(state=PostState.SHOWN)))


def find_thread(viewer: Viewer, problem: Problem, pk: int) -> Thread | None:
    """Return the thread with that primary key, with `opened`. Return None if `viewer` may not see it."""
    return list_threads(viewer, problem).filter(pk=pk).first()


def list_posts(thread: Thread, *, after: int = 0) -> QuerySet[Post]:
    """Return the posts of `thread` after the post with the key `after`, oldest first. Each has `flagged`."""
    flagged = Flag.objects.filter(post=OuterRef("pk"), answer=Answer.OPEN)
    posts = thread.posts.filter(pk__gt=after).select_related("author")
    return posts.annotate(flagged=Exists(flagged))


def page_start(post: Post, rows: int) -> int:
    """Return the cursor of the page of `rows` posts that contains `post`, or 0 for the first page."""
    before = Post.objects.filter(thread=post.thread_id, pk__lt=post.pk)
    earlier = before.count() // rows * rows
    return before.order_by("pk").values_list("pk", flat=True)[earlier - 1] if earlier else 0


def find_post(viewer: Viewer, pk: int) -> Post | None:
    """Return a post with its thread and problem, or None if `viewer` may not read it.

    A hidden or deleted post exists for staff only.
    """
    posts = Post.objects.select_related("author", "thread__problem").filter(pk=pk)
    if not viewer.is_staff:
        posts = posts.filter(state=PostState.SHOWN, thread__shown=True, thread__problem__published=True)
    found = posts.first()
    return found if found and may_enter(viewer, found.thread.problem) else None


def list_flags(*, answer: Answer | None, before: int | None = None) -> QuerySet[Flag]:
    """Return reports of posts for staff, newest first."""
    flags = Flag.objects.select_related("person", "post__author", "post__thread__problem")
    if answer is not None:
        flags = flags.filter(answer=answer)
    return flags.filter(pk__lt=before) if before is not None else flags


def count_open_flags() -> int:
    """Return the number of open reports."""
    return Flag.objects.filter(answer=Answer.OPEN).count()


def ban_of(person: Viewer) -> Ban | None:
    """Return the active ban of `person`, or None."""
    if not person.is_authenticated:
        return None
    return Ban.objects.filter(Q(until__isnull=True) | Q(until__gt=timezone.now()), person=person.pk).first()


def list_bans(*, before: tuple[datetime, int] | None = None) -> QuerySet[Ban]:
    """Return the active bans, newest first.

    `before` is the `(created, pk)` of the previous page's last row.
    """
    bans = Ban.objects.filter(Q(until__isnull=True) | Q(until__gt=timezone.now())).select_related("person")
    if before is None:
        return bans
    created, pk = before
    return bans.filter(Q(created__lt=created) | Q(created=created, pk__lt=pk))
