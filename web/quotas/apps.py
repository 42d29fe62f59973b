"""The app of limits of GPU time."""

from django.apps import AppConfig


class QuotasConfig(AppConfig):
    """Registers the app."""

    name = "web.quotas"
    label = "quotas"
