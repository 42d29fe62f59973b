"""Writes about users and their tokens."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from web.accounts.models import ApiToken, Audience, Scope, User

PREFIX_CHARACTERS = 12
DEFAULT_LIFETIME = timedelta(days=90)
LONGEST_LIFETIME = timedelta(days=366)
MAX_TOKENS = 20
_USED_RESOLUTION = timedelta(minutes=1)


class TooManyTokens(Exception):
    """Raised when a user already has the maximum number of tokens."""


def digest_of(secret: str) -> str:
    """Return the stored form of a token. A plain hash is enough, because a token has 192 random bits."""
    return hashlib.sha256(secret.encode()).hexdigest()


def create_user(username: str, password: str, *, email: str = "") -> User:
    """Create a user and return it.

    Raises:
        django.core.exceptions.ValidationError: the name is taken or malformed.
    """
    user = User(username=username, email=email)
    user.set_password(password)
    user.full_clean()
    user.save()
    return user


def system_account(username: str) -> User:
    """Return the account of the site itself with that name. It cannot be used to sign in and never ranks.

    Choose a name with a colon: users cannot sign up under one.
    """
    account, new = User.objects.get_or_create(
        username=username,
        defaults={"is_active": False, "in_rankings": False, "profile_audience": Audience.NOBODY},
    )
    if new:
        account.set_unusable_password()
        account.save(update_fields=["password"])
    return account


def set_password(user: User, password: str) -> None:
    """Change the password of `user`. This ends all sessions of the old password."""
    user.set_password(password)
    user.save(update_fields=["password"])


def revoke_tokens(user: User) -> int:
    """Delete all tokens of `user`. Return how many there were.

    Call this when a password is set without the old one: another person may know the old one.
    """
    return ApiToken.objects.filter(user=user).delete()[0]


def lock_user(user: User) -> None:
    """Lock the row of `user` until the transaction ends. Call it before you count rows of the user.

    SQLite has only one writer anyway. The key of the row stays unlocked, so other transactions can still
    refer to the user. Lock a workspace before its user: the opposite order can cause a deadlock.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)


@transaction.atomic
def issue_token(
    user: User, *, name: str, scope: Scope = Scope.SUBMIT, lifetime: timedelta = DEFAULT_LIFETIME
) -> tuple[ApiToken, str]:
    """Create a token. Return it with its secret, which can't be shown again.

    Raises:
        ValidationError: the lifetime is not between zero and a year, or the name is too long.
        TooManyTokens: the user already has the maximum number of tokens.
    """
    if not timedelta(0) < lifetime <= LONGEST_LIFETIME:
        raise ValidationError({"lifetime": "A token can be valid for up to 366 days."})
    now = timezone.now()
    lock_user(user)
    ApiToken.objects.filter(user=user, expires__lte=now).delete()
    if ApiToken.objects.filter(user=user).count() >= MAX_TOKENS:
        raise TooManyTokens(f"You have {MAX_TOKENS} tokens, the maximum. Revoke one first.")
    secret = f"wct_{secrets.token_urlsafe(24)}"
    token = ApiToken(
        user=user,
        name=name,
        prefix=secret[:PREFIX_CHARACTERS],
        digest=digest_of(secret),
        scope=scope,
        created=now,
        expires=now + lifetime,
    )
    token.full_clean()
    token.save()
    return token, secret


def use_token(secret: str, *, now: datetime | None = None) -> ApiToken | None:
    """Return the valid token with that secret and record its use. Return None if there is none."""
    now = now or timezone.now()
    token = (
        ApiToken.objects.select_related("user")
        .filter(digest=digest_of(secret), expires__gt=now, user__is_active=True)
        .first()
    )
    if token and (token.last_used is None or now - token.last_used > _USED_RESOLUTION):
        ApiToken.objects.filter(pk=token.pk).update(last_used=now)
    return token


def revoke_token(user: User, token_id: int) -> bool:
    """Delete a token of `user`. Return False if the user has no such token."""
    deleted, _ = ApiToken.objects.filter(user=user, pk=token_id).delete()
    return deleted > 0
