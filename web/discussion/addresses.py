"""The addresses of threads and posts, by the kind of the thread."""

from dataclasses import dataclass

from django.urls import reverse

from web.discussion.models import Post, Thread, ThreadKind
from web.discussion.queries import page_start

POSTS_PER_PAGE = 30


@dataclass(frozen=True, slots=True)
class Room:
    """A place with threads about a problem: the names of its addresses, and the texts of its pages.

    `gated` says whether only users who solved the problem may enter.
    """

    kind: ThreadKind
    heading: str
    lede: str
    one: str
    list_name: str
    new_name: str
    preview_name: str
    thread_name: str
    reply_name: str
    gated: bool


DISCUSSION = Room(
    ThreadKind.DISCUSSION,
    "Discussion",
    "For users who solved the problem.",
    "New thread",
    *("threads", "thread-new", "post-preview", "thread", "thread-reply"),
    gated=True,
)
QUESTIONS = Room(
    ThreadKind.QUESTIONS,
    "Questions",
    "Open to everyone. Don\u2019t post solutions. Code in answers is folded until you solve the problem.",
    "Ask a question",
    *("questions", "question-new", "question-preview", "question", "question-reply"),
    gated=False,
)
_ROOMS = {room.kind: room for room in (DISCUSSION, QUESTIONS)}


def thread_url(thread: Thread, *, listed: bool = False) -> str:
    """Return the address of the page with `thread`. With `listed`, return that of the list it is in."""
    slug = thread.problem.slug
    room = _ROOMS.get(ThreadKind(thread.kind))
    if room is not None:
        if listed:
            return reverse(room.list_name, args=[slug])
        return reverse(room.thread_name, args=[slug, thread.pk])
    if thread.kind == ThreadKind.INQUIRY and listed:
        return reverse("submission", args=[thread.inquiry.submission.public_id])
    if thread.kind == ThreadKind.INQUIRY:
        return reverse("inquiry", args=[thread.inquiry.submission.public_id])
    return reverse("solutions", args=[slug])


def post_url(post: Post) -> str:
    """Return the address of `post` on the page of its thread."""
    url = thread_url(post.thread)
    after = page_start(post, POSTS_PER_PAGE)
    return f"{url}?after={after}#post-{post.pk}" if after else f"{url}#post-{post.pk}"
