"""Profiles of users."""

from django.apps import AppConfig


class ProfilesConfig(AppConfig):
    """Registers the app."""

    name = "web.profiles"
    label = "profiles"
