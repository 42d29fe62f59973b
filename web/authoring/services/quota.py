"""Quotas of authors, so that no author fills the database: problems, and bytes with histories and versions.

Staff have higher quotas. The limit for the history of a single workspace is the same for all users.
"""

from django.db.models import Q, Sum

from web.accounts.models import User
from web.authoring.models import Content, Workspace
from web.jobs.models import OPEN
from web.packages.models import Origin, PackageVersion

MAX_WORKSPACES_OF_PERSON = 100
MAX_STORED_MIB_OF_PERSON = 1024
MAX_HISTORY_MIB = 64  # for each workspace, including its current files


def may_own_another(person: User) -> bool:
    """Return whether `person` may own another workspace."""
    return person.is_staff or Workspace.objects.filter(owner=person).count() < MAX_WORKSPACES_OF_PERSON


def has_room_for(owner: User | None, more_bytes: int) -> bool:
    """Return whether the workspaces of `owner`, with their versions, have room for `more_bytes` in total."""
    if owner is None or owner.is_staff or more_bytes == 0:
        return True
    slugs = Workspace.objects.filter(owner=owner).values("slug")
    frozen = PackageVersion.objects.filter(problem__slug__in=slugs, origin=Origin.AUTHOR)
    contents = Content.objects.filter(workspace__owner=owner)
    stored = sum(rows.aggregate(total=Sum("size_bytes"))["total"] or 0 for rows in (contents, frozen))
    return bool(stored + more_bytes <= MAX_STORED_MIB_OF_PERSON * 2**20)


def no_room(owner: User | None) -> str:
    """Return the message for the author if there is no room."""
    return (
        f"The problems of {owner}, with their histories and versions, use {MAX_STORED_MIB_OF_PERSON} MiB, "
        "the maximum. Delete a problem that is not needed."
    )


def shorten_history(workspace: Workspace) -> None:
    """Delete the oldest revisions beyond MAX_HISTORY_MIB, with their proofs.

    The current files, published revisions, and revisions of running jobs stay.
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
