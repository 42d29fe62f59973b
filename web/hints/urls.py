"""Addresses of hints and of giving up."""

from django.urls import path

from web.hints import views

urlpatterns = [
    path("problems/<slug:slug>/hints", views.open_hint, name="hint-open"),
    path("problems/<slug:slug>/give-up", views.give_up, name="give-up"),
]
