"""Writes about the members of a workspace. All of them are in the audit log."""

from django.db import transaction

from web.accounts.models import User
from web.accounts.services import lock_user
from web.audit.models import AuditKind
from web.audit.services import log
from web.authoring.models import Membership, Role, Workspace
from web.authoring.services import quota


class MemberRefused(Exception):
    """Raised when a user can't get a role. The message is for the user who made the request."""


@transaction.atomic
def set_role(workspace: Workspace, by: User, person: User, role: Role) -> None:
    """Make `person` an editor, a reviewer, a viewer or the owner.

    The previous owner becomes an editor. Only an instructor or staff may own a workspace.

    Raises:
        MemberRefused: the change is not allowed. The message says why.
    """
    locked = Workspace.objects.select_for_update(of=("self",)).select_related("owner").get(pk=workspace.pk)
    before = _role(locked, person)
    if before == role:
        return
    if role == Role.OWNER:
        _hand_over(locked, by, person)
    elif before == Role.OWNER:
        raise MemberRefused(f"{person} is the owner. Choose another owner first.")
    else:
        Membership.objects.update_or_create(workspace=locked, user=person, defaults={"role": role})
    log(by, AuditKind.MEMBER, locked, person=person.username, role=[before, role.value])
    _forget(workspace, locked)


@transaction.atomic
def remove(workspace: Workspace, by: User, person: User) -> bool:
    """Remove `person` from the members. Return False if `person` was not a member.

    Raises:
        MemberRefused: `person` is the owner.
    """
    locked = Workspace.objects.select_for_update().get(pk=workspace.pk)
    before = _role(locked, person)
    if before == Role.OWNER:
        raise MemberRefused(f"{person} is the owner. Choose another owner first.")
    if before is None:
        return False
    Membership.objects.filter(workspace=locked, user=person).delete()
    log(by, AuditKind.MEMBER, locked, person=person.username, role=[before, None])
    _forget(workspace, locked)
    return True


def _hand_over(workspace: Workspace, by: User, person: User) -> None:
    if not (person.is_instructor or person.is_staff):
        raise MemberRefused(f"{person} is not an instructor. Only instructors and staff can own problems.")
    lock_user(person)
    if not quota.may_own_another(person):
        raise MemberRefused(f"{person} owns the maximum number of problems.")
    Membership.objects.filter(workspace=workspace, user=person).delete()
    if workspace.owner is not None:
        Membership.objects.update_or_create(
            workspace=workspace, user=workspace.owner, defaults={"role": Role.EDITOR}
        )
        log(by, AuditKind.MEMBER, workspace, person=workspace.owner.username, role=[Role.OWNER, Role.EDITOR])
    workspace.owner = person
    workspace.save(update_fields=["owner"])


def _role(workspace: Workspace, person: User) -> str | None:
    if workspace.owner_id == person.pk:
        return Role.OWNER.value
    found = Membership.objects.filter(workspace=workspace, user=person).values_list("role", flat=True)
    return found.first()


def _forget(workspace: Workspace, locked: Workspace) -> None:
    """Update the caller's object, and clear its cached roles."""
    workspace.owner = locked.owner
    workspace.__dict__.pop("_roles", None)
