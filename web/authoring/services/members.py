"""Writes about the members of a workspace. All of them are in the audit log."""

from datetime import timedelta

from django.db import transaction
from django.urls import reverse

from web.accounts.models import User
from web.accounts.services import lock_user
from web.audit.models import AuditKind
from web.audit.services import log
from web.authoring.models import Membership, Role, Workspace
from web.authoring.services import quota
from web.notifications.models import Kind
from web.notifications.services import mark_topic_read, notify

_OFFER_MAIL_PAUSE = timedelta(days=1)


class MemberRefused(Exception):
    """Raised when a user can't get a role. The message is for the user who made the request."""


@transaction.atomic
def set_role(workspace: Workspace, by: User, person: User, role: Role) -> None:
    """Make `person` an editor, a reviewer or a viewer, or offer `person` the ownership.

    `person` gets a notification. Staff make `person` the owner at once. Others offer the ownership.
    A user who has no role yet can edit while the offer is open. An offer ends if the user gets another role.

    Raises:
        MemberRefused: the change is not allowed. The message says why.
    """
    locked = _locked(workspace)
    before = _role(locked, person)
    if role == Role.OWNER and before != Role.OWNER:
        _require_author(person)
        if by.is_staff:
            previous = locked.owner
            _hand_over(locked, by, person)
            _tell_role(locked, person, by, "You are now the owner.")
            if previous is not None:
                _tell_role(locked, previous, by, "Another user is now the owner. You are now an editor.")
        else:
            _offer(locked, by, person)
    elif role != before and before == Role.OWNER:
        raise MemberRefused(f"{person} is the owner. Choose another owner first.")
    elif role != Role.OWNER:
        _end_offers(locked, to=person)
        Membership.objects.update_or_create(workspace=locked, user=person, defaults={"role": role})
        if role != before:
            _note(locked, by, person, before, role)
            gone = f", no longer {with_article(Role(before))}" if before else ""
            _tell_role(locked, person, by, f"You are now {with_article(role)}{gone}.")
    _forget(workspace, locked)


@transaction.atomic
def accept(workspace: Workspace, person: User) -> None:
    """Make `person` the owner, as offered. The previous owner becomes an editor, and gets a notification.

    Raises:
        MemberRefused: the ownership is not offered to `person`, or `person` may not own it.
    """
    locked = _locked(workspace)
    if not Membership.objects.filter(workspace=locked, user=person, offered=True).exists():
        raise MemberRefused("The owner no longer offers you this problem.")
    _require_author(person)
    previous = locked.owner
    _hand_over(locked, person, person)
    _answer(locked, person, previous, "The offer was accepted, so you are now an editor.")
    _forget(workspace, locked)


@transaction.atomic
def decline(workspace: Workspace, person: User) -> bool:
    """End the offer to `person`, and notify the owner. Return False if there was none."""
    return _decline(_locked(workspace), person)


@transaction.atomic
def remove(workspace: Workspace, by: User, person: User) -> bool:
    """Remove `person` from the members. Return False if `person` was not a member.

    `person` gets a notification if another user did it.
    Members who leave while the ownership is offered to them decline the offer.

    Raises:
        MemberRefused: `person` is the owner.
    """
    locked = _locked(workspace)
    before = _role(locked, person)
    if before == Role.OWNER:
        raise MemberRefused(f"{person} is the owner. Choose another owner first.")
    if before is None:
        return False
    if by == person:
        _decline(locked, person)
    else:
        _end_offers(locked, to=person)
    Membership.objects.filter(workspace=locked, user=person).delete()
    _note(locked, by, person, before, None)
    _tell_role(locked, person, by, "You no longer have access.", url=reverse("author"))
    _forget(workspace, locked)
    return True


def with_article(role: Role) -> str:
    """Return the role in words, such as "an editor"."""
    return {Role.OWNER: "the owner", Role.EDITOR: "an editor"}.get(role, f"a {role.label.lower()}")


def _locked(workspace: Workspace) -> Workspace:
    return Workspace.objects.select_for_update(of=("self",)).select_related("owner").get(pk=workspace.pk)


def _require_author(person: User) -> None:
    if not (person.is_instructor or person.is_staff):
        raise MemberRefused(f"{person} is not an instructor. Only instructors and staff can own problems.")


def _offer(workspace: Workspace, by: User, person: User) -> None:
    if workspace.memberships.filter(user=person, offered=True).exists():
        return
    _end_offers(workspace)
    _, new = Membership.objects.update_or_create(
        workspace=workspace,
        user=person,
        defaults={"offered": True},
        create_defaults={"offered": True, "role": Role.EDITOR},
    )
    if new:
        _note(workspace, by, person, None, Role.EDITOR)
    # An owner can end and repeat offers at will, so offers that have ended also start the pause.
    _tell(workspace, person, Kind.OFFER, by, mail_pause=_OFFER_MAIL_PAUSE)


def _decline(workspace: Workspace, person: User) -> bool:
    ended = _end_offers(workspace, to=person)
    if ended:
        _answer(workspace, person, workspace.owner, "The offer was declined, so you still own the problem.")
    return ended


def _answer(workspace: Workspace, person: User, owner: User | None, detail: str) -> None:
    """Notify the owner who made the offer how `person` answered."""
    if owner is None:
        return
    # An unread answer to an earlier offer would suppress this one.
    mark_topic_read([owner.pk], Kind.HANDOVER, _topic(workspace))
    _tell(workspace, owner, Kind.HANDOVER, person, detail)


def _tell_role(workspace: Workspace, to: User, by: User, detail: str, *, url: str = "") -> None:
    """Notify `to` about a new role, unless `to` made the change. `url` is for users without access."""
    # An unread notification about an earlier role would suppress this one.
    mark_topic_read([to.pk], Kind.ROLE, _topic(workspace))
    _tell(workspace, to, Kind.ROLE, by, detail, url=url)


def _tell(
    workspace: Workspace,
    to: User,
    kind: Kind,
    by: User,
    detail: str = "",
    *,
    url: str = "",
    mail_pause: timedelta | None = None,
) -> None:
    notify(
        [to.pk],
        kind,
        actor=by,
        subject=workspace.title or workspace.slug,
        detail=detail,
        topic=_topic(workspace),
        url=url or reverse("author-people", args=[workspace.slug]),
        mail_pause=mail_pause,
    )


def _end_offers(workspace: Workspace, *, to: User | None = None) -> bool:
    """End the offers of the ownership, or that to one user. Return whether there was one."""
    offers = workspace.memberships.filter(offered=True)
    if to is not None:
        offers = offers.filter(user=to)
    users = list(offers.values_list("user", flat=True))
    offers.update(offered=False)
    mark_topic_read(users, Kind.OFFER, _topic(workspace))
    return bool(users)


def _topic(workspace: Workspace) -> str:
    return f"workspace-{workspace.pk}"


def _hand_over(workspace: Workspace, by: User, person: User) -> None:
    lock_user(person)
    if not quota.may_own_another(person):
        raise MemberRefused(f"{person} owns the maximum number of problems.")
    before = _role(workspace, person)
    _end_offers(workspace)
    Membership.objects.filter(workspace=workspace, user=person).delete()
    if workspace.owner is not None:
        Membership.objects.update_or_create(
            workspace=workspace, user=workspace.owner, defaults={"role": Role.EDITOR}
        )
        _note(workspace, by, workspace.owner, Role.OWNER, Role.EDITOR)
    workspace.owner = person
    workspace.save(update_fields=["owner"])
    _note(workspace, by, person, before, Role.OWNER)


def _note(workspace: Workspace, by: User, person: User, before: str | None, after: str | None) -> None:
    log(by, AuditKind.MEMBER, workspace, person=person.username, role=[before, after])


def _role(workspace: Workspace, person: User) -> str | None:
    if workspace.owner_id == person.pk:
        return Role.OWNER.value
    found = Membership.objects.filter(workspace=workspace, user=person).values_list("role", flat=True)
    return found.first()


def _forget(workspace: Workspace, locked: Workspace) -> None:
    """Update the caller's object, and clear its cached roles."""
    workspace.owner = locked.owner
    workspace.__dict__.pop("_roles", None)
