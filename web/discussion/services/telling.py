"""Notifications about discussions. The functions run in the caller's transaction."""

from collections.abc import Iterable

from django.urls import reverse

from web.accounts.models import User
from web.discussion.addresses import post_url, thread_url
from web.discussion.models import Answer, Flag, Post, PostState
from web.notifications.models import Kind
from web.notifications.services import MOST_RECIPIENTS, notify

_DECISIONS = {Answer.HIDDEN: "The post is hidden.", Answer.DISMISSED: "The post stays visible."}


def tell_participants(post: Post) -> None:
    """Notify the users who wrote in the thread of `post`, a new reply."""
    shown = Post.objects.filter(thread=post.thread_id, state=PostState.SHOWN, author__is_active=True)
    authors = shown.order_by("author").values_list("author", flat=True).distinct()[:MOST_RECIPIENTS]
    opened = [post.thread.author_id] if post.thread.author_id else []
    _tell_of_post([*opened, *(key for key in authors if key is not None)], Kind.REPLY, post)


def tell_owner(post: Post) -> None:
    """Notify the user who asked the private question to which `post` is the answer."""
    if post.thread.author_id:
        _tell_of_post([post.thread.author_id], Kind.ANSWER, post)


def tell_staff(flag: Flag) -> None:
    """Notify staff about a report."""
    staff = User.objects.filter(is_staff=True, is_active=True).order_by("pk").values_list("pk", flat=True)
    notify(
        staff[:MOST_RECIPIENTS],
        Kind.REPORT,
        actor=flag.person,
        subject=flag.post.thread.problem.title,
        topic=f"post-{flag.post_id}",
        url=reverse("staff-post", args=[flag.post_id]),
    )


def tell_reporters(post: Post, answer: Answer) -> None:
    """Notify the users whose open reports of `post` are about to get this answer."""
    reports = Flag.objects.filter(post=post, answer=Answer.OPEN, person__is_active=True)
    persons = reports.values_list("person", flat=True)[:MOST_RECIPIENTS]
    notify(
        [key for key in persons if key is not None],
        Kind.DECISION,
        subject=post.thread.problem.title,
        detail=_DECISIONS[answer],
        topic=f"post-{post.pk}",
        url=thread_url(post.thread, listed=answer == Answer.HIDDEN),
    )


def _tell_of_post(users: Iterable[int], kind: Kind, post: Post) -> None:
    thread = post.thread
    notify(
        users,
        kind,
        actor=post.author,
        subject=thread.problem.title,
        topic=f"thread-{thread.pk}",
        url=post_url(post),
    )
