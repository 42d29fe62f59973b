"""Addresses of authoring. Those of a workspace's tabs are `author-<tab>`; see `web.authoring.tabs`."""

from django.urls import include, path

urlpatterns = [
    path("", include("web.authoring.editing_urls")),
]
