"""Addresses of data export and account deletion."""

from django.urls import path

from web.privacy import views

urlpatterns = [
    path("account/data", views.data, name="account-data"),
    path("account/data/download", views.download, name="account-download"),
    path("account/data/delete", views.delete, name="account-delete"),
]
