"""Personal nodes: machines of users that judge their owners' runs. ADR 27 says what they may and why.

Theory of operation. A user invites a node on the account pages and gets a token, as staff do for a node of
the site (`web.fleet.handshake`). The settings that the token unlocks contain the address of the site and a
random key, and nothing else: no credentials of database or broker. With the key, the node requests runs of
its owner from the API (`web.submissions.services.personal`). The site keeps only the digest of the key.
"""

import hashlib
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet

from web.accounts.models import User
from web.fleet.handshake import JoinToken, is_safe
from web.fleet.invitations import PERSONAL, new_invitation
from web.fleet.models import NodeInvitation, PersonalNode
from web.fleet.queries import LOST_AFTER
from web.site.clock import DatabaseNow
from web.site.version import version

MOST = 5
TOKEN_LIFETIME = timedelta(hours=24)
KEY_PREFIX = "wcn_"
_KEY_BYTES = 24


class PersonalNodeRefused(Exception):
    """Raised when a user cannot invite a personal node. The message says why and what to do."""


class OtherVersion(Exception):
    """Raised when a personal node runs another version than the site. The message says what to do."""


@transaction.atomic
def invite_personal(owner: User, name: str, site: str) -> JoinToken:
    """Return a token with which the personal node `name` of `owner` joins the site once.

    Raises:
        PersonalNodeRefused: see the class.
    """
    if not is_safe(site):
        raise PersonalNodeRefused(
            f"Nodes join only over HTTPS, and this site's address is {site}. Ask the operator to "
            "serve the site over HTTPS."
        )
    User.objects.select_for_update().get(pk=owner.pk)
    mine = PersonalNode.objects.filter(owner=owner)
    if mine.count() >= MOST:
        raise PersonalNodeRefused(f"You already have {MOST} nodes, the maximum. Remove one first.")
    if mine.filter(name=name).exists():
        raise PersonalNodeRefused(
            "You already have a node with this name. Remove it first, or choose another name."
        )
    key = KEY_PREFIX + secrets.token_urlsafe(_KEY_BYTES)
    node = PersonalNode.objects.create(owner=owner, name=name, digest=_digest(key))
    given = {"WARPCOURT_SITE_URL": site, "WARPCOURT_NODE_KEY": key, "version": version()}
    # No node of the site has a name with a slash.
    token, invitation = new_invitation(f"{PERSONAL}{node.pk}", site, given, lifetime=TOKEN_LIFETIME)
    PersonalNode.objects.filter(pk=node.pk).update(invitation=invitation)
    return token


def find_by_key(key: str) -> PersonalNode | None:
    """Return the node with that key, with its owner; None if there is none or the owner may not sign in."""
    if not key.startswith(KEY_PREFIX):
        return None
    known = PersonalNode.objects.select_related("owner").filter(owner__is_active=True)
    return known.filter(digest=_digest(key), joined__isnull=False).first()


def check_version(theirs: str) -> None:
    """Check that a node has the site's version. Other versions may use other forms of reports.

    Raises:
        OtherVersion: see the class.
    """
    if theirs != (ours := version()):
        raise OtherVersion(
            f"This node has Warpcourt {theirs}, the site {ours}. Update the checkout to {ours}, run "
            "deploy/setup in it, and start the node again. You do not need a new token."
        )


def note_heard(node: PersonalNode, *, version: str, hardware: str) -> None:
    """Record the contact with the node, and the version and hardware that it reports."""
    PersonalNode.objects.filter(pk=node.pk).update(
        heartbeat=DatabaseNow(), version=version, hardware=hardware
    )


def serves(owner: User) -> bool:
    """Return whether a personal node of `owner` is running, in the site's version."""
    return PersonalNode.objects.filter(_running(), owner=owner).exists()


def list_nodes(owner: User) -> QuerySet[PersonalNode]:
    """Return the nodes of `owner` by name.

    `live` says whether a node is running, `invited` whether its token can still be used, and `outdated`
    whether it was last started in another version than the site's.
    """
    other = Q(heartbeat__isnull=False) & ~Q(version=version())
    valid = Q(invitation__expires__gt=DatabaseNow())
    return (
        PersonalNode.objects.filter(owner=owner)
        .select_related("invitation")
        .annotate(
            live=ExpressionWrapper(_running(), output_field=BooleanField()),
            outdated=ExpressionWrapper(other, output_field=BooleanField()),
            invited=ExpressionWrapper(valid, output_field=BooleanField()),
        )
    )


def remove_node(node: PersonalNode) -> int:
    """Remove a node with its invitation. Return how many its owner has left."""
    owner = node.owner_id
    NodeInvitation.objects.filter(personal=node.pk).delete()
    node.delete()
    return PersonalNode.objects.filter(owner=owner).count()


def _running() -> Q:
    return Q(heartbeat__gte=DatabaseNow() - LOST_AFTER, version=version())


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
