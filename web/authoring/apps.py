"""Authoring of problems: workspaces, their members, their history and their proofs."""

from django.apps import AppConfig


class AuthoringConfig(AppConfig):
    """Registers the app and its permissions."""

    name = "web.authoring"
    label = "authoring"

    def ready(self) -> None:
        """Register the predicate of every permission."""
        from web.authoring.rights import register  # noqa: PLC0415 - needs the models

        register()
