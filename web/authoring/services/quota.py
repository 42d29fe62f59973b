"""How much authors may keep, so that none of them fills the database: problems, and bytes with all histories.

Staff may keep more problems and more bytes; the history of a single workspace is bounded for everybody.
"""

from django.db.models import Q, Sum

from web.accounts.models import User
from web.authoring.models import Content, Workspace
from web.jobs.models import OPEN

MAX_WORKSPACES_OF_PERSON = 100
MAX_STORED_MIB_OF_PERSON = 1024
MAX_HISTORY_MIB = 64  # of a workspace, with what its files say now


def may_own_another(person: User) -> bool:
    """Whether `person` may own one workspace more."""
    return person.is_staff or Workspace.objects.filter(owner=person).count() < MAX_WORKSPACES_OF_PERSON


def has_room_for(owner: User | None, more_bytes: int) -> bool:
    """Whether the workspaces of `owner` may hold `more_bytes` more together."""
    if owner is None or owner.is_staff or more_bytes == 0:
        return True
    stored = Content.objects.filter(workspace__owner=owner).aggregate(total=Sum("size_bytes"))["total"] or 0
    return bool(stored + more_bytes <= MAX_STORED_MIB_OF_PERSON * 2**20)


def shorten_history(workspace: Workspace) -> None:
    """Drop the oldest revisions beyond MAX_HISTORY_MIB, with what was proved of them.

    What the files say now, what is published, and what a worker has, stays.
    """
    sizes = dict(workspace.contents.values_list("digest", "size_bytes"))
    if sum(sizes.values()) <= MAX_HISTORY_MIB * 2**20:
        return
    open_runs = Q(runs__state__in=OPEN)
    needed = Q(number=workspace.revision) | Q(content_hash=workspace.published_hash) | open_runs
    stays = set(workspace.revisions.filter(needed).values_list("pk", flat=True))
    seen: set[str] = set()
    room = MAX_HISTORY_MIB * 2**20
    dropped = []
    for pk, tree in workspace.revisions.order_by("-number").values_list("pk", "tree"):
        fresh = set(tree.values()) - seen
        size = sum(sizes[digest] for digest in fresh)
        if size > room and pk not in stays:
            dropped.append(pk)
            continue
        seen |= fresh
        room -= size
    workspace.revisions.filter(pk__in=dropped).delete()
