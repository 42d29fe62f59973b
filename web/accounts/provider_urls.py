"""Addresses under /accounts/ that replace those of allauth and keep their names."""

from django.urls import path

from web.accounts import provider_views as views
from web.accounts.views import passkey_login, security_keys

urlpatterns = [
    path("github/login/", views.github_login, name="github_login"),
    path("github/login/callback/", views.github_callback, name="github_callback"),
    path("oidc/<str:provider_id>/login/", views.oidc_login, name="openid_connect_login"),
    path("oidc/<str:provider_id>/login/callback/", views.oidc_callback, name="openid_connect_callback"),
    path("2fa/webauthn/", security_keys, name="mfa_list_webauthn"),
    path("2fa/webauthn/login/", passkey_login, name="mfa_login_webauthn"),
]
