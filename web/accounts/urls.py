"""Addresses of accounts. allauth has the addresses for signing up, in and out."""

from django.urls import path

from web.accounts import views

urlpatterns = [
    path("account", views.account, name="account"),
    path("account/tokens", views.tokens, name="tokens"),
    path("account/tokens/<int:token_id>/revoke", views.revoke_token, name="token-revoke"),
    path("account/sessions/<int:session_id>/end", views.end_session, name="session-end"),
]
