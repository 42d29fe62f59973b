"""Pages for those who run the site, and the audit log."""

from django.apps import AppConfig


class StaffConfig(AppConfig):
    """Registers the app."""

    name = "web.staff"
    label = "staff"
