"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Users and their API tokens."""

    name = "web.accounts"
    label = "accounts"
