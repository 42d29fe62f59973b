"""Problems that are being written: workspaces, who works in them, their history and their proofs."""

from django.apps import AppConfig


class AuthoringConfig(AppConfig):
    """Registers the app, and with it who may do what."""

    name = "web.authoring"
    label = "authoring"

    def ready(self) -> None:
        """Give every permission its predicate."""
        from web.authoring.rights import register  # noqa: PLC0415 - needs the models

        register()
