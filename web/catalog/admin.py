"""Staff pages about problems."""

from django.contrib import admin
from django.http import HttpRequest

from web.catalog.models import Problem


@admin.register(Problem)
class ProblemAdmin(admin.ModelAdmin[Problem]):
    """Problems, to publish or withdraw. Their content comes from the packages."""

    list_display = ["slug", "title", "difficulty", "track_day", "published", "updated"]
    list_filter = ["published", "difficulty"]
    list_editable = ["published"]
    search_fields = ["slug", "title"]

    def get_readonly_fields(self, request: HttpRequest, obj: Problem | None = None) -> list[str]:  # noqa: ARG002 - Django's signature
        """All but `published`."""
        return [column.name for column in Problem._meta.fields if column.name != "published"]  # noqa: SLF001 - Django's public name for it

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody: `manage.py loadproblems` does."""
        return False
