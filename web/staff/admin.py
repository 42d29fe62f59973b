"""Staff pages about users: their rights, and how they sign in. Secrets are not shown."""

from typing import Any, ClassVar

import allauth.account.admin  # these register admin pages, which this module replaces
import allauth.mfa.admin
import allauth.socialaccount.admin
import allauth.usersessions.admin  # noqa: F401 - as above
from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm
from django.contrib.auth.models import Group
from django.http import HttpRequest

from web.accounts.models import AccountDeletion, ApiToken, User
from web.accounts.services import revoke_tokens
from web.audit.audited import AuditedAdmin, RecordAdmin, RemovableAdmin
from web.audit.models import AuditKind
from web.staff.roles import ROLES

admin.site.site_header = admin.site.site_title = "Warpcourt"
admin.site.index_title = "Administration"
admin.site.unregister(Group)
# Django's own sign-in form of the admin would only ask for a password, and would not limit the number of
# attempts.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
# The packages' own pages show keys and recovery codes, and let staff write them. The environment sets
# providers.
for model in (Authenticator, EmailAddress, SocialAccount, SocialApp, SocialToken, UserSession):
    admin.site.unregister(model)

_RIGHTS = ("is_superuser", "groups", "user_permissions")


class PasswordForm(AdminPasswordChangeForm):  # type: ignore[type-arg]  # generic only for the type checker
    """Sets a password for a user who lost it, or whose account another person used."""

    def save(self, commit: bool = True) -> User:
        """Set the password and revoke all API tokens of the user."""
        user: User = super().save(commit=commit)
        revoke_tokens(user)
        return user


@admin.register(User)
class UserAdmin(AuditedAdmin[User], DjangoUserAdmin[User]):
    """Users. Only a superuser changes rights; roles have a page at /staff/users."""

    logged_fields: ClassVar[tuple[str, ...]] = ("username", *_RIGHTS)
    change_password_form = PasswordForm
    list_display = ["username", "email", "is_staff", "is_instructor", "is_active", "date_joined"]
    list_filter = ["is_staff", "is_instructor", "is_superuser", "is_active"]
    search_fields = ["username", "email"]
    ordering = ["username"]
    fieldsets = [
        (None, {"fields": ["username", "password", "email"]}),
        ("Roles, changed at /staff/users", {"fields": [*ROLES]}),
        ("Rights", {"fields": [*_RIGHTS]}),
        ("Dates", {"fields": ["last_login", "date_joined"]}),
    ]

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:  # noqa: ARG002 - Django's signature
        """Return the read-only fields: dates, roles, and the rights for all but superusers."""
        fixed = ["date_joined", "last_login", *ROLES]
        return fixed if request.user.is_superuser else [*fixed, *_RIGHTS]

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Return whether the user may change it; only superusers may change a superuser's password."""
        allowed = super().has_change_permission(request, obj)
        return allowed and (request.user.is_superuser or not (obj and obj.is_superuser))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 - Django's signature
        """Return False: users delete their own accounts; staff deactivate accounts instead."""
        return False

    def kind_of_change(self, obj: User, changed: list[str]) -> AuditKind:  # noqa: ARG002 - the base class's signature
        """Return the kind of the audit entry. Changes of rights have their own."""
        return AuditKind.ROLE if set(changed) & set(_RIGHTS) else AuditKind.CHANGE


@admin.register(AccountDeletion)
class AccountDeletionAdmin(RecordAdmin[AccountDeletion]):
    """Accounts that are being deleted."""

    list_display = ["user", "began"]
    list_select_related = ["user"]
    search_fields = ["user__username"]


@admin.register(Group)
class GroupAdmin(AuditedAdmin[Group], DjangoGroupAdmin):
    """Groups of users with the same rights."""

    logged_fields: ClassVar[tuple[str, ...]] = ("name", "permissions")


@admin.register(ApiToken)
class ApiTokenAdmin(RemovableAdmin[ApiToken]):
    """Tokens, to inspect and to revoke. Staff cannot create any: the secret could not be shown."""

    private: ClassVar[tuple[str, ...]] = ("digest",)
    list_display = ["prefix", "name", "user", "scope", "created", "expires", "last_used"]
    list_select_related = ["user"]
    search_fields = ["prefix", "user__username"]

    def kind_of_deletion(self) -> AuditKind:
        """Revoke the token."""
        return AuditKind.TOKEN_REVOKE


@admin.register(EmailAddress)
class EmailAddressAdmin(RemovableAdmin[Any]):
    """Email addresses of users, and whether the users confirmed them."""

    list_display = ["email", "user", "primary", "verified"]
    list_filter = ["primary", "verified"]
    list_select_related = ["user"]
    search_fields = ["email", "user__username"]


@admin.register(Authenticator)
class AuthenticatorAdmin(RemovableAdmin[Any]):
    """Second factors. Staff remove one for a user who has lost it and proved their identity."""

    private: ClassVar[tuple[str, ...]] = ("data",)
    list_display = ["user", "type", "created_at", "last_used_at"]
    list_filter = ["type"]
    list_select_related = ["user"]
    search_fields = ["user__username"]


@admin.register(SocialAccount)
class SocialAccountAdmin(RemovableAdmin[Any]):
    """Accounts at other services that users sign in with."""

    private: ClassVar[tuple[str, ...]] = ("extra_data",)
    list_display = ["user", "provider", "uid", "date_joined", "last_login"]
    list_filter = ["provider"]
    list_select_related = ["user"]
    search_fields = ["user__username", "uid"]


@admin.register(UserSession)
class UserSessionAdmin(RemovableAdmin[Any]):
    """Sessions of signed-in users."""

    private: ClassVar[tuple[str, ...]] = ("session_key", "data")
    list_display = ["user", "created_at", "last_seen_at", "user_agent"]
    list_select_related = ["user"]
    search_fields = ["user__username"]

    def delete_model(self, request: HttpRequest, obj: Any) -> None:  # noqa: ARG002 - Django's signature
        """End the session, too."""
        obj.end()

    def delete_queryset(self, request: HttpRequest, queryset: Any) -> None:
        """End each of the sessions."""
        for session in queryset:
            self.delete_model(request, session)
