"""Sets of problems in the formats of others."""

from django.apps import AppConfig


class ImportingConfig(AppConfig):
    """Registers the app."""

    name = "web.importing"
    label = "importing"
