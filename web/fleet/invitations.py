"""Invitations of new nodes, on the side of the site. `web.fleet.handshake` explains the protocol."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from web.audit.models import AuditKind
from web.audit.services import log
from web.fleet import handshake
from web.fleet.handshake import JoinToken, Role
from web.fleet.models import NodeInvitation, PersonalNode

LONGEST = timedelta(days=7)
PERSONAL = "personal/"  # begins the names of invitations of personal nodes


@dataclass(frozen=True, slots=True)
class Admission:
    """The answer to a node that joins."""

    sealed: str
    proof: str


@transaction.atomic
def invite(name: str, site: str, settings: Mapping[str, str], *, lifetime: timedelta) -> JoinToken:
    """Return a token with which the node `name` joins once. An earlier token for it ends."""
    NodeInvitation.objects.filter(name=name).delete()
    token, invitation = new_invitation(name, site, settings, lifetime=lifetime)
    log(None, AuditKind.NODE_INVITE, invitation, expires=invitation.expires.isoformat())
    return token


def new_invitation(
    name: str,
    site: str,
    settings: Mapping[str, str],
    *,
    lifetime: timedelta,
) -> tuple[JoinToken, NodeInvitation]:
    """Store an invitation, and return it with its token."""
    token, now = handshake.new_token(site), timezone.now()
    NodeInvitation.objects.filter(expires__lte=now).delete()
    return token, NodeInvitation.objects.create(
        token_id=token.id,
        name=name,
        proof_key=handshake.proof_key(token.secret),
        sealed=handshake.seal(token.secret, settings),
        expires=now + min(lifetime, LONGEST),
    )


@transaction.atomic
def admit(token_id: str, nonce: str, proof: str) -> Admission | None:
    """Return the settings for the node that has the token, and end the token.

    Return None if there is no such token, it has expired, was used, or the proof is wrong, or if the personal
    node of the token was removed.
    """
    found = NodeInvitation.objects.select_for_update().filter(token_id=token_id, expires__gt=timezone.now())
    invitation = found.first()
    if invitation is None:
        return None
    key = invitation.proof_key
    if not handshake.proves(proof, key, Role.NODE, token_id, nonce):
        return None
    sealed = invitation.sealed
    joined = PersonalNode.objects.filter(invitation=invitation).update(joined=timezone.now())
    if not joined:
        if invitation.name.startswith(PERSONAL):  # its node was removed with the account
            return None
        log(None, AuditKind.NODE_JOIN, invitation)
    invitation.delete()
    return Admission(sealed, handshake.prove(key, Role.SITE, token_id, nonce, sealed))
