"""Drafts of programs, stored on the server."""

from django.apps import AppConfig


class DraftsConfig(AppConfig):
    """Registers the app."""

    name = "web.drafts"
    label = "drafts"
