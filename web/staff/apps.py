"""Staff pages."""

from django.apps import AppConfig


class StaffConfig(AppConfig):
    """Registers the app."""

    name = "web.staff"
    label = "staff"
