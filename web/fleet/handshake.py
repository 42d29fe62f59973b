"""The protocol with which a new node joins: the token, proofs of its secret, and sealed settings.

Theory of operation. `node invite` makes a token with a random secret and gives it to the administrator. The
site keeps two things: a key for proofs, which is derived from the secret, and the node's settings, sealed
with another derived key. It does not keep the secret.

    node ── id, nonce, proof of the node ──> site     the site knows that the node has the token
    node <── sealed settings, proof of the site ──    the node knows that the site made the token

Each proof is an HMAC over the role, the id and the nonce, so neither side can replay the other's. The site's
proof also covers the sealed settings. The settings hold the credentials of database and broker; only the
holder of the token can read them, even if the connection is not encrypted. A token works once, and expires.
"""

import hashlib
import hmac
import json
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from cryptography.fernet import Fernet, InvalidToken

SECRET_BYTES = 32
ID_CHARACTERS = 16
PROOF_CHARACTERS = 64
NONCE_CHARACTERS = 32
_PREFIX = "wcj"
_MOST_CHARACTERS = 2000
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_ID = re.compile(f"[0-9a-f]{{{ID_CHARACTERS}}}")


class HandshakeFailed(Exception):
    """Raised when a token or an answer of the other side is not genuine. The message says what to do."""


class Role(StrEnum):
    """The side that makes a proof."""

    NODE = "node"
    SITE = "site"


@dataclass(frozen=True, slots=True)
class JoinToken:
    """The token that joins a node: the id of the invitation, the secret, and the address of the site."""

    id: str
    secret: bytes
    site: str

    def to_text(self) -> str:
        """Return the text to copy."""
        return ".".join((_PREFIX, self.id, _encode(self.secret), _encode(self.site.encode())))

    @classmethod
    def parse(cls, text: str) -> "JoinToken":
        """Parse a token.

        Raises:
            HandshakeFailed: `text` is not a token.
        """
        parts = text.strip().split(".") if len(text) <= _MOST_CHARACTERS else []
        try:
            prefix, key, secret, site = parts
            token = cls(key, urlsafe_b64decode(secret), urlsafe_b64decode(site).decode())
        except ValueError as error:
            raise HandshakeFailed("This is not a token that joins a node. Copy all of it.") from error
        sound = prefix == _PREFIX and _ID.fullmatch(key) and len(token.secret) == SECRET_BYTES
        if not sound or not token.site.startswith(("https://", "http://")):
            raise HandshakeFailed("This is not a token that joins a node. Copy all of it.")
        return token


def is_loopback(site: str) -> bool:
    """Return whether `site` is an address of this host. Requests to it must not go through a proxy."""
    return urlsplit(site).hostname in _LOOPBACK


def is_safe(site: str) -> bool:
    """Return whether a key may be sent to `site`. The connection must be encrypted, or stay on this host."""
    return urlsplit(site).scheme == "https" or is_loopback(site)


def new_token(site: str) -> JoinToken:
    """Return a random token."""
    return JoinToken(secrets.token_hex(ID_CHARACTERS // 2), secrets.token_bytes(SECRET_BYTES), site)


def new_nonce() -> str:
    """Return a random nonce."""
    return secrets.token_hex(NONCE_CHARACTERS // 2)


def proof_key(secret: bytes) -> str:
    """Return the key for proofs, which the site keeps."""
    return _derived(secret, b"warpcourt join: proofs").hex()


def prove(key: str, role: Role, token_id: str, nonce: str, content: str = "") -> str:
    """Return the proof of one side that it knows the key."""
    digest = hashlib.sha256(content.encode()).hexdigest()
    text = f"{role}\n{token_id}\n{nonce}\n{digest}"
    return hmac.new(bytes.fromhex(key), text.encode(), hashlib.sha256).hexdigest()


def proves(proof: str, key: str, role: Role, token_id: str, nonce: str, content: str = "") -> bool:
    """Return whether a proof is genuine."""
    expected = prove(key, role, token_id, nonce, content)
    return hmac.compare_digest(proof.encode(), expected.encode())


def seal(secret: bytes, settings: Mapping[str, str]) -> str:
    """Encrypt the settings of a node."""
    return _box(secret).encrypt(json.dumps(dict(settings)).encode()).decode()


def unseal(secret: bytes, sealed: str) -> dict[str, str]:
    """Decrypt the settings of a node.

    Raises:
        HandshakeFailed: they were not sealed with this secret.
    """
    try:
        settings = json.loads(_box(secret).decrypt(sealed.encode()))
    except (InvalidToken, ValueError) as error:
        raise HandshakeFailed("The settings cannot be decrypted. Make a new token.") from error
    return {str(name): str(value) for name, value in settings.items()}


def _box(secret: bytes) -> Fernet:
    return Fernet(urlsafe_b64encode(_derived(secret, b"warpcourt join: settings")))


def _derived(secret: bytes, purpose: bytes) -> bytes:
    return hmac.new(secret, purpose, hashlib.sha256).digest()


def _encode(content: bytes) -> str:
    return urlsafe_b64encode(content).decode()
