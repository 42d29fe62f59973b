"""Addresses of imports."""

from django.urls import path

from web.importing import views

urlpatterns = [
    path("author/import", views.importing, name="author-import"),
    path("author/import/<int:pk>", views.run, name="author-import-run"),
    path("author/import/<int:pk>/cancel", views.cancel, name="author-import-cancel"),
]
