"""Addresses of accounts. Signing up, in and out is allauth's."""

from django.urls import path

from web.accounts import views

urlpatterns = [
    path("account", views.account, name="account"),
    path("account/tokens", views.create_token, name="token-create"),
    path("account/tokens/<int:token_id>/revoke", views.revoke_token, name="token-revoke"),
]
