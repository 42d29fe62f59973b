"""The catalog app."""

from django.apps import AppConfig


class CatalogConfig(AppConfig):
    """The problems of the site."""

    name = "web.catalog"
    label = "catalog"
