"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Users and their API tokens."""

    name = "web.accounts"
    label = "accounts"
    verbose_name = "Users and API tokens"  # allauth's app has the name "Accounts"
