"""The submissions app."""

from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    """Programs that users hand in."""

    name = "web.submissions"
    label = "submissions"
