"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """People and their API tokens."""

    name = "web.accounts"
    label = "accounts"
