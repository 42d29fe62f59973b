"""Notifications of users, on the site and by email."""

from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    """Registers the app."""

    name = "web.notifications"
    label = "notifications"
