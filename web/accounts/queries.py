"""Reads about people and their tokens."""

from dataclasses import dataclass

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.utils import timezone

from web.accounts.models import ApiToken, User


@dataclass(frozen=True, slots=True)
class AccountOverview:
    """How an account stands. `address` is the primary one, if any."""

    address: EmailAddress | None
    has_app: bool
    keys: int
    tokens: int
    sessions: int

    @property
    def has_second_factor(self) -> bool:
        """Whether a password alone is not enough to sign in."""
        return self.has_app or self.keys > 0


def list_tokens(user: User) -> QuerySet[ApiToken]:
    """The live tokens of `user`, newest first. No secret can be read back."""
    return ApiToken.objects.filter(user=user, expires__gt=timezone.now())


def find_user(username: str) -> User | None:
    """The active user of that name, in any case."""
    named = User.objects.alias(lower=Lower("username")).filter(lower=username.lower())
    return named.filter(is_active=True).first()


def overview(user: User) -> AccountOverview:
    """How the account of `user` stands, in four queries."""
    kinds = [*Authenticator.objects.filter(user=user).values_list("type", flat=True)]
    return AccountOverview(
        address=EmailAddress.objects.filter(user=user).order_by("-primary", "pk").first(),
        has_app=Authenticator.Type.TOTP in kinds,
        keys=kinds.count(Authenticator.Type.WEBAUTHN),
        tokens=list_tokens(user).count(),
        sessions=UserSession.objects.filter(user=user).count(),
    )


def has_second_factor(user: User) -> bool:
    """Whether a password alone is not enough to sign in as `user`."""
    strong = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
    return bool(Authenticator.objects.filter(user=user, type__in=strong).exists())
