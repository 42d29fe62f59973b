"""What becomes of a person's posts when the account is deleted."""

from django.db import transaction

from web.accounts.models import User
from web.discussion.models import Post, PostState, Revision, Thread
from web.discussion.services.counting import recount


@transaction.atomic
def forget_posts(author: User) -> None:
    """Erase what `author` wrote, also from staff's eyes. To be called before the account is deleted.

    A thread in which nobody else wrote goes; in others the posts remain as empty places, so that what
    others answered can be understood.
    """
    posts = Post.objects.filter(author=author)
    threads = set(posts.values_list("thread", flat=True))
    shared = set(
        Post.objects.filter(thread__in=threads).exclude(author=author).values_list("thread", flat=True)
    )
    Thread.objects.filter(pk__in=threads - shared).delete()
    Revision.objects.filter(post__author=author).delete()
    posts.update(text="", state=PostState.DELETED, reason="")
    for thread in shared:
        recount(thread)
