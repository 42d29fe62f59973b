"""The versions of problems: packages, frozen, kept in the database."""

from django.apps import AppConfig


class PackagesConfig(AppConfig):
    """Registers the app."""

    name = "web.packages"
    label = "packages"
