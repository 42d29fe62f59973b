"""Addresses of profiles."""

from django.urls import path

from web.profiles import views

urlpatterns = [
    path("u/<path:username>", views.profile, name="profile"),
    path("account/profile", views.privacy, name="account-profile"),
]
