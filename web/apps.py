"""The project itself as an app: shared templates, template tags and commands."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """What belongs to no single noun."""

    name = "web"
    label = "web"
