"""Denormalised columns of threads. The functions run in the caller's transaction."""

from django.db.models import Max

from web.discussion.models import Post, PostState, Thread


def recount(thread_id: int) -> None:
    """Update `replies`, `latest` and `shown` of a thread from its posts.

    A thread is not shown if staff hid its opening post, because the title belongs to that post. If the author
    deleted the opening post, the thread is shown while it has a readable reply.
    """
    thread = Thread.objects.select_for_update().get(pk=thread_id)
    opening = Post.objects.values_list("state", flat=True).get(thread=thread_id, opening=True)
    shown = Post.objects.filter(thread=thread_id, state=PostState.SHOWN)
    thread.replies = shown.filter(opening=False).count()
    thread.latest = shown.aggregate(latest=Max("created"))["latest"] or thread.created
    thread.shown = opening == PostState.SHOWN or (opening == PostState.DELETED and thread.replies > 0)
    thread.save(update_fields=["replies", "latest", "shown"])
