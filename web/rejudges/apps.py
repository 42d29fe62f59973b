"""Rejudges and their hidden runs."""

from django.apps import AppConfig


class RejudgesConfig(AppConfig):
    """Registers the app."""

    name = "web.rejudges"
    label = "rejudges"
