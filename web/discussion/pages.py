"""The content of the discussion pages, built from queries."""

from dataclasses import dataclass
from functools import lru_cache

from django.http import Http404
from django.urls import reverse
from django.utils.safestring import SafeString

from web.accounts.visibility import may_see_profile
from web.catalog.markdown import render
from web.catalog.models import Problem
from web.discussion import queries
from web.discussion.addresses import DISCUSSION, POSTS_PER_PAGE, Room, thread_url
from web.discussion.models import Ban, Post, PostState, Thread
from web.site import cursors
from web.submissions.queries import Viewer

THREADS_PER_PAGE = 30
GONE_PERSON = "deleted user"
# Posts have their own cache, so that they do not evict statements.
render_post = lru_cache(maxsize=128)(render.__wrapped__)  # a long post becomes half a megabyte at most


@dataclass(frozen=True, slots=True)
class ThreadRow:
    """A thread in the list. Its title is shown only while its first post is."""

    thread: Thread
    title: str
    author: str


@dataclass(frozen=True, slots=True)
class PostView:
    """A post as the viewer may see it. `html` is None for a removed post, for which only `note` is shown.

    `profile` is the address of the author's profile, or empty if the viewer may not see it. `role` is
    `staff` or `instructor`, or empty for other authors.
    """

    post: Post
    author: str
    profile: str
    html: SafeString | None
    note: str
    mine: bool
    may_change: bool
    may_flag: bool
    role: str

    @property
    def place(self) -> str:
        """Return the address of the thread."""
        return thread_url(self.post.thread)


@dataclass(frozen=True, slots=True)
class ThreadList:
    """A page of threads. `older` is the cursor of the next page, empty on the last."""

    rows: list[ThreadRow]
    older: str


@dataclass(frozen=True, slots=True)
class ThreadPage:
    """A thread with a page of its posts. `newer` is the cursor of the next page, empty on the last."""

    row: ThreadRow
    posts: list[PostView]
    newer: str
    begins: bool
    ban: Ban | None


def thread_list(viewer: Viewer, problem: Problem, before: str, *, room: Room = DISCUSSION) -> ThreadList:
    """Return a page of the threads about `problem` in `room`. `before` is a cursor."""
    found = queries.list_threads(viewer, problem, kind=room.kind, before=cursors.decode(before))
    threads = list(found[: THREADS_PER_PAGE + 1])
    shown = threads[:THREADS_PER_PAGE]
    more = len(threads) > THREADS_PER_PAGE
    older = cursors.encode(shown[-1].latest, shown[-1].pk) if more else ""
    return ThreadList([_row(thread, viewer) for thread in shown], older)


def thread_or_404(viewer: Viewer, problem: Problem, pk: int, *, room: Room = DISCUSSION) -> Thread:
    """Return the thread with that primary key in `room`.

    Raises:
        Http404: it does not exist, or `viewer` may not see it.
    """
    found = queries.find_thread(viewer, problem, pk, kind=room.kind)
    if found is None:
        raise Http404("Thread not found.")
    return found


def post_or_404(viewer: Viewer, pk: int) -> Post:
    """Return the post with that primary key.

    Raises:
        Http404: it does not exist, or `viewer` may not read it.
    """
    found = queries.find_post(viewer, pk)
    if found is None:
        raise Http404("Post not found.")
    return found


def thread_page(viewer: Viewer, thread: Thread, after: str, *, fold_code: bool = False) -> ThreadPage:
    """Return a page of the posts in `thread`. `after` is a cursor. With `fold_code`, see `post_view`."""
    last = cursors.decode_key(after) or 0
    posts = list(queries.list_posts(thread, after=last)[: POSTS_PER_PAGE + 1])
    shown = posts[:POSTS_PER_PAGE]
    return ThreadPage(
        row=_row(thread, viewer),
        posts=[post_view(post, viewer, fold_code=fold_code) for post in shown],
        newer=str(shown[-1].pk) if len(posts) > POSTS_PER_PAGE else "",
        begins=not last,
        ban=queries.ban_of(viewer),
    )


def post_view(post: Post, viewer: Viewer, *, fold_code: bool = False) -> PostView:
    """Return `post` as `viewer` may see it. Staff see all posts. Authors see their own hidden posts.

    With `fold_code`, the code in answers of others is folded.
    """
    mine = post.author_id is not None and post.author_id == viewer.pk
    shown = post.state == PostState.SHOWN
    reads = shown or viewer.is_staff or (mine and post.state == PostState.HIDDEN)
    return PostView(
        post=post,
        author=name_of(post),
        profile=_profile(post, viewer),
        html=render_post(post.text, fold_code=fold_code and not (mine or post.opening)) if reads else None,
        note=_note(post, reads=reads),
        mine=mine,
        may_change=mine and shown,
        may_flag=shown and not mine and viewer.is_authenticated,
        role=_role(post),
    )


def name_of(written: Post | Thread) -> str:
    """Return the name of the author, or a placeholder if the account was deleted."""
    return written.author.username if written.author else GONE_PERSON


def _row(thread: Thread, viewer: Viewer) -> ThreadRow:
    # The title is part of the opening post, so it disappears together with that post.
    mine = thread.author_id is not None and thread.author_id == viewer.pk
    reads = getattr(thread, "opened", False) or viewer.is_staff or mine
    return ThreadRow(thread, thread.title if reads else "Deleted thread", name_of(thread))


def _profile(post: Post, viewer: Viewer) -> str:
    if post.author is None or not may_see_profile(viewer, post.author):
        return ""
    return reverse("profile", args=[post.author.username])


def _role(post: Post) -> str:
    if post.author is None:
        return ""
    if post.author.is_staff:
        return "staff"
    return "instructor" if post.author.is_instructor else ""


def _note(post: Post, *, reads: bool) -> str:
    if post.state == PostState.DELETED:
        return "Deleted by its author."
    if post.state == PostState.HIDDEN:
        return f"Hidden by staff: {post.reason}" if reads else "Hidden by staff."
    return ""
