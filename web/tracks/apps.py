"""Tracks: ordered paths of problems."""

from django.apps import AppConfig


class TracksConfig(AppConfig):
    """Registers the app."""

    name = "web.tracks"
    label = "tracks"
