"""A small OpenID Connect provider on loopback: discovery, the code flow with PKCE, signed tokens.

It implements the requirements of OpenID Connect Core 1.0 section 3.1 and RFC 7636 for providers, and refuses
everything else. So a successful sign-in has sent everything that is required. Every user is `person`, and
consents.
"""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT_ID, CLIENT_SECRET = "warpcourt", "a secret between the two"


@cache
def _signing_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@dataclass
class Provider:
    """A running provider. `refuses` is the error with which it answers sign-in requests."""

    issuer: str
    person: dict[str, Any] = field(default_factory=dict)
    refuses: str = ""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    key: rsa.RSAPrivateKey = field(default_factory=_signing_key)

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the browser is sent: back, with a code."""
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT_ID
        assert "openid" in asked["scope"].split()
        assert asked["code_challenge_method"] == "S256"
        answer = {"state": asked["state"]}
        if self.refuses:
            return f"{asked['redirect_uri']}?{urlencode({**answer, 'error': self.refuses})}"
        code = secrets.token_urlsafe()
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({**answer, 'code': code})}"

    def redeem(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """Return the tokens for a code, once and only for its client, otherwise None."""
        asked = self.codes.pop(form.get("code", ""), None)
        sent = [form.get("client_id"), form.get("client_secret")]
        if authorization.startswith("Basic "):
            sent = [*base64.b64decode(authorization.removeprefix("Basic ")).decode().split(":", 1)]
        if asked is None or sent != [CLIENT_ID, CLIENT_SECRET]:
            return None
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if (challenge, form.get("redirect_uri")) != (asked["code_challenge"], asked["redirect_uri"]):
            return None
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "iat": time.time(), "exp": time.time() + 60}
        token = jwt.encode({**claims, **self.person}, self.key, "RS256", headers={"kid": "one"})
        return {"access_token": "for userinfo", "token_type": "Bearer", "id_token": token}

    def discovery(self) -> dict[str, Any]:
        """Return the contents of `/.well-known/openid-configuration`."""
        places = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
        return {
            "issuer": self.issuer,
            "jwks_uri": f"{self.issuer}/jwks",
            "response_types_supported": ["code"],
            **{f"{name}_endpoint": f"{self.issuer}/{path}" for name, path in places.items()},
        }


class _Handler(BaseHTTPRequestHandler):
    provider: ClassVar[Provider]

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if address.path == "/.well-known/openid-configuration":
            self._answer(200, self.provider.discovery())
        elif address.path == "/authorize":
            asked = {name: values[0] for name, values in parse_qs(address.query).items()}
            self.send_response(302)
            self.send_header("Location", self.provider.authorize(asked))
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif address.path == "/userinfo" and self.headers["Authorization"] == "Bearer for userinfo":
            self._answer(200, self.provider.person)
        elif address.path == "/jwks":
            key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.provider.key.public_key()))
            self._answer(200, {"keys": [{**key, "kid": "one", "alg": "RS256", "use": "sig"}]})
        else:
            self._answer(404, {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        tokens = self.provider.redeem(form, self.headers.get("Authorization", ""))
        self._answer(200 if tokens else 400, tokens or {"error": "invalid_grant"})

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Log nothing, so that tests are quiet."""

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def serving(**person: Any) -> Iterator[Provider]:
    """Yield a provider that authenticates `person` until the end of the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    _Handler.provider = Provider(f"http://127.0.0.1:{server.server_port}", person)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield _Handler.provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
