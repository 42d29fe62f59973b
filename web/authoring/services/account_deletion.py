"""The effect of account deletion on workspaces."""

from web.accounts.models import User
from web.authoring.models import Workspace
from web.authoring.services.workspaces import discard


def forget_workspaces(user: User) -> None:
    """Delete the workspaces of `user` that have no other members and were never published.

    All other workspaces of `user` stay without an owner until staff assign a new one.
    """
    alone = Workspace.objects.filter(owner=user, published_hash="", memberships__isnull=True)
    for workspace in alone:
        discard(workspace)
