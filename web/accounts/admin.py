"""Staff pages about people and their tokens."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.http import HttpRequest

from web.accounts.models import ApiToken, User

# The admin's own form would ask for a password alone, as often as somebody likes to guess.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]


@admin.register(User)
class UserAdmin(DjangoUserAdmin[User]):
    """People."""

    list_display = ["username", "email", "is_staff", "is_active", "date_joined"]
    list_filter = ["is_staff", "is_active"]
    search_fields = ["username", "email"]
    ordering = ["username"]
    readonly_fields = ["date_joined", "last_login"]
    fieldsets = [
        (None, {"fields": ["username", "password", "email"]}),
        ("Rights", {"fields": ["is_active", "is_staff", "is_superuser", "groups", "user_permissions"]}),
        ("Dates", {"fields": ["last_login", "date_joined"]}),
    ]


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin[ApiToken]):
    """Tokens, to look at and to revoke. None is made here: its secret could not be shown."""

    list_display = ["prefix", "name", "user", "scope", "created", "expires", "last_used"]
    list_select_related = ["user"]
    search_fields = ["prefix", "user__username"]
    readonly_fields = ["user", "name", "prefix", "scope", "created", "expires", "last_used"]
    exclude = ["digest"]

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody."""
        return False
