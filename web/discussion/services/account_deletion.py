"""The effect of account deletion on posts."""

from django.db import transaction

from web.accounts.models import User
from web.discussion.models import Post, PostState, Revision, Thread, ThreadKind
from web.discussion.services.counting import recount
from web.discussion.services.gallery import forget_votes


@transaction.atomic
def forget_posts(author: User) -> None:
    """Erase everything that `author` wrote, also for staff. Call it before deleting the account.

    A thread without posts of others is deleted, and so are private questions with their answers. In other
    threads, empty placeholders remain, so that the replies of others can be understood.
    """
    forget_votes(author)
    Thread.objects.filter(author=author, kind__in=(ThreadKind.INQUIRY, ThreadKind.SOLUTION)).delete()
    posts = Post.objects.filter(author=author)
    threads = set(posts.values_list("thread", flat=True))
    shared = set(
        Post.objects.filter(thread__in=threads).exclude(author=author).values_list("thread", flat=True)
    )
    Thread.objects.filter(pk__in=threads - shared).delete()
    Revision.objects.filter(post__author=author).delete()
    posts.update(text="", state=PostState.DELETED, reason="")
    for thread in sorted(shared):
        recount(thread)
