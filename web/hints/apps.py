"""Help for learners who are stuck."""

from django.apps import AppConfig


class HintsConfig(AppConfig):
    """Registers the app."""

    name = "web.hints"
    label = "hints"
