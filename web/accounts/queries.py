"""Reads about people and their tokens."""

from django.db.models import QuerySet
from django.utils import timezone

from web.accounts.models import ApiToken, User


def list_tokens(user: User) -> QuerySet[ApiToken]:
    """The live tokens of `user`, newest first. No secret can be read back."""
    return ApiToken.objects.filter(user=user, expires__gt=timezone.now())


def find_user(username: str) -> User | None:
    """The active user of that name, in any case."""
    return User.objects.filter(username__iexact=username, is_active=True).first()
