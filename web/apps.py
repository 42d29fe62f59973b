"""The project itself as an app: shared templates, template tags and commands."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """Templates, template tags and commands that belong to no other app."""

    name = "web"
    label = "web"
