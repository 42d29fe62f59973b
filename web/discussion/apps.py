"""Discussions about problems, for users who solved them."""

from django.apps import AppConfig


class DiscussionConfig(AppConfig):
    """Registers the app."""

    name = "web.discussion"
    label = "discussion"
