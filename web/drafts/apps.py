"""Programs that are being written, kept on the server."""

from django.apps import AppConfig


class DraftsConfig(AppConfig):
    """Registers the app."""

    name = "web.drafts"
    label = "drafts"
