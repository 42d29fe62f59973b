"""Reads from discussions. Each read is limited to what the viewer may see."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from web.accounts.visibility import reads_all
from web.catalog.models import Problem
from web.catalog.queries import has_solved
from web.discussion.models import Answer, Ban, Flag, Post, PostState, Thread, ThreadKind
from web.submissions.queries import Viewer
from web.tracks.queries import in_contest


def may_enter(viewer: Viewer, problem: Problem) -> bool:
    """Return whether `viewer` may read and discuss solutions.

    Users who solved `problem`, instructors and staff may.
    """
    return reads_all(viewer) or has_solved(viewer, problem)


def questions_open(viewer: Viewer, problem: Problem) -> bool:
    """Return whether `viewer`, who may see `problem`, may read and ask questions about it.

    During a contest, answers would help those who have not solved the problem yet. They can ask privately.
    """
    return not in_contest(problem) or may_enter(viewer, problem)


def may_read(viewer: Viewer, thread: Thread) -> bool:
    """Return whether `viewer`, who may see the problem, may read threads like `thread`."""
    match ThreadKind(thread.kind):
        case ThreadKind.QUESTIONS:
            return questions_open(viewer, thread.problem)
        case ThreadKind.INQUIRY:
            return reads_all(viewer) or (viewer.is_authenticated and thread.author_id == viewer.pk)
        case _:
            return may_enter(viewer, thread.problem)


def list_threads(
    viewer: Viewer,
    problem: Problem,
    *,
    kind: ThreadKind = ThreadKind.DISCUSSION,
    before: tuple[datetime, int] | None = None,
) -> QuerySet[Thread]:
    """Return the threads of a kind about `problem`, the most recently active first.

    Each has `opened`, which says whether its first post can be read. Staff also see hidden threads. Authors
    also see their own threads that staff hid, so that they learn why. `before` is the `(latest, pk)` of the
    last row of the previous page.
    """
    opening = Post.objects.filter(thread=OuterRef("pk"), opening=True)
    threads = Thread.objects.filter(problem=problem, kind=kind).select_related("author")
    if not viewer.is_staff:
        hidden = Exists(opening.filter(state=PostState.HIDDEN))
        threads = threads.filter(Q(shown=True) | (Q(author=viewer.pk) & hidden))
    if before is not None:
        latest, pk = before
        threads = threads.filter(Q(latest__lt=latest) | Q(latest=latest, pk__lt=pk))
    return threads.annotate(opened=Exists(opening.filter(state=PostState.SHOWN)))


def find_thread(
    viewer: Viewer, problem: Problem, pk: int, *, kind: ThreadKind = ThreadKind.DISCUSSION
) -> Thread | None:
    """Return the thread with that primary key, with `opened`. Return None if `viewer` may not see it."""
    found = list_threads(viewer, problem, kind=kind).filter(pk=pk).first()
    if found is not None:
        found.problem = problem  # saves a query wherever its address is needed
    return found


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

    A hidden or deleted post exists for staff only, and so does the note of a submission that is not shared.
    """
    posts = with_threads(Post.objects.select_related("author")).filter(pk=pk)
    if not viewer.is_staff:
        open_to_user = Q(thread__problem__published=True) | Q(thread__kind=ThreadKind.INQUIRY)
        withdrawn = Q(thread__kind=ThreadKind.SOLUTION, thread__solution__submission__shared=False)
        posts = posts.filter(open_to_user, ~withdrawn, state=PostState.SHOWN, thread__shown=True)
    found = posts.first()
    return found if found and may_read(viewer, found.thread) else None


def with_threads(posts: QuerySet[Post]) -> QuerySet[Post]:
    """Return `posts` with their threads and all that the addresses of the threads need, in one query."""
    threads = ("thread__problem", "thread__inquiry__submission", "thread__solution__submission")
    heavy = [f"{path}__submission__source" for path in ("thread__inquiry", "thread__solution")]
    return posts.select_related(*threads).defer(*heavy, "thread__problem__statement")


def list_flags(*, answer: Answer | None, before: int | None = None) -> QuerySet[Flag]:
    """Return reports of posts for staff, newest first."""
    threads = ("post__thread__problem", "post__thread__inquiry__submission")
    flags = Flag.objects.select_related("person", "post__author", *threads)
    flags = flags.defer("post__thread__inquiry__submission__source", "post__thread__problem__statement")
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
