"""Addresses of the fleet."""

from django.urls import path

from web.fleet import views

urlpatterns = [path("fleet", views.fleet, name="fleet")]
