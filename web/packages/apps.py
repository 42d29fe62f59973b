"""The versions of problems: frozen packages in the database."""

from django.apps import AppConfig


class PackagesConfig(AppConfig):
    """Registers the app."""

    name = "web.packages"
    label = "packages"
