"""What threads say of their posts. Runs in the caller's transaction."""

from django.db.models import Max

from web.discussion.models import Post, PostState, Thread


def recount(thread_id: int) -> None:
    """Bring `replies`, `latest` and `shown` of a thread in step with its posts.

    A thread whose opening post staff hid is not shown, for its title belongs to that post. One that its
    author deleted is shown as long as somebody's reply can be read.
    """
    thread = Thread.objects.select_for_update().get(pk=thread_id)
    opening = Post.objects.values_list("state", flat=True).get(thread=thread_id, opening=True)
    shown = Post.objects.filter(thread=thread_id, state=PostState.SHOWN)
    thread.replies = shown.filter(opening=False).count()
    thread.latest = shown.aggregate(latest=Max("created"))["latest"] or thread.created
    thread.shown = opening == PostState.SHOWN or (opening == PostState.DELETED and thread.replies > 0)
    thread.save(update_fields=["replies", "latest", "shown"])
