"""Reads from discussions, each within the rights of the one who asks."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from web.accounts.visibility import reads_all
from web.catalog.models import Problem
from web.catalog.queries import has_solved
from web.discussion.models import Answer, Ban, Flag, Post, PostState, Thread
from web.submissions.queries import Viewer


def may_enter(viewer: Viewer, problem: Problem) -> bool:
    """Whether `viewer` may read and discuss what gives solutions away: those who solved, and who teach."""
    return reads_all(viewer) or has_solved(viewer, problem)


def list_threads(
    viewer: Viewer, problem: Problem, *, before: tuple[datetime, int] | None = None
) -> QuerySet[Thread]:
    """The threads about `problem`, the liveliest first, each with `opened`: its first post can be read.

    Staff see those that are not shown too, and authors theirs that staff hid, to learn why.
    `before` is the `(latest, pk)` of the last row of the page before.
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
    """The thread of that number, with `opened`; None when `viewer` may know of no such thread."""
    return list_threads(viewer, problem).filter(pk=pk).first()


def list_posts(thread: Thread, *, after: int = 0) -> QuerySet[Post]:
    """The posts of `thread` behind the one with the key `after`, oldest first. Each has `flagged`."""
    flagged = Flag.objects.filter(post=OuterRef("pk"), answer=Answer.OPEN)
    posts = thread.posts.filter(pk__gt=after).select_related("author")
    return posts.annotate(flagged=Exists(flagged))


def page_start(post: Post, rows: int) -> int:
    """The key after which the page of `rows` posts begins that holds `post`, 0 for the first page."""
    before = Post.objects.filter(thread=post.thread_id, pk__lt=post.pk)
    earlier = before.count() // rows * rows
    return before.order_by("pk").values_list("pk", flat=True)[earlier - 1] if earlier else 0


def find_post(viewer: Viewer, pk: int) -> Post | None:
    """A post that `viewer` may read, with thread and problem; None when there is none.

    To everybody but staff a post that is hidden or deleted does not exist.
    """
    posts = Post.objects.select_related("author", "thread__problem").filter(pk=pk)
    if not viewer.is_staff:
        posts = posts.filter(state=PostState.SHOWN, thread__shown=True, thread__problem__published=True)
    found = posts.first()
    return found if found and may_enter(viewer, found.thread.problem) else None


def list_flags(*, answer: Answer | None, before: int | None = None) -> QuerySet[Flag]:
    """What people reported, newest first, for staff."""
    flags = Flag.objects.select_related("person", "post__author", "post__thread__problem")
    if answer is not None:
        flags = flags.filter(answer=answer)
    return flags.filter(pk__lt=before) if before is not None else flags


def count_open_flags() -> int:
    """Reports that staff have not answered."""
    return Flag.objects.filter(answer=Answer.OPEN).count()


def ban_of(person: Viewer) -> Ban | None:
    """The ban that `person` is under now, if any."""
    if not person.is_authenticated:
        return None
    return Ban.objects.filter(Q(until__isnull=True) | Q(until__gt=timezone.now()), person=person.pk).first()


def list_bans(*, before: tuple[datetime, int] | None = None) -> QuerySet[Ban]:
    """Everybody who is banned, newest first. `before` is the `(created, pk)` of the last row before."""
    bans = Ban.objects.filter(Q(until__isnull=True) | Q(until__gt=timezone.now())).select_related("person")
    if before is None:
        return bans
    created, pk = before
    return bans.filter(Q(created__lt=created) | Q(created=created, pk__lt=pk))
