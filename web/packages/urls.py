"""Addresses of versions."""

from django.urls import path

from web.packages import views

urlpatterns = [
    path("problems/<slug:slug>/versions/<int:number>.zip", views.download, name="package-download"),
]
