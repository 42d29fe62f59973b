"""Adapters that connect allauth to this site: sign-up, sign-in, and the encryption of secrets."""

import base64
import logging
from collections.abc import Mapping
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.usersessions.models import UserSession
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.encoding import force_bytes

from web.accounts import attempts
from web.accounts.models import ApiToken, User

_log = logging.getLogger(__name__)

MOST_SESSIONS = 100


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth is untyped
    """Lets the operator close sign-up, and explains invalid input."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "account_inactive": "This account is inactive. Ask the site's administrator.",
        "cannot_remove_primary_email": "Make another email address primary before you remove this one.",
        "duplicate_email": "You have already added this email address.",
        "email_taken": "Another account uses this email address. Use another one, or sign in to it.",
        "enter_current_password": "The current password is incorrect. Try again.",
        "incorrect_code": "The code is incorrect or has expired. Use the current code, or a recovery code.",
        "incorrect_password": "Incorrect password. Try again.",
        "invalid_or_expired_key": "This link has expired or was already used. Request a new one.",
        "invalid_password_reset": "This link has expired or was already used. Request a new one.",
        "max_email_addresses": "An account can have up to %d email addresses. Remove one first.",
        "rate_limited": "Too many attempts. Try again in a minute.",
        "too_many_login_attempts": "Too many failed attempts. Try again in five minutes.",
        "unverified_primary_email": "Verify this email address first. We sent you a link.",
        "username_blacklisted": "This username is reserved. Choose another one.",
        "username_password_mismatch": "Incorrect username or password. Try again, or reset your password.",
        "username_taken": "This username is taken. Choose another one.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 - allauth's signature
        """Return whether visitors may create accounts."""
        return bool(settings.WARPCOURT.sign_up)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count an attempt to sign in or to confirm a password.

        Raises:
            django.core.exceptions.ValidationError: there were too many attempts.
        """
        self._login_failed_rl_usage = attempts.consume(request, _name_in(credentials))
        if self._login_failed_rl_usage is None:
            raise self.validation_error("too_many_login_attempts")

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Return the user with this name and password, or None.

        Remember that the user signed in from this address.
        """
        user: User | None = super().authenticate(request, **credentials)
        if user is not None:
            attempts.remember(request, _name_in(credentials))
        return user

    def post_login(self, request: HttpRequest, user: User, **more: Any) -> HttpResponse:
        """Return the answer to a sign-in, and end the oldest sessions of `user` beyond MOST_SESSIONS.

        Each sign-in and the page of sessions look at all sessions of the user.
        """
        response: HttpResponse = super().post_login(request, user, **more)
        latest_first = UserSession.objects.filter(user=user).order_by("-last_seen_at", "-pk")
        for session in latest_first[MOST_SESSIONS:]:
            session.end()
        return response

    def send_notification_mail(
        self,
        template_prefix: str,
        user: User,
        context: Mapping[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Send a notice to the primary address of `user`, or to `email`, unless it is unverified.

        An unverified address may belong to someone else, who would get a notice for each new token.
        """
        address = email or EmailAddress.objects.get_primary_email(user)
        unverified = EmailAddress.objects.filter(user=user.pk, email__iexact=address, verified=False)
        if address and not unverified.exists():
            super().send_notification_mail(template_prefix, user, context, address)

    def announce_token(self, token: ApiToken) -> None:
        """Email the owner of a new token, who may not have created it.

        An error of the mail server is only logged, because the secret of the token is shown only now.
        """
        self._announce("account/email/token_created", token.user, {"token": token})

    def announce_deletion(self, user: User) -> None:
        """Email a user whose account is being deleted. An error of the mail server is only logged."""
        self._announce("privacy/email/account_deleted", user, {"username": user.username})

    def _announce(self, template_prefix: str, user: User, context: Mapping[str, Any]) -> None:
        try:
            self.send_notification_mail(template_prefix, user, context)
        except (SMTPException, OSError):
            _log.exception("notice_not_sent", extra={"user": user.pk, "notice": template_prefix})

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        # allauth calls this after a password reset, once for each email address.
        for address in EmailAddress.objects.filter(email__iexact=credentials["email"]).select_related("user"):
            attempts.forget(request, address.user.username)


class SocialAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # as above
    """Lets users of the operator's own provider in while sign-up is closed, if configured so."""

    error_messages = {
        **DefaultSocialAccountAdapter.error_messages,
        "email_taken": "Another account uses this email address. Sign in to it, then connect %s there.",
        "no_password": "You need this account to sign in. Set a password before you disconnect it.",
        "connected_other": "Another account on this site already uses it. Disconnect it there first.",
    }

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        """Return whether a user who signs in through a provider may create an account."""
        if super().is_open_for_signup(request, sociallogin):
            return True
        return sociallogin.provider.id == "openid_connect" and settings.WARPCOURT.oidc_sign_up


class MfaAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # as above
    """Encrypts the secrets of authenticators, so that a copy of the database contains none.

    The keys are derived from Django's secret key and its fallbacks. An authenticator is useless without the
    key that encrypted its secret: staff delete it in the admin.
    """

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "cannot_generate_recovery_codes": "Add an authenticator app or a security key first.",
        "incorrect_code": AccountAdapter.error_messages["incorrect_code"],
        "unreadable_secret": "The site's secret key has changed, so your codes can no longer be checked. "
        "Ask the site's administrator to remove your second factor.",
    }

    def get_totp_label(self, user: User) -> str:
        """Return the name under which an authenticator app lists this account."""
        return user.username

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Return the name and the domain of this site, which browsers show next to a passkey."""
        return {**super().get_public_key_credential_rp_entity(), "name": "Warpcourt"}

    def generate_authenticator_name(self, user: User, type: str) -> str:  # noqa: A002 - allauth's name
        """Return the name that a new key gets until its owner renames it."""
        number = Authenticator.objects.filter(user=user, type=type).count() + 1
        return f"Key {number}"

    def encrypt(self, text: str) -> str:
        """Return `text` encrypted, as the database stores it."""
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return the decrypted text.

        Raises:
            django.core.exceptions.ValidationError: it was encrypted under another key.
        """
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken as error:
            raise self.validation_error("unreadable_secret") from error


def _name_in(credentials: dict[str, Any]) -> str:
    """Return the username in `credentials`. To confirm a password, allauth also passes the email address."""
    return str(credentials.get("username") or credentials.get("email", ""))


def _cipher() -> MultiFernet:
    return MultiFernet(
        [Fernet(_derive(key)) for key in [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]]
    )


def _derive(secret_key: str | bytes) -> bytes:
    """Return a key for this single purpose (RFC 5869)."""
    derived = HKDF(SHA256(), length=32, salt=None, info=b"warpcourt authenticators").derive(
        force_bytes(secret_key)
    )
    return base64.urlsafe_b64encode(derived)
