"""Pages for those who run the site."""

from django.apps import AppConfig


class StaffConfig(AppConfig):
    """Registers the app."""

    name = "web.staff"
    label = "staff"
