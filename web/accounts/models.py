"""Users and their API tokens."""

from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import PermissionsMixin
from django.contrib.auth.models import UserManager as DjangoUserManager
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from web.accounts.names import MAX_CHARACTERS, username_validators


class UserManager(DjangoUserManager["User"]):
    """Finds users by name and ignores case."""

    def get_by_natural_key(self, username: str | None) -> "User":
        """Return the user with that name, ignoring case. Raises `User.DoesNotExist`."""
        return self.get(username__iexact=username)


class Audience(models.TextChoices):
    """The groups that may see a profile, in addition to its owner and staff."""

    EVERYBODY = "everybody", "Everyone"
    SIGNED_IN = "signed_in", "Signed-in users"
    NOBODY = "nobody", "Only me"


class User(AbstractBaseUser, PermissionsMixin):
    """A user. Names are unique regardless of case. The email address is optional.

    The last three columns are the privacy settings of the user. `web.accounts.visibility` evaluates them.
    """

    username = models.CharField(
        max_length=MAX_CHARACTERS, unique=True, validators=username_validators, help_text="Shown to everyone."
    )
    email = models.EmailField(
        blank=True, help_text="Optional. For resetting the password and for security notices."
    )
    is_staff = models.BooleanField(
        "staff", default=False, help_text="Can see all submissions and use the admin."
    )
    is_instructor = models.BooleanField(
        "instructor", default=False, help_text="Can read all submissions and write problems."
    )
    is_active = models.BooleanField(
        "active", default=True, help_text="Clear this instead of deleting the user."
    )
    date_joined = models.DateTimeField(default=timezone.now, editable=False)
    profile_audience = models.CharField(
        "profile",
        max_length=9,
        choices=Audience.choices,
        default=Audience.EVERYBODY,
        db_default=Audience.EVERYBODY,
        help_text="Users who can see the profile.",
    )
    shows_activity = models.BooleanField(
        default=True,
        db_default=True,
        help_text="Whether the profile shows the days with submissions.",
    )
    in_rankings = models.BooleanField(
        default=True, db_default=True, help_text="Whether leaderboards and the ranking show this user."
    )

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "username"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="user_username_any_case",
                violation_error_message="This name is taken.",
            ),
            models.CheckConstraint(
                condition=models.Q(profile_audience__in=Audience.values), name="user_profile_audience_known"
            ),
        ]

    def __str__(self) -> str:
        return self.username


class AccountDeletion(models.Model):
    """An account deletion that has begun. `web.privacy.deletion` finishes it, and deletes the row."""

    user = models.OneToOneField(User, models.CASCADE, primary_key=True, related_name="deletion")
    began = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["began"]

    def __str__(self) -> str:
        return f"deletion of {self.user_id}"


class Scope(models.TextChoices):
    """The permissions of an API token. Each scope includes those before it.

    `author` gives access to the hidden cases, references and solutions of the user's own problems. It is
    therefore never the default.
    """

    READ = "read"
    SUBMIT = "submit"
    AUTHOR = "author"

    def includes(self, wanted: "Scope") -> bool:
        """Return whether this scope allows everything that `wanted` allows."""
        order = [*Scope]
        return order.index(wanted) <= order.index(self)


class ApiToken(models.Model):
    """A secret that identifies its user in the API. The database stores only its digest."""

    user = models.ForeignKey(User, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60, help_text="Purpose of the token.")
    prefix = models.CharField(max_length=12, help_text="First characters of the token, to recognize it.")
    digest = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=8, choices=Scope.choices)
    created = models.DateTimeField(default=timezone.now, editable=False)
    expires = models.DateTimeField()
    last_used = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ["-created"]
        constraints = [
            models.CheckConstraint(condition=models.Q(scope__in=Scope.values), name="api_token_scope_known")
        ]

    def __str__(self) -> str:
        return f"{self.prefix}… ({self.name})"

    @property
    def scopes(self) -> list[Scope]:
        """Return its scope and those that it includes."""
        return [scope for scope in Scope if Scope(self.scope).includes(scope)]
