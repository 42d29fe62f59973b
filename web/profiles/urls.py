"""Addresses of profiles."""

from django.urls import path

from web.profiles import nodes, views

urlpatterns = [
    path("u/<path:username>", views.profile, name="profile"),
    path("account/profile", views.privacy, name="account-profile"),
    path("account/nodes", nodes.nodes, name="account-nodes"),
    path("account/nodes/<int:pk>/remove", nodes.remove, name="account-node-remove"),
]
