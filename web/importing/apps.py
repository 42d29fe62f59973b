"""Import of problem sets in foreign formats."""

from django.apps import AppConfig


class ImportingConfig(AppConfig):
    """Registers the app."""

    name = "web.importing"
    label = "importing"
