"""What becomes of workspaces whose owner's account ends."""

from web.accounts.models import User
from web.authoring.models import Workspace
from web.authoring.services.workspaces import discard


def forget_workspaces(user: User) -> None:
    """Delete what `user` wrote alone and never published.

    What others write with them, or learners have, stays without an owner, until staff name another one.
    """
    alone = Workspace.objects.filter(owner=user, published_hash="", memberships__isnull=True)
    for workspace in alone:
        discard(workspace)
