"""Reads about users and their tokens."""

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
    """A summary of an account. `address` is the primary email address, if the account has one."""

    address: EmailAddress | None
    has_app: bool
    keys: int
    tokens: int
    sessions: int

    @property
    def has_second_factor(self) -> bool:
        """Return whether sign-in takes more than a password."""
        return self.has_app or self.keys > 0


def list_tokens(user: User) -> QuerySet[ApiToken]:
    """Return the valid tokens of `user`, newest first. The secrets can't be recovered."""
    return ApiToken.objects.filter(user=user, expires__gt=timezone.now())


def list_keys(user: User, *, before: int | None = None) -> QuerySet[Authenticator]:
    """Return the security keys of `user`, newest first. `before` is the `pk` of the previous page's last."""
    keys = Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN)
    found: QuerySet[Authenticator] = keys.order_by("-pk")
    return found.filter(pk__lt=before) if before is not None else found


def find_user(username: str) -> User | None:
    """Return the active user with that name, ignoring case, or None."""
    named = User.objects.alias(lower=Lower("username")).filter(lower=username.lower())
    return named.filter(is_active=True).first()


def overview(user: User) -> AccountOverview:
    """Return a summary of the account of `user`. This takes four queries."""
    kinds = [*Authenticator.objects.filter(user=user).values_list("type", flat=True)]
    return AccountOverview(
        address=EmailAddress.objects.filter(user=user).order_by("-primary", "pk").first(),
        has_app=Authenticator.Type.TOTP in kinds,
        keys=kinds.count(Authenticator.Type.WEBAUTHN),
        tokens=list_tokens(user).count(),
        sessions=UserSession.objects.filter(user=user).count(),
    )


def has_second_factor(user: User) -> bool:
    """Return whether signing in as `user` takes more than a password."""
    strong = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
    return bool(Authenticator.objects.filter(user=user, type__in=strong).exists())
