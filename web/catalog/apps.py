"""The catalog app."""

from django.apps import AppConfig


class CatalogConfig(AppConfig):
    """Problems that the site offers."""

    name = "web.catalog"
    label = "catalog"
