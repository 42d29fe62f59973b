"""The fleet app."""

from django.apps import AppConfig


class FleetConfig(AppConfig):
    """Nodes and GPUs."""

    name = "web.fleet"
    label = "fleet"
